"""``thatch pack``."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thatch.cli.output import aligned, notify, one_line, print_or_write, require_targets
from thatch.cli.parameters import Encoding, Output, argument
from thatch.context.select_settings import PackSettings
from thatch.errors import InputError

if TYPE_CHECKING:
    from thatch.context.packing.packed_files import PackedFile, PackedFiles

Paths = Annotated[
    list[Path] | None,
    argument("PATHS", "Files and folders.  [default: the current folder]"),
]
Explain = Annotated[
    bool,
    typer.Option(
        "--explain", help="List all files that were left out, with the reasons."
    ),
]
Quiet = Annotated[
    bool,
    typer.Option(
        "-q", "--quiet", help="Print no table of files, only warnings and the prompt."
    ),
]


def pack_command(
    paths: Paths = None,
    *,
    pack: PackSettings,
    encoding: Encoding = None,
    explain: Explain = False,
    quiet: Quiet = False,
    output: Output = None,
) -> None:
    """Pack the parts of files that matter into a prompt."""
    given = paths or [Path()]
    target = None if str(output) == "-" else output
    for path in given:
        require_targets(target, source=path)
    if target is not None:
        own = excluded_output(target, given)
        pack = replace(pack, exclude=(*pack.exclude, *own))
    packed = pack.packed(given, encoding=encoding)
    notify(packed.unit.note)
    for warning in packed.warnings:
        notify(f"warning: {warning}")
    print_or_write(as_text(packed), output)
    if not quiet:
        sys.stderr.write(table(packed, is_explained=explain))


_GLOB_SIGNS = re.compile(r"([*?\[\]\\! #])")
# How prompts begin: XML, JSON, Markdown, and text with the name of a file.
_PROMPT = re.compile(
    r"""<documents>\n<document\ source= | \[\n\{"source":\ " | \#\#\ .+\n\n```
    | (?P<file>.+?)(?:,\ lines\ [\d,\ -]+)?:\n""",
    re.VERBOSE,
)


def excluded_output(output: Path, paths: list[Path]) -> tuple[str, ...]:
    """Patterns that leave the output file out of the prompt.

    There is one if the file is in a folder that is packed: the prompt of an earlier run
    is not part of the next one. Any other file there would be lost: it is an error.

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
            f"{output} exists in a folder to pack, and is not an earlier prompt.",
            hint="Choose another output file, or delete this one.",
        )
    return ("/" + _GLOB_SIGNS.sub(r"\\\1", below.as_posix()),)


def _normal(path: Path) -> Path:
    return Path(os.path.normpath(path.absolute()))


def _is_prompt(file: Path, root: Path) -> bool:
    """Whether a file is empty, or begins as prompts do."""
    with file.open(encoding="utf-8", errors="replace") as stream:
        max_characters = 5000
        start = stream.read(max_characters)
    found = _PROMPT.match(start)
    if not start or found is None:
        return not start
    return found["file"] is None or (root / found["file"]).is_file()


_NAMES = ("file", "chunks", "size", "left out")


def as_text(packed: PackedFiles) -> str:
    """The prompt, with a final line break unless it is empty or has no room for it."""
    has_room = packed.unit.measure(packed.text + "\n") <= packed.budget
    return packed.text + "\n" if packed.text and has_room else packed.text


def table(packed: PackedFiles, *, is_explained: bool) -> str:
    """What of each file is in the prompt, and what was left out."""
    chosen = [file for file in packed.files if file.num_selected]
    others = [file for file in packed.files if not file.num_selected]
    # A longer list is cut off, unless all files are to be listed.
    shown = packed.files if is_explained else chosen[:40]
    lines = aligned([_NAMES, *map(_row, shown)], "<>><") if shown else []
    if len(shown) < len(chosen):
        lines.append(f"... and {len(chosen) - len(shown)} more; --explain lists all")
    if others and not is_explained:
        lines += _counted(
            "left out", Counter(_short(file.reason) for file in others), len(others)
        )
    if is_explained:
        lines += [f"not read: {file.path} ({file.reason})" for file in packed.skipped]
    elif packed.skipped:
        reasons = Counter(file.reason.partition(":")[0] for file in packed.skipped)
        lines += _counted("not read", reasons, len(packed.skipped))
    lines.append(_total(packed, len(chosen)))
    return "".join(f"{one_line(line)}\n" for line in lines)


def _total(packed: PackedFiles, num_chosen: int) -> str:
    context = packed.context
    return (
        f"{num_chosen:,} of {len(packed.files):,} files, {len(context.chunks):,} of "
        f"{len(context.chunks) + len(context.dropped):,} chunks, "
        f"{packed.tokens:,.10g} of {packed.budget:,.10g} {context.unit}"
    )


def _row(file: PackedFile) -> tuple[str, ...]:
    chunks = f"{file.num_selected}/{file.num_chunks}" if file.num_chunks else ""
    size = f"{file.tokens:,.10g}" if file.num_selected else ""
    return one_line(file.path), chunks, size, one_line(file.reason)


def _short(reason: str) -> str:
    """The reason without the name of another file."""
    return "repeating another file" if reason.startswith("says ") else reason


def _counted(what: str, reasons: Counter[str], total: int) -> list[str]:
    # A table has room for five reasons.
    named = reasons.most_common(5)
    listed = "; ".join(f"{count:,} {reason}" for reason, count in named)
    num_others = total - sum(count for _, count in named)
    more = f"; {num_others:,} for other reasons" if num_others else ""
    return [f"{what}: {listed}{more}"]
