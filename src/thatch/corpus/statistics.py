"""Which terms are rare in a whole corpus: counted part by part, on any engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from os import PathLike

from thatch.corpus.corpus_settings import CorpusSettings
from thatch.corpus.plan import Chunk, Plan
from thatch.corpus.row_texts import texts_of_rows
from thatch.corpus.rows.columns import Columns
from thatch.corpus.storage import Place, inputs_of
from thatch.engines import Engine, LocalEngine
from thatch.text.concepts.background import Background
from thatch.text.documents.document import Document

__all__ = ["corpus_statistics"]


def corpus_statistics(
    source: Place | str | PathLike[str],
    settings: CorpusSettings | None = None,
    engine: Engine | None = None,
    *,
    on_begin: Callable[[int], None] = lambda num_rows: None,
    on_part: Callable[[Chunk], None] = lambda chunk: None,
) -> Background:
    """How many documents of a corpus hold each term.

    Texts that are null, empty, too large or not UTF-8 are passed over.

    Parameters
    ----------
    source
        A file, or a folder of them; ids are not needed.
    settings
        Which column has the texts, and the language.
    engine
        Where the counting is done; on all cores of this machine unless given.
    on_begin, on_part
        Told how many rows there are, and of every part that is done.

    >>> import pyarrow as pa, pyarrow.parquet as pq, tempfile
    >>> path = tempfile.mkdtemp() + "/news.parquet"
    >>> pq.write_table(pa.table({"text": ["Snow fell.", "It snowed."]}), path)
    >>> from thatch.engines import LocalEngine
    >>> found = corpus_statistics(path, engine=LocalEngine(num_workers=1))
    >>> found.num_documents, found.counts["snow"]
    (2, 2)
    """
    settings = settings or CorpusSettings()
    engine = engine or LocalEngine()
    plan = Plan.without_ids(inputs_of(Place.of(source)), settings.text)
    on_begin(plan.num_rows)

    def counted() -> Iterator[Background]:
        for chunk, background in engine.map(
            _Count(settings, plan.columns), plan.chunks
        ):
            yield background
            on_part(chunk)

    return _total(counted())


@dataclass(frozen=True)
class _Count:
    settings: CorpusSettings
    columns: Columns

    def __call__(self, chunk: Chunk) -> Background:
        language = self.settings.summary.language
        # A row at a time: it is in one language, as when it is summarized.
        return _total(
            Background.of(filter(_has_text, row.documents), language=language)
            for batch in chunk.rows.batches(self.columns)
            for row in texts_of_rows(batch, self.settings)
        )


def _has_text(document: Document) -> bool:
    return bool(document.text)


def _total(counted: Iterable[Background]) -> Background:
    """All counts together; unlike repeated sums, in time that grows with them alone."""
    num_documents = 0
    counts: Counter[str] = Counter()
    for background in counted:
        num_documents += background.num_documents
        counts.update(background.counts)
    return Background(num_documents, counts)
