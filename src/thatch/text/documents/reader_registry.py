"""Readers of documents by file suffix: the built-in ones, and those of other packages.

A package adds a reader by an entry point of the group ``thatch.readers``. Its name is
the suffix and its value the function that reads such files::

    [project.entry-points."thatch.readers"]
    chat = "my_package.chat_logs:read"
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Protocol

from thatch.errors import FileFormatError, PluginError, ThatchError
from thatch.text.documents.document import Document

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

#: The group of the entry points.
GROUP = "thatch.readers"

#: The entry points of thatch itself, as pyproject.toml declares them. They are listed
#: here as well so that the most frequent suffixes need no search through the metadata
#: of all installed packages.
BUILT_IN = {
    suffix: f"thatch.text.documents.{reader}"
    for reader, suffixes in {
        "plain_text:read": "txt",
        "plain_text:read_markdown": "markdown md mdown mkd",
        "rst:read": "rst rest",
        "asciidoc:read": "adoc asciidoc",
        "latex:read": "tex latex",
        "html:read": "html htm xhtml",
        "pdf:read": "pdf",
        "docx:read": "docx",
        "epub:read": "epub",
        "subtitles:read": "srt vtt",
        "mail:read": "eml",
        "mail:read_mailbox": "mbox",
    }.items()
    for suffix in suffixes.split()
}


class Reader(Protocol):
    """A function from the content of a file to a document."""

    def __call__(self, content: bytes, path: Path, *, encoding: str | None) -> Document:
        """Return the document.

        Parameters
        ----------
        content
            The bytes of the file; readers open no file.
        path
            The name of the file, for the name of the document and for errors.
        encoding
            The encoding that the user named, or None.
        """


def reader_of(suffix: str) -> Reader | None:
    """Return the reader of files with a suffix; None where no reader is registered.

    Built-in readers take precedence: installing a package never changes how files are
    read that thatch reads itself. Whatever a reader raises becomes a FileFormatError,
    except MemoryError, KeyboardInterrupt and SystemExit.

    >>> reader = reader_of(".MD")
    >>> reader(b"# Notes", Path("notes.md"), encoding=None).blocks[0].kind.value
    'heading'
    >>> reader_of(".unknown") is None
    True
    """
    name = _normalized(suffix)
    if name in BUILT_IN:
        load = partial(resolve_name, BUILT_IN[name])
        return _loaded(load, f"the reader of .{name} files", _install_hint)
    found = _entry_points(tuple(sys.path)).get(name, ()) if name else ()
    if not found:
        return None
    if len(found) > 1:
        values = " and ".join(entry_point.value for entry_point in found)
        raise PluginError(
            f"{len(found)} readers are registered for .{name}: {values}.",
            hint="Uninstall one of the packages.",
        )
    entry = found[0]
    return _loaded(
        entry.load,
        f"the entry point '{GROUP}: {entry.name} = {entry.value}'",
        lambda: "Reinstall or update the package that registers it.",
    )


def suffixes() -> tuple[str, ...]:
    """Suffixes that have a reader: the built-in ones, then others in order."""
    added = sorted(_entry_points(tuple(sys.path)).keys() - BUILT_IN.keys())
    return tuple(f".{name}" for name in [*BUILT_IN, *added])


def _normalized(suffix: str) -> str:
    return suffix.lower().removeprefix(".")


@lru_cache(maxsize=1)
def _entry_points(path: tuple[str, ...]) -> dict[str, list[EntryPoint]]:
    """Entry points of the packages on the path, by suffix; read once per path."""
    del path  # what the result depends on
    from importlib.metadata import entry_points

    found: dict[str, list[EntryPoint]] = {}
    for entry_point in entry_points(group=GROUP):
        found.setdefault(_normalized(entry_point.name), []).append(entry_point)
    return found


def _install_hint() -> str:
    from thatch.errors.installation import install_command

    return f"Run: {install_command('files')}"


def _loaded(load: Callable[[], Reader], name: str, hint: Callable[[], str]) -> Reader:
    try:
        read = load()
    except ThatchError:
        raise
    except Exception as error:
        raise PluginError(
            f"{name} cannot be loaded: {_described(error)}.", hint=hint()
        ) from error
    return _checked(read, name)


def _checked(read: Reader, name: str) -> Reader:
    """The reader, with every error of its own as one that names the file."""

    def checked(content: bytes, path: Path, *, encoding: str | None) -> Document:
        try:
            document = read(content, path, encoding=encoding)
        except (ThatchError, MemoryError, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a panic of Rust code is not an Exception
            raise FileFormatError(
                path,
                f"{name} failed: {_described(error)}.",
                hint="Check the file, or report it to the authors of the reader.",
            ) from error
        if not isinstance(document, Document):
            raise PluginError(
                f"{name} returned {type(document).__name__}; a Document was expected.",
                hint="Report it to the authors of the reader.",
            )
        return document

    return checked


def _described(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
