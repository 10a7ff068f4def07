"""Rules of ``.gitignore`` files, as git applies them while it walks down folders."""

from __future__ import annotations

import re
import stat
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from thatch.errors import InputError

_FILE = ".gitignore"
# A named group, of which a regular expression may have one only.
_GROUP = re.compile(r"\(\?P<\w+>")
_NOTHING = r"(?!)"
# At the end, it stands for what is in a folder; pathspec includes the folder itself.
_ALL_BELOW = re.compile(r"(?<=/)\*\*(?=/?\s*\Z)")
# What "*", "**" between two slashes, and one other character become in pathspec.
_STAR = r"\[\^/\]\*"
_FOLDERS = r"\(\?:/\.\+\)\?"
_ONE = r"(?:\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[^\\/()\[\]*+?^$|])"
_NEGATED_CLASS = re.compile(r"(?<!\\)\[\^(?!/)")
_SEVERAL_STARS = re.compile(rf"(?:{_STAR}){{2,}}")
_UP_TO_STAR = re.compile(rf"{_STAR}((?:(?!{_STAR}){_ONE})+)(?={_STAR})")
_UP_TO_FOLDERS = re.compile(rf"{_FOLDERS}(.+?)(?={_FOLDERS})")
# A regular expression of a path, and whether a match means "ignored".
Pattern = tuple[re.Pattern[str], bool]


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """Patterns of one folder; those of the folders above it apply after them.

    >>> rules = IgnoreRules("", compiled(["*.log", "!keep.log"]))
    >>> rules.ignores("a/b.log"), rules.ignores("a/keep.log")
    (True, False)
    """

    #: The folder, relative to the top, with a slash at the end; empty for the top.
    base: str
    #: The patterns, the last one first.
    patterns: tuple[Pattern, ...]
    #: The rules of the folders above.
    above: IgnoreRules | None = None
    #: Matches what one of the patterns matches, in one search: most paths do not.
    any_pattern: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        sources = (_GROUP.sub("(?:", regex.pattern) for regex, _ in self.patterns)
        joined = "|".join(f"(?:{source})" for source in sources)
        with _nested_sets_allowed():
            object.__setattr__(self, "any_pattern", re.compile(joined or _NOTHING))

    def ignores(self, path: str) -> bool:
        """Whether a file or a folder is ignored, if no folder above it is.

        The path is relative to the top; that of a folder has a slash at the end.
        """
        rules: IgnoreRules | None = self
        while rules is not None:
            relative = path[len(rules.base) :]
            if rules.any_pattern.search(relative):
                for regex, is_ignored in rules.patterns:
                    if _is_match(regex, relative):
                        return is_ignored
            rules = rules.above
        return False

    def below(self, folder: str, path: Path) -> IgnoreRules:
        """Return the rules within a subfolder: those of its own file, then these.

        The folder is relative to the top, with a slash at the end, and also a path.
        """
        patterns = _patterns_of(path / _FILE)
        return IgnoreRules(folder, patterns, self) if patterns else self


def compiled(lines: Iterable[str]) -> tuple[Pattern, ...]:
    """Patterns of some lines, the last one first; comments and blank lines are none.

    >>> len(compiled(["# build", "", "*.log", "!keep.log"]))
    2
    """
    # Its import takes a tenth of a second, which folders without rules need not wait.
    from pathspec import GitIgnoreSpec

    patterns: list[Pattern] = []
    for line in lines:
        full = _ALL_BELOW.sub("**/*", line)
        try:
            with _nested_sets_allowed():
                (pattern,) = GitIgnoreSpec.from_lines([full]).patterns
                if pattern.include is not None and pattern.regex is not None:
                    linear = re.compile(_linear(pattern.regex.pattern))
                    patterns.append((linear, pattern.include))
        except (ValueError, re.error):
            continue  # git skips invalid patterns, such as a single "!", too
    return tuple(reversed(patterns))


def _linear(regex: str) -> str:
    r"""The same regular expression, in linear time also if a pattern has many stars.

    What lies between two stars is taken where it first occurs: if the rest does not
    match from there, it does not match from later on. An atomic group tries no other.

    >>> _linear(r"^[^/]*a[^/]*b[^/]*c(?:/|$)")
    '^(?>[^/]*?a)(?>[^/]*?b)[^/]*c(?:/|$)'
    """
    # To git, [!a] is no slash either.
    regex = _NEGATED_CLASS.sub("[^/", regex)
    regex = _SEVERAL_STARS.sub("[^/]*", regex)
    regex = _UP_TO_STAR.sub(r"(?>[^/]*?\1)", regex)
    return _UP_TO_FOLDERS.sub(r"(?>(?:/.+?)??\1(?=/))", regex)


def is_matched(path: str, patterns: Sequence[Pattern]) -> bool:
    """Whether a file is selected by patterns, either itself or by a folder above it.

    >>> is_matched("src/a/b.py", compiled(["src/**"]))
    True
    >>> is_matched("lib/b.py", compiled(["*.py", "!lib/"]))
    False
    """
    return next((wanted for regex, wanted in patterns if regex.search(path)), False)


def checked_patterns(patterns: Iterable[str], option: str) -> tuple[Pattern, ...]:
    """Patterns that a user gave, the last one first; each must be able to match."""
    for pattern in patterns:
        if not compiled([pattern]):
            raise InputError(
                f"{option} is {pattern!r}; it must be a pattern for file names.",
                hint="Use patterns such as '*.py' or 'src/**'.",
            )
    return compiled(patterns)


def rules_above(folder: Path) -> tuple[Path, IgnoreRules]:
    """Top folder that rules are relative to, and the rules that apply in a folder.

    In a repository, the top is its root, and the rules are those of
    ``.git/info/exclude`` and of all folders from the root down to `folder`. Otherwise
    the top is `folder`, which is absolute.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / ".gitignore").write_text("build/")
    >>> rules_above(folder)[1].ignores("build/")
    True
    """
    around = (folder, *folder.parents)
    top = next((each for each in around if (each / ".git").exists()), folder)
    rules = IgnoreRules("", _patterns_of(top / ".git" / "info" / "exclude"))
    rules = rules.below("", top)
    within = ""
    for name in folder.relative_to(top).parts:
        within += f"{name}/"
        rules = rules.below(within, top / within)
    return top, rules


def _patterns_of(path: Path) -> tuple[Pattern, ...]:
    try:
        # Git does not follow a link either; a pipe or a device may never end.
        if not stat.S_ISREG(path.lstat().st_mode):
            return ()
        content = path.read_bytes()
    except OSError:
        return ()  # no such file, most often
    # Git compares bytes; what is not UTF-8 matches no path that Python reads as such.
    text = content.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if not any(line.strip() and not line.startswith("#") for line in lines):
        return ()
    return compiled(lines)


@contextmanager
def _nested_sets_allowed() -> Iterator[None]:
    """No warnings of sets such as [[a], whose meaning may change in Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        yield


def _is_match(regex: re.Pattern[str], path: str) -> bool:
    """Whether a pattern matches the path itself, not only a folder above it.

    Pathspec also matches what is below a folder, and captures the slash there. Git
    does not: after ``*`` and ``!a/``, the file ``a/b`` is still ignored.
    """
    found = regex.search(path)
    if found is None:
        return False
    if found.lastindex is None or found.end() == len(path):
        return True
    # ``*/`` is a slash anywhere: the first one was found, the last one counts.
    return regex.search(path, len(path) - 1) is not None
