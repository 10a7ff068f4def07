"""Output of commands: answers to standard output or a file, messages to stderr."""

from __future__ import annotations

import enum
import re
import sys
from collections.abc import Sequence
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from thatch import __version__
from thatch.errors import InputError
from thatch.files.atomic_writes import atomic_write, require_writable

if TYPE_CHECKING:
    from thatch.problem.selection import Selection
    from thatch.run.result import Result
    from thatch.solvers.covering.covering import CoverResult

# A terminal interprets control characters and reorders text at bidirectional overrides.
# They are escaped there, except tabs and line ends. The escapes are valid in JSON, too.
_CONTROL_CHARACTERS = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)"
)


class Format(enum.StrEnum):
    """Output formats."""

    TEXT = "text"
    JSON = "json"


def print_version(is_requested: bool) -> None:
    """Print the version and exit, if requested."""
    if is_requested:
        typer.echo(f"thatch {__version__}")
        raise typer.Exit


def one_line(text: str) -> str:
    """Escape line breaks and other control characters."""
    if text.isprintable():
        return text
    return "".join(
        character
        if character.isprintable()
        else character.encode("unicode_escape").decode()
        for character in text
    )


def for_terminal(text: str) -> str:
    r"""Escape what a terminal would interpret instead of showing it.

    >>> for_terminal("\a\x1b[2J is shown.\n")
    '\\u0007\\u001b[2J is shown.\n'
    """
    return _CONTROL_CHARACTERS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def notify(message: str) -> None:
    """Write a message to standard error, on one line; an empty one is skipped."""
    if message:
        sys.stderr.write(f"{one_line(message)}\n")
        sys.stderr.flush()


def notify_skipped(path: Path, reason: str) -> None:
    """Say that a file was not read, and why."""
    notify(f"skipped {reason if str(path) in reason else f'{path}: {reason}'}")


def input_path(file: Path) -> Path:
    """Return the path to read: ``-`` is standard input."""
    from thatch.files.reading import STANDARD_INPUT

    return STANDARD_INPUT if str(file) == "-" else file


def require_targets(*targets: Path | None, source: Path) -> None:
    """Require writable targets that overwrite neither the source nor each other."""
    taken = set()
    for target in targets:
        if target is None:
            continue
        require_writable(target)
        resolved = _resolved(target)
        if resolved == _resolved(source):
            raise InputError(
                f"{target} is both input and output.",
                hint="Choose another output file.",
            )
        if resolved in taken:
            raise InputError(
                f"{target} is the target of two outputs.",
                hint="Choose another file for one of them.",
            )
        taken.add(resolved)


def require_outputs(output: Path | None, trace: Path | None, *, source: Path) -> None:
    """Require targets of a result and its trace; the former may be ``-``."""
    if str(trace) == "-":
        raise InputError(
            "--trace cannot write to standard output ('-').",
            hint="Name a file that ends in .csv.",
        )
    require_targets(None if str(output) == "-" else output, trace, source=source)


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except OSError:
        return path  # no such file can exist; reading it raises the reason


def share_at_most(share: float) -> str:
    """A share in percent, rounded up, as it is a bound.

    >>> share_at_most(0.0127), share_at_most(1e-6)
    ('1.27 %', '0.01 %')
    """
    # The product may be off in its last digits: 0.29 is 29 %.
    return f"{ceil(round(10_000 * share, 6)) / 100 or 0.01:.2f} %"


def gap_in_words(gap: float) -> str:
    """What a gap says about a selection, as the page and the report say it.

    >>> gap_in_words(0.0), gap_in_words(0.0127)
    ('proved best', 'at most 1.27 % below the best possible')
    """
    # Smaller ones are rounding errors: the page and the report take them so, too.
    if gap < 1e-6:
        return "proved best"
    return f"at most {share_at_most(gap)} below the best possible"


def print_or_write(text: str, output: Path | None) -> None:
    """Write the text to the file, atomically, or to standard output."""
    try:
        if output is None or str(output) == "-":
            _print(text)
        else:
            shown = for_terminal(text) if _is_terminal(output) else text
            with atomic_write(output) as draft:
                draft.write_text(shown, encoding="utf-8", newline="\n")
    except UnicodeEncodeError as error:
        raise InputError(
            f"{error.object[error.start]!r} cannot be encoded as "
            f"{error.encoding.upper()}.",
            hint="Set PYTHONIOENCODING=utf-8, and check the encoding of the input.",
        ) from error


def _is_terminal(path: Path) -> bool:
    if not path.is_char_device():
        return False
    try:
        with path.open("wb", buffering=0) as device:
            return device.isatty()
    except OSError:
        return False  # writing to it raises the reason


def _print(text: str) -> None:
    if sys.stdout is None:
        raise InputError("standard output is closed.", hint="Name a file with -o.")
    sys.stdout.write(for_terminal(text) if sys.stdout.isatty() else text)
    sys.stdout.flush()


INTERRUPTED = 130
TERMINATED = 143


class JobInterruptedError(Exception):
    """An interrupt that has a message, such as how to resume."""


def print_result(
    result: Result | CoverResult,
    text: str,
    output: Path | None,
    trace: Path | None,
    *,
    advice: str = "",
) -> None:
    """Write the trace and the text of a result; an interrupt is an error."""
    from thatch.run.result import Status, write_trace

    if trace is not None:
        write_trace(result.trace, trace)
    print_or_write(text, output)
    if result.status is Status.INTERRUPTED:
        raise JobInterruptedError(
            f"Interrupted: this is the best selection found.{advice}"
        )


def aligned(rows: Sequence[Sequence[str]], sides: str) -> list[str]:
    """Lines of a table, with the side to which each column is aligned.

    >>> aligned([("item", "cost"), ("north", "12")], "<>")
    ['item   cost', 'north    12']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = zip(row, sides, widths, strict=True)
        lines.append("  ".join(f"{cell:{side}{width}}" for cell, side, width in cells))
    return [line.rstrip() for line in lines]


# The text format truncates longer selections; JSON lists all items.
_MAX_ROWS = 40


def selection_table(selection: Selection) -> list[str]:
    """Lines with the label and cost of each item, and what it alone covers."""
    rows = [("item", "cost", "covers alone")]
    for i, label, alone in zip(
        selection.items.tolist()[:_MAX_ROWS],
        selection.labels,
        selection.contributions.tolist(),
        strict=False,
    ):
        cost = float(selection.problem.costs[i])
        rows.append((one_line(str(label)), f"{cost:,.10g}", f"{alone:,.10g}"))
    lines = aligned(rows, "<>>")
    if len(selection) > _MAX_ROWS:
        lines.append(
            f"... and {len(selection) - _MAX_ROWS} more; --format json lists all"
        )
    return lines
