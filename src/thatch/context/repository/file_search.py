"""Files below folders and repositories, without those that no prompt should contain."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from thatch.context.repository.file_kinds import (
    EXTRACTED_SUFFIXES,
    is_binary_name,
    is_skipped_folder,
    suffix_of,
    unwanted_kind,
)
from thatch.context.repository.ignore_rules import (
    IgnoreRules,
    Pattern,
    checked_patterns,
    compiled,
    is_matched,
    rules_above,
)
from thatch.errors import InputError, InputTypeError

#: Maximum size of a file that is found in a folder.
MAX_BYTES = 1 << 20
#: Maximum size of a file that is named, and of formats that need more bytes, as PDF.
MAX_NAMED_BYTES = 1 << 25


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to read.

    >>> FoundFile("src/roof.py", Path("/home/ada/roof/src/roof.py")).is_named
    False
    """

    #: Its path as shown: relative to the folder that was given, with slashes.
    shown: str
    #: Where it is.
    path: Path
    #: Size in bytes.
    num_bytes: int = 0
    #: Whether it was given itself, not found in a folder.
    is_named: bool = False


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file or folder that was left out.

    >>> SkippedFile("logo.png", "binary").reason
    'binary'
    """

    #: Its path as shown; that of a folder ends with a slash.
    path: str
    #: Why it was left out, in a few words.
    reason: str
    #: Whether it was given itself, not found in a folder.
    is_named: bool = False


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """Files that were found, and what was left out; both are sorted by path.

    >>> FoundFiles().files
    ()
    """

    #: The files to read.
    files: tuple[FoundFile, ...] = ()
    #: What was left out, except what ``.gitignore`` or the patterns exclude.
    skipped: tuple[SkippedFile, ...] = ()


def find_files(
    paths: Iterable[str | Path],
    *,
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
) -> FoundFiles:
    """Find the files in folders and their subfolders that are source text.

    In folders, what ``.gitignore`` files exclude is left out without notice; so are
    the repository's own data. Binary files, files above 1 MiB, generated files, such
    as ``package-lock.json``, files with secrets, such as ``.env``, links, installed
    packages and caches are left out as well, and listed. Files that `paths` names are
    found in any case. No file is opened, so more may turn out to be binary on reading.

    Parameters
    ----------
    paths
        Files and folders.
    include
        Patterns as in ``.gitignore``, such as ``*.py`` or ``src/**``, relative to the
        folder in `paths`, or to the folder that contains all of them. If there are
        any, only files that match are found. Generated files and those with secrets
        are found if a pattern names more of them than their suffix: ``*.min.js``.
    exclude
        Patterns of files and folders to leave out.

    Raises
    ------
    InputError
        If a path does not exist, or a pattern is empty.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in (".gitignore", "roof.py", "roof.log", "yarn.lock"):
    ...     _ = (folder / name).write_text("*.log")
    >>> found = find_files([folder])
    >>> [file.shown for file in found.files]
    ['.gitignore', 'roof.py']
    >>> [(file.path, file.reason) for file in found.skipped]
    [('yarn.lock', 'generated')]
    """
    for option, value in (("paths", paths), ("include", include), ("exclude", exclude)):
        if isinstance(value, str | Path):
            raise InputTypeError(
                f"{option} is {value!r}; a list was expected.", hint="Put it in a list."
            )
    given = [_existing(path) for path in paths]
    include = tuple(include)
    search = _Search(
        root=_common_folder(given),
        include=checked_patterns(include, "include"),
        named=compiled(pattern for pattern in include if is_specific(pattern)),
        exclude=checked_patterns(exclude, "exclude"),
    )
    for path in given:
        if path.is_dir():
            search.walk(path)
        else:
            search.add_named(path)
    return search.result()


def _existing(path: str | Path) -> Path:
    # The folder itself may be a link; what is below it is shown by the given name.
    absolute = Path(path).expanduser().absolute()
    try:
        if absolute.is_dir() or absolute.is_file():
            return Path(os.path.normpath(absolute))
        # It tells the reason: a loop of links is no file that does not exist.
        absolute.stat()
        reason = "is a pipe, a socket or a device"
        hint = "Save its output to a file, and pass that."
    except FileNotFoundError:
        reason = "does not exist"
        hint = "Check the path."
        if str(path) == "-":
            hint = "Save standard input to a file, and pass that."
    except (OSError, ValueError) as error:
        reason = f"cannot be read: {getattr(error, 'strerror', None) or error}"
        hint = "Check the path and its permissions."
    raise InputError(f"{path} {reason}; a file or a folder was expected.", hint=hint)


def _common_folder(paths: list[Path]) -> Path:
    """Folder that shown paths are relative to."""
    folders = [path if path.is_dir() else path.parent for path in paths]
    try:
        return Path(os.path.commonpath(folders))
    except ValueError:  # no paths, or paths on several drives
        return Path(os.sep)


class _Search:
    def __init__(
        self,
        *,
        root: Path,
        include: tuple[Pattern, ...],
        named: tuple[Pattern, ...],
        exclude: tuple[Pattern, ...],
    ) -> None:
        self._root = root
        self._include = include
        # What is included although it is generated or may contain secrets.
        self._named = named
        self._exclude = exclude
        self._files: dict[str, FoundFile] = {}
        self._skipped: dict[str, SkippedFile] = {}

    def result(self) -> FoundFiles:
        files = sorted(self._files.values(), key=lambda file: file.shown)
        skipped = (self._skipped[k] for k in sorted(self._skipped.keys() - self._files))
        return FoundFiles(tuple(files), tuple(skipped))

    def add_named(self, path: Path) -> None:
        shown = self._shown(path)
        num_bytes = path.stat().st_size
        self._files[shown] = FoundFile(shown, path, num_bytes, is_named=True)
        if num_bytes > MAX_NAMED_BYTES:
            del self._files[shown]
            self._skip(shown, _too_large(num_bytes), is_named=True)

    def walk(self, folder: Path) -> None:
        """Add the files below a folder."""
        top, rules = rules_above(folder)
        within = "" if folder == top else f"{folder.relative_to(top).as_posix()}/"
        shown = self._shown(folder)
        prefix = "" if shown == "." else f"{shown}/"
        # Folders to visit: as a path, as shown, relative to the top of their rules.
        stack = [(str(folder), prefix, within, rules, (top / ".git").exists())]
        while stack:
            path, shown, within, rules, in_repository = stack.pop()
            for entry in self._entries(path, shown):
                if entry.is_dir(follow_symlinks=False):
                    below = self._entered(entry, shown, within, rules, in_repository)
                    if below:
                        stack.append(below)
                else:
                    self._add(entry, shown + entry.name, within + entry.name, rules)

    def _entries(self, path: str, shown: str) -> Iterator[os.DirEntry[str]]:
        try:
            with os.scandir(path) as entries:
                yield from entries
        except OSError as error:
            self._skip(shown or "./", f"unreadable: {error.strerror or error}")

    def _entered(
        self,
        entry: os.DirEntry[str],
        shown: str,
        within: str,
        rules: IgnoreRules,
        in_repository: bool,
    ) -> tuple[str, str, str, IgnoreRules, bool] | None:
        """The subfolder to visit; None if it is left out."""
        shown += f"{entry.name}/"
        within += f"{entry.name}/"
        if entry.name == ".git" or rules.ignores(within):
            return None
        if is_matched(shown, self._exclude):
            return None
        path = Path(entry.path)
        if is_skipped_folder(entry.name) or (path / "pyvenv.cfg").exists():
            self._skip(shown, "packages, caches or history")
            return None
        if (path / ".git").exists():
            # Git does not look into it, either: most are copies of other projects.
            if in_repository:
                self._skip(shown, "of another repository")
                return None
            _, own_rules = rules_above(path)
            return entry.path, shown, "", own_rules, True
        return entry.path, shown, within, rules.below(within, path), in_repository

    def _add(
        self, entry: os.DirEntry[str], shown: str, within: str, rules: IgnoreRules
    ) -> None:
        name = entry.name
        if name == ".git" or rules.ignores(within) or is_matched(shown, self._exclude):
            return
        if self._include and not is_matched(shown, self._include):
            return
        if entry.is_symlink():
            self._skip(shown, "linked")
        elif not entry.is_file(follow_symlinks=False):
            self._skip(shown, "a pipe, a socket or a device")
        elif is_binary_name(name):
            self._skip(shown, "binary")
        elif (kind := unwanted_kind(name)) and not is_matched(shown, self._named):
            self._skip(shown, kind)
        else:
            self._add_by_size(entry, shown)

    def _add_by_size(self, entry: os.DirEntry[str], shown: str) -> None:
        try:
            num_bytes = entry.stat(follow_symlinks=False).st_size
        except OSError as error:
            self._skip(shown, f"unreadable: {error.strerror or error}")
            return
        is_compact = suffix_of(entry.name) in EXTRACTED_SUFFIXES
        if num_bytes > (MAX_NAMED_BYTES if is_compact else MAX_BYTES):
            self._skip(shown, _too_large(num_bytes))
        elif shown not in self._files:
            self._files[shown] = FoundFile(shown, Path(entry.path), num_bytes)

    def _skip(self, shown: str, reason: str, *, is_named: bool = False) -> None:
        self._skipped[shown] = SkippedFile(shown, reason, is_named)

    def _shown(self, path: Path) -> str:
        try:
            return path.relative_to(self._root).as_posix()
        except ValueError:  # on another drive
            return path.as_posix()


def is_specific(pattern: str) -> bool:
    """Whether a pattern names more than folders and a suffix of ordinary files."""
    name = pattern.rstrip("/").split("/")[-1]
    suffix = suffix_of(name)
    is_own_suffix = bool(unwanted_kind(f"name{suffix}"))
    return is_own_suffix or bool(name.removesuffix(suffix).strip("*?."))


def _too_large(num_bytes: int) -> str:
    return f"too large: {num_bytes / (1 << 20):,.1f} MiB"
