"""Options that several commands have, and how answers leave them."""

from __future__ import annotations

import enum
import sys
from pathlib import Path
from typing import Annotated

import typer

from thatch import __version__


class Format(enum.StrEnum):
    """How an answer is printed."""

    TEXT = "text"
    JSON = "json"


Budget = Annotated[
    float | None,
    typer.Option(help="Most total cost allowed; replaces the one in the file."),
]
UnitCosts = Annotated[
    bool, typer.Option("--unit-costs", help="Count items: every cost becomes 1.")
]
Seed = Annotated[int, typer.Option(min=0, help="Same seed, same answer.")]
Threads = Annotated[
    int | None, typer.Option(min=1, help="Threads to use; all cores unless given.")
]
Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", help="File to write; standard output unless given."),
]


def show_version(is_asked: bool) -> None:
    """Print the version and leave, if asked to."""
    if is_asked:
        typer.echo(f"thatch {__version__}")
        raise typer.Exit


def deliver(text: str, output: Path | None) -> None:
    """Write the answer to its file, whole or not at all, or to standard output."""
    from thatch.whole_files import replacing

    if output is None or str(output) == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    with replacing(output) as draft:
        draft.write_text(text, encoding="utf-8")
