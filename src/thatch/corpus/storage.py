"""Files and folders, on this disk or at any address that fsspec knows."""

from __future__ import annotations

import enum
import os
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, BinaryIO

from thatch.errors import InputError, MissingExtraError

__all__ = ["Format", "Place", "inputs_of", "require_target", "version_of"]


class Format(enum.StrEnum):
    """How rows are kept in a file."""

    PARQUET = "parquet"
    JSON_LINES = "jsonl"
    CSV = "csv"


_ENDINGS = {
    ".parquet": Format.PARQUET,
    ".pq": Format.PARQUET,
    ".jsonl": Format.JSON_LINES,
    ".ndjson": Format.JSON_LINES,
    ".csv": Format.CSV,
}
# Rows within such files cannot be read apart.
_PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")
# Nobody who names an output so wants a folder.
_NO_FOLDERS = (*_PACKED, ".json", ".txt", ".tsv", ".xlsx", ".arrow", ".feather")


@dataclass(frozen=True)
class Place:
    """A file or folder, by a path or an address such as ``s3://bucket/folder``.

    >>> Place("memory://corpus/news.csv").format.value
    'csv'
    """

    address: str

    @classmethod
    def of(cls, given: Place | str | os.PathLike[str]) -> Place:
        """The place of a path or address, the same for whoever is somewhere else."""
        if isinstance(given, Place):
            return given.absolute
        return cls(os.fspath(given)).absolute

    @property
    def format(self) -> Format | None:
        """How a file of this name keeps rows; None of other names."""
        lowered = self.address.lower().rstrip("/")
        endings = (f for ending, f in _ENDINGS.items() if lowered.endswith(ending))
        return next(endings, None)

    @property
    def absolute(self) -> Place:
        """The same place for whoever is somewhere else; addresses are that already."""
        is_address = "://" in self.address or "::" in self.address
        # Links stay as they are: on another machine they may lead elsewhere.
        return self if is_address else Place(os.path.abspath(self.address))  # noqa: PTH100

    def holds(self, other: Place) -> bool:
        """Whether the other is in this folder, or below."""
        return other.address.startswith(f"{self.address.rstrip('/')}/")

    def below(self, name: str) -> Place:
        """The file of that name in this folder."""
        return Place(f"{self.address.rstrip('/')}/{name}")

    @property
    def exists(self) -> bool:
        """Whether anything is there."""
        return bool(self._files.exists(self._path))

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder."""
        return bool(self._files.isdir(self._path))

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return int(self._files.size(self._path))

    @property
    def changed(self) -> float | None:
        """When the file was last written, in seconds; None where nobody knows."""
        with suppress(NotImplementedError, AttributeError, KeyError):
            return float(self._files.modified(self._path).timestamp())
        return None

    def names(self) -> set[str]:
        """Names of what is in this folder; none if there is no folder."""
        with suppress(FileNotFoundError, NotADirectoryError):
            # What another process has just made may not be in a cached listing.
            self._files.invalidate_cache()
            return {
                str(path).rstrip("/").rpartition("/")[2]
                for path in self._files.ls(self._path, detail=False)
            }
        return set()

    def settled_names(self) -> set[str]:
        """Names of what is in this folder, but for what is being written."""
        return {name for name in self.names() if not _is_draft(name)}

    def files(self) -> list[Place]:
        """All files in this folder and below, by name."""
        found = sorted(self._files.find(self._path))
        return [Place(self._files.unstrip_protocol(path)) for path in found]

    def make_folder(self) -> None:
        """Make the folder, if it is not there."""
        self._files.makedirs(self._path, exist_ok=True)

    def remove(self) -> None:
        """Remove the file or folder, with all that is in it."""
        self._files.rm(self._path, recursive=True)

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """The file, to be read."""
        with self._files.open(self._path, "rb") as file:
            yield file

    @contextmanager
    def appearing(self) -> Iterator[BinaryIO]:
        """A file to write, which takes this place whole, or not at all.

        >>> place = Place("memory://corpus/notes.txt")
        >>> with place.appearing() as file:
        ...     _ = file.write(b"All is well.")
        >>> place.size
        12
        """
        folder, _, name = self._path.rpartition("/")
        draft = f"{folder}/.{name}.{uuid.uuid4().hex}"
        try:
            with self._files.open(draft, "wb") as file:
                yield file
            self._files.mv(draft, self._path)
        except BaseException as error:
            with suppress(OSError):
                self._files.rm(draft)
            if isinstance(error, OSError) and error.filename is None:
                # A disk that is full does not say what could not be written.
                error.filename = self.address
            raise

    def remove_drafts(self, *, before: float) -> None:
        """Remove what processes that were killed have left in this folder.

        Parameters
        ----------
        before
            What was written later, in seconds, may be of one that is at work.
        """
        for name in filter(_is_draft, self.names()):
            draft = self.below(name)
            with suppress(FileNotFoundError):
                if (draft.changed or 0.0) < before:
                    draft.remove()

    @cached_property
    def _files(self) -> Any:
        return self._found[0]

    @cached_property
    def _path(self) -> str:
        return str(self._found[1])

    @cached_property
    def _found(self) -> tuple[Any, Any]:
        try:
            from fsspec.core import url_to_fs
        except ImportError as error:
            raise MissingExtraError(
                "Summarizing a corpus", package="fsspec", extra="corpus"
            ) from error
        try:
            found: tuple[Any, Any] = url_to_fs(self.address)
        except (ValueError, ImportError) as error:
            raise InputError(
                f"address must be one that fsspec can open, got {self.address!r}: "
                f"{error}.",
                hint="Check its spelling; some need a package of their own.",
            ) from error
        return found

    def __getstate__(self) -> dict[str, str]:
        return {"address": self.address}  # connections stay where they were made

    def __setstate__(self, state: dict[str, str]) -> None:
        object.__setattr__(self, "address", state["address"])


def _is_draft(name: str) -> bool:
    return re.fullmatch(r"\..+\.[0-9a-f]{32}", name) is not None


def inputs_of(place: Place) -> list[Place]:
    """Files of rows at a place: itself, or those in and below a folder, by name."""
    if not place.exists:
        raise InputError(
            f"{place.address} cannot be read: there is no such file or folder.",
            hint="Name a file, or a folder of them.",
        )
    is_folder = place.is_folder
    found = place.files() if is_folder else [place.absolute]
    found = [
        file
        for file in found
        if file.format is not None
        and not (is_folder and file.address.rpartition("/")[2].startswith((".", "_")))
    ]
    if not found:
        raise InputError(
            f"the input must hold files that end in {', '.join(_ENDINGS)}, got "
            f"{'none in ' * is_folder}{place.address}.",
            hint="Unpack it first."
            if place.address.endswith(_PACKED)
            else "Convert what there is to one of these.",
        )
    return found


def version_of(files: list[Place]) -> list[tuple[str, int, float | None]]:
    """What tells these files from others, and from what they were or will be."""
    return [(file.address, file.size, file.changed) for file in files]


def require_target(place: Place, format: Format | None) -> None:
    """Raise the error that says so if answers cannot be written there."""
    if Format.CSV in (place.format, format):
        raise InputError(
            f"the output must be Parquet or JSON lines, got {place.address}.",
            hint="Lists of sentences have no place in CSV.",
        )
    if place.format is None and place.address.lower().endswith(_NO_FOLDERS):
        raise InputError(
            f"the output must be a folder or end in .parquet or .jsonl, got "
            f"{place.address}.",
            hint="Name another.",
        )
    if None not in (place.format, format) and place.format is not format:
        raise InputError(
            f"format must be that of the output's name, got {format} for "
            f"{place.address}.",
            hint="Leave it out, or name a folder.",
        )
