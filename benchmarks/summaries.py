"""Compare quality and speed of summaries: thatch and its settings, Lead, and sumy.

python benchmarks/summaries.py [FILE[:BUDGET[:markdown]]...] [--budget 100]
    [--only METHOD...] [--halves odd even] [--json FILE] [--redraw]
    [--tables DOCUMENT...]

A file has one cluster per line, with documents and references, as
thatch.text.read_clusters reads it, and may have a "query" per line. Without files, a
sample of reviews is used. Documents are plain text unless `markdown` is given.

Every method gets the same documents and sentences, on one thread. Scores are recall as
ROUGE-1.5.5 computes it (-n 2 -x -m -l BUDGET); for languages other than English, with
words by Unicode and without stems. sumy has no budget: the longest start of its ranking
that fits is taken, at least one sentence. Flawed sentences are those with a flaw by
thatch.text.passages.flaws, such as one that begins with "However".

Clusters are counted from 0; settings were tuned on the odd ones. With --json, results
are kept in a file, and what it contains is not measured again. --redraw measures
nothing. Tables are written below the lines `<!-- table: summaries -->`, `<!-- table:
summaries-halves -->` and `<!-- table: summaries-flaws -->` of documents.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from summaries_methods import QUERY, Answer, Method, Question, methods
from summaries_results import HALVES, Average, Outcome, Results, tables
from tables import Table, write_into

from thatch import Document
from thatch.files.json_lines import read_json_lines
from thatch.files.reading import is_folder
from thatch.rouge import NGrams, Rouge, UnicodeTokens
from thatch.text import Cluster, read_clusters
from thatch.text.language.words import count_words
from thatch.text.passages.passages import language_of

SAMPLE = Path(__file__).parent.parent / "tests" / "data" / "opinosis_sample.jsonl"
MARKDOWN = "markdown"
COLUMNS = f"{'ROUGE-1':>9}{'ROUGE-2':>9}{'words':>7}{'flawed':>9}{'per second':>12}"


@dataclass(frozen=True)
class Dataset:
    """The clusters of a file, the query of each, and the budget."""

    name: str
    questions: Sequence[Question]
    budget: int
    #: Whether the texts are English.
    is_english: bool

    @property
    def rouge(self) -> Rouge:
        """The settings of ROUGE for the language and the budget."""
        metrics = (NGrams(1), NGrams(2))
        if self.is_english:
            return Rouge(metrics=metrics, limit_words=self.budget)
        return Rouge(
            metrics=metrics,
            limit_words=self.budget,
            tokens=UnicodeTokens(),
            stems=None,
        )

    def half(self, name: str) -> Sequence[Question]:
        """The questions of one half."""
        return self.questions[name == "odd" :: 2]

    @property
    def has_queries(self) -> bool:
        """Whether every cluster has a query."""
        return all(question.query for question in self.questions)


def main() -> None:
    arguments = parsed()
    results = Results(arguments.json)
    files = arguments.files or [str(SAMPLE)]
    names = []
    for file in files:
        path, budget, is_markdown = parts_of(file, arguments.budget)
        names.append((path.stem, budget))
        if not arguments.redraw:
            measure(path, budget, is_markdown, arguments, results)
    order = list(arguments.only or methods())
    chosen = [
        o for o in results.outcomes if (o.set, o.budget) in names and o.method in order
    ]
    chosen.sort(key=lambda o: (order.index(o.method), names.index((o.set, o.budget))))
    present(chosen, arguments.tables)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("files", nargs="*", metavar="FILE[:BUDGET[:markdown]]", help="clusters")
    add("--budget", type=int, default=100, help="of files without one, in words")
    add("--only", nargs="+", choices=methods(), metavar="METHOD")
    add("--halves", nargs="+", choices=HALVES, default=HALVES, help="default: both")
    add("--json", type=Path, help="keeps results; those it contains are not repeated")
    add("--redraw", action="store_true", help="measure nothing")
    add("--tables", type=Path, nargs="+", default=[], help="documents to write into")
    return parser.parse_args()


def parts_of(file: str, budget: int) -> tuple[Path, int, bool]:
    """Path, budget and whether the texts are Markdown."""
    rest, _, last = file.rpartition(":")
    is_markdown = last == MARKDOWN
    if is_markdown:
        file = rest
    path, _, given = file.rpartition(":")
    if path and given.isdigit():
        return Path(path), int(given), is_markdown
    return Path(file), budget, is_markdown


def measure(
    path: Path,
    budget: int,
    is_markdown: bool,
    arguments: argparse.Namespace,
    results: Results,
) -> None:
    """Run every method on every half that was not measured before."""
    pending = {
        method: halves
        for method in arguments.only or methods()
        if (
            halves := [
                half
                for half in arguments.halves
                if not results.has((path.stem, budget, method, half))
            ]
        )
    }
    if not pending:
        return
    dataset = read_dataset(path, budget, is_markdown=is_markdown)
    print(f"{dataset.name}: {len(dataset.questions)} clusters, {budget} words")
    print(f"{'method':<30}{COLUMNS}")
    for method, halves in pending.items():
        if method == QUERY and not dataset.has_queries:
            continue
        try:
            for half in halves:
                results.add(outcome_of(method, methods()[method], dataset, half))
        except ImportError as error:
            print(f"{method:<30}skipped: {error}")
            continue
        mine = [o for o in results.outcomes if o.key[:3] == (path.stem, budget, method)]
        print_average(method, mine)


def read_dataset(path: Path, budget: int, *, is_markdown: bool) -> Dataset:
    clusters: Sequence[Cluster] = read_clusters(path)
    if is_markdown:
        clusters = [with_markdown(cluster) for cluster in clusters]
    queries = [""] * len(clusters)
    if not is_folder(path):
        lines = read_json_lines(path, example="")
        queries = [line.fields.get("query", "") for line in lines]
    questions = [
        Question(cluster, query, budget)
        for cluster, query in zip(clusters, queries, strict=True)
    ]
    texts = [Document(text) for cluster in clusters for text in cluster.references]
    return Dataset(path.stem, questions, budget, language_of(texts) == "en")


def with_markdown(cluster: Cluster) -> Cluster:
    documents = (Document.from_markdown(d.text, d.name) for d in cluster.documents)
    return Cluster(cluster.name, tuple(documents), cluster.references)


def outcome_of(name: str, method: Method, dataset: Dataset, half: str) -> Outcome:
    questions = dataset.half(half)
    answers: list[Answer] = [method(question) for question in questions]
    rouge = dataset.rouge
    scores = [
        # A score needs a word, and this one is in no reference.
        rouge.score(answer.text or "-", question.cluster.references)
        for answer, question in zip(answers, questions, strict=True)
    ]
    return Outcome(
        set=dataset.name,
        budget=dataset.budget,
        method=name,
        half=half,
        rouge_1=[round(100 * score["ROUGE-1"].recall, 3) for score in scores],
        rouge_2=[round(100 * score["ROUGE-2"].recall, 3) for score in scores],
        num_words=sum(count_words(answer.text) for answer in answers),
        num_sentences=sum(len(answer.chosen) for answer in answers),
        num_flawed=sum(answer.num_flawed for answer in answers),
        seconds=round(sum(answer.seconds for answer in answers), 3),
    )


def print_average(method: str, outcomes: Sequence[Outcome]) -> None:
    average = Average.of(outcomes)
    print(
        f"{method:<30}{average.rouge_1:9.2f}{average.rouge_2:9.2f}"
        f"{average.num_words:7.1f}{average.share_flawed:9.1%}"
        f"{1 / average.seconds:12.1f}",
        flush=True,
    )


def present(outcomes: Sequence[Outcome], documents: Sequence[Path]) -> None:
    """Print the tables, and write them into documents."""
    if not outcomes:
        return
    all_tables = tables(outcomes)
    for table in all_tables:
        print(f"\n{table.title}\n\n{table.markdown}")
    for document in documents:
        write_into(document, marked(all_tables, document))


def marked(all_tables: Sequence[Table], document: Path) -> Iterator[Table]:
    """Those tables for which the document has a place."""
    text = document.read_text(encoding="utf-8")
    for table in all_tables:
        if f"<!-- table: {table.name} -->" in text:
            yield table


if __name__ == "__main__":
    main()
