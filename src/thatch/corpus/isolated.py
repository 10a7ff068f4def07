"""Summaries of a batch in an isolated process, if a row ends its process."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from thatch.corpus.batch import summarize_batch
from thatch.corpus.corpus_settings import CorpusSettings
from thatch.corpus.row_texts import require_pyarrow, with_errors
from thatch.engines import LocalEngine
from thatch.engines.base import MAX_TRIES
from thatch.errors import LostTaskError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["summarize_isolated"]

_LOST = f"all {MAX_TRIES} processes that summarized this row ended unexpectedly."


def summarize_isolated(
    batch: pa.RecordBatch, settings: CorpusSettings
) -> pa.RecordBatch:
    """Like `summarize_batch`, but a row that ends its process gets an error.

    >>> import pyarrow as pa
    >>> batch = pa.RecordBatch.from_pydict({"id": [1], "text": ["Snow fell."]})
    >>> summarize_isolated(batch, CorpusSettings())["summary"].to_pylist()
    ['Snow fell.']
    """
    pa = require_pyarrow()
    answers = {}
    while left := [row for row in range(batch.num_rows) if row not in answers]:
        work = partial(_answer, batch, settings)
        try:
            for row, answer in LocalEngine(num_workers=1).map(work, left):
                answers[row] = answer
        except LostTaskError as error:
            row = int(str(error.task))
            batch = with_errors(batch, {row: _LOST})
    return pa.concat_batches([answers[row] for row in range(batch.num_rows)])


def _answer(
    batch: pa.RecordBatch, settings: CorpusSettings, row: int
) -> pa.RecordBatch:
    return summarize_batch(batch.slice(row, 1), settings)
