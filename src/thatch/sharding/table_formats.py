"""What table files of all formats have in common: columns, ids, errors of pyarrow."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from thatch.errors import FileFormatError, MissingExtraError
from thatch.files.locations import Location

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "TEXT_TYPES",
    "IdKind",
    "TableFile",
    "arrow_stream",
    "errors_of_pyarrow",
    "require_pyarrow",
]


#: Names of the types of text in pyarrow.
TEXT_TYPES = ("string", "large_string", "string_view")


class IdKind(enum.Enum):
    """What the ids in a column are."""

    INTEGERS = "integers"
    TEXT = "text"


class TableFile:
    """One file of a table."""

    def __init__(self, location: Location) -> None:
        self.location = location

    @property
    def names(self) -> Sequence[str]:
        """Names of the columns."""
        raise NotImplementedError  # pragma: no cover

    def estimated_rows(self) -> int:
        """About how many rows there are."""
        raise NotImplementedError  # pragma: no cover

    def kind_of(self, column: str) -> IdKind | None:
        """What the ids of a column are; None if there are no rows."""
        raise NotImplementedError  # pragma: no cover

    def batches(self, columns: Sequence[str]) -> Iterator[tuple[pa.Array, ...]]:
        """Some columns of all rows, in their order."""
        raise NotImplementedError  # pragma: no cover

    def require_columns(self, columns: Sequence[str]) -> None:
        """Require that each of the columns is there once."""
        names = self.names
        for column in columns:
            if column not in names:
                raise self._missing(column)
            if names.count(column) > 1:
                raise self.error(
                    f"it has {names.count(column)} columns {column!r}.",
                    hint="Rename all but one of them.",
                )

    def error(self, message: str, *, hint: str) -> FileFormatError:
        """The error about the file, which names it."""
        return FileFormatError(self.location.address, message, hint=hint)

    def _missing(self, column: str) -> FileFormatError:
        close = get_close_matches(column, self.names, n=1)
        known = ", ".join(map(repr, self.names))
        return self.error(
            f"it has no column {column!r}.",
            hint=f"Did you mean {close[0]}?" if close else f"The columns are {known}.",
        )


def require_pyarrow() -> Any:
    """Import pyarrow, or raise an error that names the extra to install."""
    try:
        import pyarrow
    except ImportError as error:
        raise MissingExtraError(
            "Making shards from files", package="pyarrow", extra="corpus"
        ) from error
    return pyarrow


@contextmanager
def arrow_stream(location: Location) -> Iterator[Any]:
    """Open a file for pyarrow."""
    pa = require_pyarrow()
    path = location.local_path
    if path is not None:
        with pa.OSFile(str(path)) as stream:
            yield stream
        return
    with location.opened() as opened:
        yield pa.PythonFile(opened, mode="r")


@contextmanager
def errors_of_pyarrow(file: TableFile, format: str) -> Iterator[None]:
    """Name the file in errors of pyarrow."""
    pa = require_pyarrow()
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = str(error).strip().splitlines()[0].rstrip(".")
        raise file.error(
            f"invalid {format}: {reason}.",
            hint="Check that the file is complete, and that its suffix is right.",
        ) from error
