"""What is done with one part, on whatever machine."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from thatch.corpus.batch import ERROR, require_pyarrow, summarize_batch
from thatch.corpus.places import Format, Place
from thatch.corpus.plan import Part
from thatch.corpus.rows import Columns
from thatch.corpus.settings import CorpusSettings

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Report", "Work"]

# Ids of rows that failed, of which a report names some.
_MOST_NAMED = 5


@dataclass(frozen=True)
class Report:
    """How many rows were done, and what was wrong with some."""

    num_rows: int = 0
    num_failed: int = 0
    #: How often each error came, and ids of the first rows that have it.
    errors: Mapping[str, tuple[int, tuple[Any, ...]]] = field(default_factory=dict)

    def __add__(self, other: Report) -> Report:
        errors = dict(self.errors)
        for error, (count, ids) in other.errors.items():
            known, first = errors.get(error, (0, ()))
            errors[error] = known + count, (*first, *ids)[:_MOST_NAMED]
        return Report(
            self.num_rows + other.num_rows, self.num_failed + other.num_failed, errors
        )

    @classmethod
    def of(cls, ids: list[Any], errors: list[str | None]) -> Report:
        """Report on rows that were done."""
        named: dict[str, list[Any]] = {}
        for id, error in zip(ids, errors, strict=True):
            if error is not None:
                named.setdefault(error, []).append(id)
        counts = Counter(error for error in errors if error is not None)
        return cls(
            len(ids),
            sum(counts.values()),
            {e: (n, tuple(named[e][:_MOST_NAMED])) for e, n in counts.items()},
        )


@dataclass(frozen=True)
class Work:
    """What is done with every part: it is sent to where that happens."""

    settings: CorpusSettings
    columns: Columns
    folder: Place
    format: Format

    def __call__(self, part: Part) -> Report:
        """Read, summarize, write; the file appears whole or not at all."""
        batch = _marked(part.rows.batch(self.columns), part)
        answers = summarize_batch(batch, self.settings)
        with self.folder.below(part.name(self.format)).appearing() as file:
            file.write(_written(answers, self.format))
        return self._report(answers)

    def report(self, part: Part) -> Report:
        """Report on a part that is already there."""
        pa = require_pyarrow()
        with self.folder.below(part.name(self.format)).opened() as file:
            if self.format is Format.PARQUET:
                import pyarrow.parquet as pq

                names = [self.settings.id, ERROR]
                return self._report(
                    pq.read_table(pa.BufferReader(file.read()), columns=names)
                )
            rows = [json.loads(line) for line in file.read().splitlines()]
        return Report.of([r[self.settings.id] for r in rows], [r[ERROR] for r in rows])

    def _report(self, answers: Any) -> Report:
        ids = answers.column(self.settings.id).to_pylist()
        return Report.of(ids, answers.column(ERROR).to_pylist())


def _marked(batch: pa.RecordBatch, part: Part) -> pa.RecordBatch:
    """The batch with errors for the rows whose id another row has already."""
    if not part.duplicates:
        return batch
    pa = require_pyarrow()
    has_errors = ERROR in batch.schema.names
    errors = batch.column(ERROR).to_pylist() if has_errors else [None] * batch.num_rows
    for row in part.duplicates:
        id = batch.column(0)[row].as_py()
        errors[row] = f"ids must be of one row each, got {id!r:.60} again."
    column = pa.array(errors, type=pa.string())
    if has_errors:
        return batch.set_column(batch.schema.get_field_index(ERROR), ERROR, column)
    return batch.append_column(ERROR, column)


def _written(answers: pa.RecordBatch, format: Format) -> bytes:
    """The rows as a file holds them; the same rows, the same bytes."""
    pa = require_pyarrow()
    if format is Format.PARQUET:
        import pyarrow.parquet as pq

        sink = pa.BufferOutputStream()
        pq.write_table(pa.Table.from_batches([answers]), sink, compression="zstd")
        content: bytes = sink.getvalue().to_pybytes()
        return content
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in answers.to_pylist())
    return "".join(lines).encode()
