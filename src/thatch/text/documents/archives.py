"""ZIP archives of documents, with limits: some kilobytes may expand to gigabytes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from thatch.errors import FileFormatError


class LimitedArchive:
    """The files of an archive, and how much of them was read so far.

    >>> empty = b"PK" + bytes([5, 6]) + bytes(18)
    >>> LimitedArchive(empty, Path("a.epub"), kind="book").names
    []
    """

    def __init__(self, content: bytes, path: Path, *, kind: str) -> None:
        self._path, self._kind = path, kind
        self._num_bytes = self._num_counted = 0
        # Before the archive is opened, which takes time for each file.
        self.require("files", content.count(b"PK\x01\x02"), at_most=50_000)
        self._archive = zipfile.ZipFile(io.BytesIO(content))

    @property
    def names(self) -> list[str]:
        """Names of the files."""
        return self._archive.namelist()

    def pieces(self, name: str, *, size: int = -1) -> Iterator[bytes]:
        """The content of a file, in pieces of limited size."""
        self._num_bytes += self._archive.getinfo(name).file_size
        self.require("bytes of text and markup", self._num_bytes, at_most=64 << 20)
        with self._archive.open(name) as file:
            while piece := file.read(size):
                yield piece

    def count(self, what: str, number: int) -> None:
        """Count what takes time to parse, such as tags; 3 million of it are read."""
        self._num_counted += number
        self.require(what, self._num_counted, at_most=3_000_000)

    def require(self, what: str, number: int, *, at_most: int) -> None:
        """Require that the archive has at most this many of something."""
        if number > at_most:
            raise FileFormatError(
                self._path,
                f"the {self._kind} has {number:,} {what} when it is unpacked; at most "
                f"{at_most:,} are read.",
                hint="Split it into several files.",
            )


@contextmanager
def refusing_damaged(path: Path, kind: str, *, hint: str) -> Iterator[None]:
    """Raise a FileFormatError for whatever libraries raise for damaged files.

    >>> try:
    ...     with refusing_damaged(Path("a.epub"), "an EPUB", hint="Open it."):
    ...         zipfile.ZipFile(io.BytesIO(b"no archive"))
    ... except FileFormatError as error:
    ...     print(error.hint)
    Open it.
    """
    try:
        yield
    except (FileFormatError, MemoryError):
        raise
    except Exception as error:
        raise FileFormatError(
            path,
            f"the file is not {kind}, or it is damaged ({type(error).__name__}).",
            hint=hint,
        ) from error
