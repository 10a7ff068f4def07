"""Files and folders, on this disk or at any address that fsspec knows."""

from __future__ import annotations

import enum
import hashlib
import os
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from thatch.errors import InputError, requiring
from thatch.files.atomic_writes import publish
from thatch.machine.caching import cached_property


class Format(enum.StrEnum):
    """Format of a file of rows."""

    PARQUET = "parquet"
    JSON_LINES = "jsonl"
    CSV = "csv"


_SUFFIXES = {
    ".parquet": Format.PARQUET,
    ".pq": Format.PARQUET,
    ".jsonl": Format.JSON_LINES,
    ".ndjson": Format.JSON_LINES,
    ".csv": Format.CSV,
}
# Slices of such files cannot be read alone.
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".zip")
# An output with such a name is not meant to be a folder.
_FILE_SUFFIXES = (*_COMPRESSED, ".json", ".txt", ".tsv", ".xlsx", ".arrow", ".feather")


@dataclass(frozen=True)
class Location:
    """A file or folder, by a path or an address such as ``s3://bucket/folder``.

    >>> Location("memory://corpus/news.csv").format.value
    'csv'
    """

    address: str

    @classmethod
    def of(cls, given: Location | str | os.PathLike[str]) -> Location:
        """The location of a path or an address; a relative path becomes absolute."""
        if isinstance(given, Location):
            return given.absolute
        return cls(os.fspath(given)).absolute

    @property
    def format(self) -> Format | None:
        """Format of a file with this name; None if the suffix is unknown."""
        lowered = self.address.lower().rstrip("/")
        formats = (f for suffix, f in _SUFFIXES.items() if lowered.endswith(suffix))
        return next(formats, None)

    @property
    def absolute(self) -> Location:
        """The same location for a process with another working directory."""
        is_address = "://" in self.address or "::" in self.address
        if is_address:
            return self
        # Symbolic links are not resolved: on another machine they may differ.
        path = Path(os.path.abspath(self.address))  # noqa: PTH100
        return Location(path.as_posix())

    def contains(self, other: Location) -> bool:
        """Whether the other location is inside this folder."""
        return other.address.startswith(f"{self.address.rstrip('/')}/")

    def child(self, name: str) -> Location:
        """The file of that name in this folder."""
        return Location(f"{self.address.rstrip('/')}/{name}")

    @property
    def name(self) -> str:
        """The last part of the address."""
        return self.address.rstrip("/").rpartition("/")[2]

    @property
    def local_path(self) -> Path | None:
        """Path of the file or folder, if it is on a file system of this machine."""
        from fsspec.implementations.local import LocalFileSystem

        is_local = isinstance(self._files, LocalFileSystem)
        return Path(self._path) if is_local else None

    @property
    def exists(self) -> bool:
        """Whether the file or folder exists."""
        return bool(self._files.exists(self._path))

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder."""
        return bool(self._files.isdir(self._path))

    @property
    def size(self) -> int:
        """Size of the file in bytes."""
        return int(self._files.size(self._path))

    @property
    def modified(self) -> float | None:
        """Time of the last modification, in seconds; None if it is unknown."""
        with suppress(NotImplementedError, AttributeError, KeyError):
            return float(self._files.modified(self._path).timestamp())
        return None

    def names(self) -> set[str]:
        """Names of the files and folders in this folder; empty if it does not exist."""
        with suppress(FileNotFoundError, NotADirectoryError):
            self.refresh()
            return {
                Location(str(path)).name
                for path in self._files.ls(self._path, detail=False)
            }
        return set()

    def finished_names(self) -> set[str]:
        """Like `names`, without temporary files."""
        return {name for name in self.names() if not _is_temporary(name)}

    def files(self) -> list[Location]:
        """All files in this folder and its subfolders, sorted by name."""
        found = sorted(self._files.find(self._path))
        return [Location(self._files.unstrip_protocol(path)) for path in found]

    def make_folder(self) -> None:
        """Create the folder if it does not exist."""
        self._files.makedirs(self._path, exist_ok=True)

    def remove(self) -> None:
        """Remove the file, or the folder with its content."""
        self._files.rm(self._path, recursive=True)

    def remove_if_empty(self) -> None:
        """Remove the folder unless it contains something."""
        with suppress(OSError, NotImplementedError):
            if not self.names():
                # Fails if another process has written to it meanwhile.
                self._files.rmdir(self._path)

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """Open the file for reading."""
        with self._files.open(self._path, "rb") as file:
            yield file

    def refresh(self) -> None:
        """Forget cached listings, which lack what another process has just written."""
        self._files.invalidate_cache()

    def content(self) -> bytes | None:
        """All bytes of the file; None if it does not exist."""
        try:
            with self.opened() as file:
                return file.read()
        except FileNotFoundError:
            return None

    def sha256(self) -> str:
        """Checksum of the file."""
        digest = hashlib.sha256()
        with self.opened() as file:
            while block := file.read(8 * 2**20):
                digest.update(block)
        return digest.hexdigest()

    def create(self, content: bytes) -> bool:
        """Write a new file; return False if it exists or another process wrote it.

        >>> import tempfile
        >>> location = Location(tempfile.mkdtemp()).child("notes.txt")
        >>> location.create(b"Mine."), location.create(b"Yours.")
        (True, False)
        """
        for mode in ("xb", "wb"):
            # Many object stores accept "xb", but overwrite a file that exists.
            self.refresh()
            if self.exists:
                return False
            try:
                with self._files.open(self._path, mode) as file:
                    file.write(content)
                break
            except FileExistsError:
                return False
            except (NotImplementedError, ValueError):
                # Others do not have that mode.
                if mode == "wb":
                    raise
        # Another machine may have written it at the same time.
        self.refresh()
        return self.content() == content

    @contextmanager
    def atomic_write(self) -> Iterator[BinaryIO]:
        """Open a temporary file for writing; without an error, it gets this name.

        >>> location = Location("memory://corpus/notes.txt")
        >>> with location.atomic_write() as file:
        ...     _ = file.write(b"All is well.")
        >>> location.size
        12
        """
        folder, _, name = self._path.rpartition("/")
        temporary = f"{folder}/.{name}.{uuid.uuid4().hex}"
        try:
            with self._files.open(temporary, "wb") as file:
                yield file
            if self.local_path is not None:
                publish(Path(temporary), self.local_path)
            else:
                self._files.mv(temporary, self._path)
        except BaseException as error:
            with suppress(OSError):
                self._files.rm(temporary)
            if isinstance(error, OSError) and error.filename is None:
                # The error of a full disk does not name the file.
                error.filename = self.address
            raise

    def remove_temporary_files(self, *, before: float) -> None:
        """Remove temporary files of killed processes from this folder.

        Parameters
        ----------
        before
            Time in seconds; later files may belong to a process that is still running.
        """
        for name in filter(_is_temporary, self.names()):
            temporary = self.child(name)
            with suppress(FileNotFoundError):
                if (temporary.modified or 0.0) < before:
                    temporary.remove()

    @cached_property
    def _files(self) -> Any:
        return self._found[0]

    @cached_property
    def _path(self) -> str:
        return str(self._found[1])

    @cached_property
    def _found(self) -> tuple[Any, Any]:
        with requiring(
            "A corpus or a folder of shards", package="fsspec", extra="corpus"
        ):
            from fsspec.core import url_to_fs
        try:
            found: tuple[Any, Any] = url_to_fs(self.address)
        except (ValueError, ImportError) as error:
            raise InputError(
                f"fsspec cannot open the address {self.address!r}: {error}.",
                hint="Check the spelling; some kinds of storage need another package.",
            ) from error
        return found

    def __getstate__(self) -> dict[str, str]:
        return {"address": self.address}  # connections cannot be pickled

    def __setstate__(self, state: dict[str, str]) -> None:
        object.__setattr__(self, "address", state["address"])


def _is_temporary(name: str) -> bool:
    return re.fullmatch(r"\..+\.[0-9a-f]{32}", name) is not None


def inputs_of(
    source: Location, suffixes: tuple[str, ...] = (*_SUFFIXES,)
) -> list[Location]:
    """Files of rows: the source itself, or those in a folder and its subfolders."""
    if not source.exists:
        raise InputError(
            f"{source.address} does not exist.",
            hint="Pass an existing file or folder.",
        )
    is_folder = source.is_folder
    found = source.files() if is_folder else [source.absolute]
    found = [
        file
        for file in found
        if file.name.lower().endswith(suffixes)
        and not (is_folder and file.name.startswith((".", "_")))
    ]
    if not found:
        raise InputError(
            f"{source.address} contains no table in a known format."
            if is_folder
            else f"{source.address} has an unknown format.",
            hint="Decompress it first."
            if source.address.endswith(_COMPRESSED)
            else f"Files must end in {', '.join(suffixes)}.",
        )
    return found


def version_of(files: list[Location]) -> list[tuple[str, int, float | None]]:
    """Address, size and modification time of each file: equal if it is unchanged."""
    return [(file.address, file.size, file.modified) for file in files]


def require_unchanged(versions: list[tuple[str, int, float | None]]) -> None:
    """Require that files are as they were: rows may have been read from both."""
    for version in versions:
        file = Location(version[0])
        file.refresh()
        if not file.exists or version_of([file]) != [version]:
            raise InputError(
                f"the input {file.address} changed while it was being read.",
                hint="Start again with another output.",
            )


def require_target(target: Location, format: Format | None) -> None:
    """Require a target and a format that the result can be written to."""
    if Format.CSV in (target.format, format):
        raise InputError(
            f"the output {target.address} is CSV, which cannot hold lists.",
            hint="Use Parquet or JSON lines.",
        )
    if target.format is None and target.address.lower().endswith(_FILE_SUFFIXES):
        raise InputError(
            f"the output {target.address} has an unknown format.",
            hint="Name a folder, or a file that ends in .parquet or .jsonl.",
        )
    if None not in (target.format, format) and target.format is not format:
        raise InputError(
            f"format is {format}, but the output is {target.address}.",
            hint="Leave the format out, or name a folder.",
        )
