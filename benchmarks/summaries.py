"""Compare quality and speed of summaries with sumy, on clusters with references.

python benchmarks/summaries.py [CLUSTERS] [--budget 100] [--only thatch lex-rank]

Every method gets the same documents and sentences, on one thread. Scores are recall as
ROUGE-1.5.5 computes it (-m -l BUDGET). sumy has no budget: it is called for 1, 2, 3
and more sentences until they no longer fit, at least one; the last that fits is timed.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from thatch import Document, Summarizer
from thatch.rouge import NGrams, Rouge
from thatch.solvers import GeneralizedGreedy
from thatch.text import Cluster, read_clusters
from thatch.text.concepts.schemes import Bigrams, TfIdf
from thatch.text.language.words import count_words, words_of
from thatch.text.passages.passages import Passages

SAMPLE = Path(__file__).parent.parent / "tests" / "data" / "opinosis_sample.jsonl"
SUMY = {
    "lex-rank": "lex_rank.LexRankSummarizer",
    "text-rank": "text_rank.TextRankSummarizer",
    "lsa": "lsa.LsaSummarizer",
    "kl": "kl.KLSummarizer",
    "sum-basic": "sum_basic.SumBasicSummarizer",
    "luhn": "luhn.LuhnSummarizer",
}
#: Takes documents and a budget, returns a summary and its seconds.
Method = Callable[[Sequence[Document], int], tuple[str, float]]


def main() -> None:
    arguments = parsed()
    clusters = read_clusters(arguments.clusters)
    print(f"{len(clusters)} clusters, {arguments.budget} words")
    print(f"{'method':<22}{'ROUGE-1':>9}{'ROUGE-2':>9}{'words':>7}{'per second':>12}")
    for name, method in methods().items():
        if not arguments.only or name in arguments.only:
            report(name, method, clusters, arguments.budget)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("clusters", nargs="?", default=SAMPLE, type=Path)
    parser.add_argument("--budget", type=int, default=100)
    parser.add_argument("--only", nargs="*", default=[])
    return parser.parse_args()


def methods() -> dict[str, Method]:
    thatch = {
        "thatch": Summarizer(),
        "thatch, g-greedy": Summarizer(solver=GeneralizedGreedy()),
        "thatch, bigrams": Summarizer(concepts=Bigrams()),
        "thatch, words": Summarizer(concepts=TfIdf()),
    }
    return {name: partial(by_thatch, s) for name, s in thatch.items()} | {
        f"sumy, {name}": partial(by_sumy, path) for name, path in SUMY.items()
    }


def by_thatch(
    summarizer: Summarizer, documents: Sequence[Document], budget: int
) -> tuple[str, float]:
    start = time.perf_counter()
    text = summarizer.summarize(documents, budget).text
    return text, time.perf_counter() - start


class SumyTokenizer:
    """Sentences and words as thatch splits them: sumy's own tokenizer needs data."""

    def to_sentences(self, text: str) -> list[str]:
        return [p.text for p in Passages.of([Document.from_text(text)])]

    def to_words(self, sentence: str) -> list[str]:
        return words_of(sentence)


def by_sumy(path: str, documents: Sequence[Document], budget: int) -> tuple[str, float]:
    module, name = path.split(".")
    summarizer_class: Any = getattr(import_module(f"sumy.summarizers.{module}"), name)
    parser = import_module("sumy.parsers.plaintext").PlaintextParser
    stemmer = import_module("sumy.nlp.stemmers").Stemmer("english")
    text = "\n\n".join(document.text for document in documents)
    best, seconds = "", 0.0
    for count in range(1, budget):
        start = time.perf_counter()
        document = parser.from_string(text, SumyTokenizer()).document
        chosen = " ".join(map(str, summarizer_class(stemmer)(document, count)))
        if count_words(chosen) > budget and best:
            break
        best, seconds = chosen, time.perf_counter() - start
    return best, seconds


def report(name: str, method: Method, clusters: Sequence[Cluster], budget: int) -> None:
    try:
        answers = [method(cluster.documents, budget) for cluster in clusters]
    except ImportError as error:
        print(f"{name:<22}skipped: {error}")
        return
    rouge = Rouge(metrics=(NGrams(1), NGrams(2)), limit_words=budget)
    texts, seconds = zip(*answers, strict=True)
    scores = rouge.average(texts, [cluster.references for cluster in clusters])
    recalls = [f"{100 * scores[f'ROUGE-{n}'].recall.mean:9.2f}" for n in (1, 2)]
    words = statistics.fmean(map(count_words, texts))
    print(
        f"{name:<22}{''.join(recalls)}{words:7.1f}{1 / statistics.fmean(seconds):12.1f}"
    )


if __name__ == "__main__":
    main()
