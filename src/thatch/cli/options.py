"""Options that several commands have, and how answers leave them."""

from __future__ import annotations

import enum
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from thatch import __version__


class Format(enum.StrEnum):
    """How an answer is printed."""

    TEXT = "text"
    JSON = "json"


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"it must be a number, got {text!r}.") from None


def _whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"it must be a whole number, got {text!r}.") from None


def number_option(help: str) -> Any:
    """Option that takes a number, and names what it got instead of one."""
    return typer.Option(parser=_number, metavar="NUMBER", help=help)


def whole_number_option(help: str) -> Any:
    """Option that takes a whole number, and names what it got instead of one."""
    return typer.Option(parser=_whole_number, metavar="N", help=help)


Budget = Annotated[
    float | None,
    number_option("Most total cost allowed; replaces the one in the file."),
]
UnitCosts = Annotated[
    bool, typer.Option("--unit-costs", help="Count items: every cost becomes 1.")
]
Seed = Annotated[int, whole_number_option("Same seed, same answer.")]
Threads = Annotated[
    int | None, whole_number_option("Threads to use; all cores unless given.")
]
MaxSecondsOfRequest = Annotated[
    float, number_option("The longest that one request may take.")
]
MaxMegabytes = Annotated[float, number_option("The largest request, in MiB.")]
Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", help="File to write; standard output unless given."),
]


def show_version(is_asked: bool) -> None:
    """Print the version and leave, if asked to."""
    if is_asked:
        typer.echo(f"thatch {__version__}")
        raise typer.Exit


def one_line(text: str) -> str:
    """The text with line breaks and other control characters made visible."""
    if text.isprintable():
        return text
    return "".join(
        character
        if character.isprintable()
        else character.encode("unicode_escape").decode()
        for character in text
    )


def opened(file: Path) -> Path:
    """The file to read: ``-`` stands for standard input."""
    return Path("/dev/stdin") if str(file) == "-" else file


def require_targets(*targets: Path | None, source: Path) -> None:
    """Raise what writing to the targets would raise, or if one would be lost by it."""
    from thatch.errors import InputError
    from thatch.files.atomic_writes import require_writable

    taken = {_real(source)}
    for target in targets:
        if target is None:
            continue
        require_writable(target)
        if _real(target) in taken:
            raise InputError(
                f"every output must be a file of its own, got {target} twice.",
                hint="Name another file.",
            )
        taken.add(_real(target))


def _real(path: Path) -> Path:
    try:
        return path.resolve()
    except OSError:
        return path  # no such file can exist; reading it says why


def deliver(text: str, output: Path | None) -> None:
    """Write the answer to its file, whole or not at all, or to standard output."""
    from thatch.errors import InputError
    from thatch.files.atomic_writes import atomic_write

    try:
        if output is None or str(output) == "-":
            _print(text)
        else:
            with atomic_write(output) as draft:
                draft.write_text(text, encoding="utf-8")
    except UnicodeEncodeError as error:
        raise InputError(
            f"the answer must be text that {error.encoding.upper()} can hold, got "
            f"{error.object[error.start]!r}.",
            hint="Set PYTHONIOENCODING=utf-8, and check how the input is encoded.",
        ) from error


def _print(text: str) -> None:
    from thatch.errors import InputError

    if sys.stdout is None:
        raise InputError(
            "standard output must be open, got a closed one.",
            hint="Name a file with -o.",
        )
    sys.stdout.write(text)
    sys.stdout.flush()
