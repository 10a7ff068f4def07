"""pyarrow, which reads Parquet and large CSV files, with errors that name the file.

Only modules that need pyarrow import this one: if it is missing, the import raises the
error that names the extra to install.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from thatch.errors import FileFormatError, requiring
from thatch.files.locations import Location

with requiring("Reading tables", package="pyarrow", extra="corpus"):
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

# Others import these from here.
__all__ = ["pa", "pc", "pq"]


@contextmanager
def arrow_stream(location: Location) -> Iterator[Any]:
    """Open a file for pyarrow."""
    path = location.local_path
    if path is not None:
        with pa.OSFile(str(path)) as stream:
            yield stream
        return
    with location.opened() as opened:
        yield pa.PythonFile(opened, mode="r")


@contextmanager
def opened_parquet(location: Location) -> Iterator[Any]:
    """Open a Parquet file; pages whose checksums are wrong are damage."""
    with errors_of_arrow(location, "Parquet"), arrow_stream(location) as stream:
        yield pq.ParquetFile(
            stream,
            buffer_size=2**20,
            pre_buffer=False,
            page_checksum_verification=True,
        )


@contextmanager
def errors_of_arrow(location: Location, format: str) -> Iterator[None]:
    """Name the file in errors of pyarrow."""
    try:
        yield
    except Exception as error:
        if not (is_damage(error) or isinstance(error, NotImplementedError)):
            raise
        reason = str(error).strip().partition("\n")[0].rstrip(".")
        raise FileFormatError(
            location.address,
            f"invalid {format}: {reason}.",
            hint="Check that the file is complete, and that its suffix is right.",
        ) from error


def is_damage(error: Exception) -> bool:
    """Whether pyarrow cannot decode what it has read; other errors may pass."""
    if isinstance(error, MemoryError | NotImplementedError):
        return False
    # Errors of the operating system and of remote storage have a number or a subclass.
    is_decoding = type(error) is OSError and error.errno is None
    return isinstance(error, pa.ArrowException) or is_decoding


def is_text(kind: pa.DataType) -> bool:
    """Whether it is a type of strings."""
    return str(kind) in ("string", "large_string", "string_view")


def first_not(values: pa.Array, kind: pa.DataType) -> int:
    """The first value that cannot be converted to a type, given that one cannot be.

    >>> first_not(pa.array(["1", "2", "x", "y"]), pa.int64())
    2
    """
    low, high = 0, len(values)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            values[low:middle].cast(kind)
            low = middle
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            high = middle
    return low
