"""Tables in Parquet files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from thatch.caching import cached_property
from thatch.sharding.table_formats import (
    TEXT_TYPES,
    IdKind,
    TableFile,
    arrow_stream,
    errors_of_pyarrow,
    require_pyarrow,
)

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ParquetTable"]

_ROWS_PER_BATCH = 2**20


class ParquetTable(TableFile):
    """A Parquet file."""

    @cached_property
    def _schema(self) -> Any:
        with self._opened() as parquet:
            return parquet.schema_arrow

    @property
    def names(self) -> Sequence[str]:
        return list(self._schema.names)

    def estimated_rows(self) -> int:
        with self._opened() as parquet:
            return int(parquet.metadata.num_rows)

    def kind_of(self, column: str) -> IdKind | None:
        types = require_pyarrow().types
        kind = self._schema.field(column).type
        if types.is_dictionary(kind):
            kind = kind.value_type
        if types.is_integer(kind):
            return IdKind.INTEGERS
        if str(kind) in TEXT_TYPES:
            return IdKind.TEXT
        raise self.error(
            f"column {column!r} has type {kind}; ids must be integers or text.",
            hint="Convert the column.",
        )

    def batches(self, columns: Sequence[str]) -> Iterator[tuple[pa.Array, ...]]:
        with self._opened() as parquet:
            for batch in parquet.iter_batches(_ROWS_PER_BATCH, columns=list(columns)):
                yield tuple(batch.column(name) for name in columns)

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        import pyarrow.parquet as pq

        with errors_of_pyarrow(self, "Parquet"), arrow_stream(self.location) as stream:
            yield pq.ParquetFile(stream)
