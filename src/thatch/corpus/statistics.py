"""Document frequencies of a corpus, counted on any engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from os import PathLike

from thatch.corpus.corpus_settings import CorpusSettings
from thatch.corpus.plan import Chunk, Plan
from thatch.corpus.report import Report
from thatch.corpus.row_texts import RowTexts, texts_of_rows
from thatch.corpus.rows.columns import Columns
from thatch.files.locations import Location, inputs_of
from thatch.machine.engines import Engine
from thatch.scale import LocalEngine
from thatch.text.concepts.background import Background
from thatch.text.documents.document import Document


def corpus_statistics(
    source: Location | str | PathLike[str],
    settings: CorpusSettings | None = None,
    engine: Engine | None = None,
    *,
    on_begin: Callable[[int], None] = lambda num_rows: None,
    on_chunk: Callable[[Report], None] = lambda report: None,
) -> Background:
    """How many documents of a corpus contain each term.

    Texts that are null, empty, too large, damaged or not UTF-8 are skipped; the reports
    of the chunks count their rows and say why.

    Parameters
    ----------
    source
        A file, or a folder of files; ids are not needed.
    settings
        The column of the texts, and the language.
    engine
        Where to run. Default: all cores of this machine.
    on_begin
        Called once with the number of rows.
    on_chunk
        Called with the report of every chunk as it is finished. In place of ids, its
        errors have the names of files.

    >>> import pyarrow as pa, pyarrow.parquet as pq, tempfile
    >>> path = tempfile.mkdtemp() + "/news.parquet"
    >>> pq.write_table(pa.table({"text": ["Snow fell.", "It snowed."]}), path)
    >>> from thatch.scale import LocalEngine
    >>> found = corpus_statistics(path, engine=LocalEngine(num_workers=1))
    >>> found.num_documents, found.counts["snow"]
    (2, 2)
    """
    settings = settings or CorpusSettings()
    engine = engine or LocalEngine()
    plan = Plan.without_ids(inputs_of(Location.of(source)), settings.text)
    on_begin(plan.num_rows)

    def counted() -> Iterator[Background]:
        count = _Count(settings, plan.columns)
        for _, (background, report) in engine.map(count, plan.chunks):
            yield background
            on_chunk(report)

    return _total(counted())


@dataclass(frozen=True)
class _Count:
    settings: CorpusSettings
    columns: Columns

    def __call__(self, chunk: Chunk) -> tuple[Background, Report]:
        language = self.settings.summary.language
        errors: list[str | None] = []
        statuses: list[str | None] = []

        def counted() -> Iterator[Background]:
            # Row by row: the language is detected per row, as when it is summarized.
            for batch in chunk.rows.batches(self.columns):
                for row in texts_of_rows(batch, self.settings):
                    documents = [each for each in row.documents if each.text]
                    errors.append(row.error or self._error_of_empty(row, documents))
                    statuses.append("counted" if documents else None)
                    yield Background.of(documents, language=language)

        background = _total(counted())
        files = [chunk.rows.file.name] * len(errors)
        return background, Report.of(files, errors, statuses)

    def _error_of_empty(self, row: RowTexts, counted: list[Document]) -> str | None:
        num_empty = len(row.documents) - len(counted)
        if not num_empty:
            return None
        if len(row.documents) == 1:
            return f"{self.settings.text} is empty."
        return f"{num_empty} of {len(row.documents)} texts are empty."


def _total(counted: Iterable[Background]) -> Background:
    """The sum of all counts, in one pass: repeated sums would copy them each time."""
    num_documents = 0
    counts: Counter[str] = Counter()
    for background in counted:
        num_documents += background.num_documents
        counts.update(background.counts)
    return Background(num_documents, counts)
