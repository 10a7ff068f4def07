"""The output file of ``thatch pack``, which may be in a folder that is packed."""

from __future__ import annotations

import os
import re
from pathlib import Path

from thatch.errors import InputError

__all__ = ["excluded_output"]

_GLOB_SIGNS = re.compile(r"([*?\[\]\\! #])")
# How prompts begin: XML, JSON, Markdown, and text with the name of a file.
_PROMPT = re.compile(
    r"""<documents>\n<document\ source= | \[\n\{"source":\ " | \#\#\ .+\n\n```
    | (?P<file>.+?)(?:,\ lines\ [\d,\ -]+)?:\n""",
    re.VERBOSE,
)
_MAX_CHARACTERS = 5000


def excluded_output(output: Path, paths: list[Path]) -> tuple[str, ...]:
    """Patterns that leave the output file out of the prompt.

    There is one if the file is in a folder that is packed: the prompt of an earlier run
    is not part of the next one.

    Raises
    ------
    InputError
        If the file exists there, and is no such prompt, so that it would be lost.

    >>> excluded_output(Path("docs/all.md"), [Path("docs")])
    ('/all.md',)
    >>> excluded_output(Path("all.md"), [Path("docs")])
    ()
    """
    given = [_normal(path.expanduser()) for path in paths]
    target = _normal(output)
    if not any(path.is_dir() and target.is_relative_to(path) for path in given):
        return ()
    folders = [path if path.is_dir() else path.parent for path in given]
    root = Path(os.path.commonpath(folders))
    below = target.relative_to(root)
    if output.exists() and not _is_prompt(output, root):
        raise InputError(
            f"{output} is a source in a packed folder, not an earlier prompt.",
            hint="Choose another output file, or delete this one.",
        )
    return ("/" + _GLOB_SIGNS.sub(r"\\\1", below.as_posix()),)


def _normal(path: Path) -> Path:
    return Path(os.path.normpath(path.absolute()))


def _is_prompt(file: Path, root: Path) -> bool:
    """Whether a file is empty, or begins as prompts do."""
    with file.open(encoding="utf-8", errors="replace") as stream:
        start = stream.read(_MAX_CHARACTERS)
    found = _PROMPT.match(start)
    if not start or found is None:
        return not start
    return found["file"] is None or (root / found["file"]).is_file()
