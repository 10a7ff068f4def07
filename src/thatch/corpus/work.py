"""What is done with one part, on whatever machine."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from thatch.corpus.apart import summarize_apart
from thatch.corpus.batch import summarize_batch
from thatch.corpus.places import Format, Place
from thatch.corpus.plan import Part
from thatch.corpus.rows import Columns
from thatch.corpus.settings import ERROR, STATUS, CorpusSettings
from thatch.corpus.texts import require_pyarrow, with_errors

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Report", "Work"]

# Ids of rows that failed, of which a report names some.
_MOST_NAMED = 5
# Kinds of errors that are told apart; there may be as many as rows.
_MOST_KINDS = 1000


@dataclass(frozen=True)
class Report:
    """How many rows were done, and what was wrong with some."""

    num_rows: int = 0
    #: Rows without a summary.
    num_failed: int = 0
    #: Rows with an error: those, and some of several texts of which some are left out.
    num_errors: int = 0
    #: How often each of the first kinds of error came, and ids of rows that have it.
    errors: Mapping[str, tuple[int, tuple[Any, ...]]] = field(default_factory=dict)

    def __add__(self, other: Report) -> Report:
        errors = dict(self.errors)
        for error, (count, ids) in other.errors.items():
            if error in errors or len(errors) < _MOST_KINDS:
                known, first = errors.get(error, (0, ()))
                errors[error] = known + count, (*first, *ids)[:_MOST_NAMED]
        return Report(
            self.num_rows + other.num_rows,
            self.num_failed + other.num_failed,
            self.num_errors + other.num_errors,
            errors,
        )

    @classmethod
    def of(
        cls, ids: list[Any], errors: list[str | None], statuses: list[str | None]
    ) -> Report:
        """Report on rows that were done."""
        named: dict[str, list[Any]] = {}
        for id, error in zip(ids, errors, strict=True):
            if error is not None:
                named.setdefault(error, []).append(id)
        return cls(
            len(ids),
            statuses.count(None),
            sum(map(len, named.values())),
            {e: (len(n), tuple(n[:_MOST_NAMED])) for e, n in named.items()},
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
        batch = part.rows.batch(self.columns)
        batch = with_errors(batch, _duplicates(batch, part))
        summarize = summarize_apart if part.is_dangerous else summarize_batch
        answers = summarize(batch, self.settings)
        with self.folder.below(part.name(self.format)).appearing() as file:
            file.write(_written(answers, self.format))
        return self._report(answers)

    def report(self, part: Part) -> Report:
        """Report on a part that is already there."""
        pa = require_pyarrow()
        with self.folder.below(part.name(self.format)).opened() as file:
            if self.format is Format.PARQUET:
                import pyarrow.parquet as pq

                columns = list(self._told)
                table = pq.read_table(pa.BufferReader(file.read()), columns=columns)
                return self._report(table)
            rows = [json.loads(line) for line in file.read().splitlines()]
        return Report.of(*([row[name] for row in rows] for name in self._told))

    def _report(self, answers: Any) -> Report:
        return Report.of(*(answers.column(name).to_pylist() for name in self._told))

    @property
    def _told(self) -> tuple[str, str, str]:
        return self.settings.id, ERROR, STATUS


def _duplicates(batch: pa.RecordBatch, part: Part) -> dict[int, str]:
    """What is wrong with the rows whose id another row has already."""
    ids = {row: batch.column(0)[row].as_py() for row in part.duplicates}
    return {
        row: f"ids must be of one row each, got {id!r:.60} again."
        for row, id in ids.items()
    }


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
