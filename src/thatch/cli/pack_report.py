"""Packed files as text, and the table of what is in the prompt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from thatch.cli.output import one_line

if TYPE_CHECKING:
    from thatch.context.packed_files import PackedFile, PackedFiles

# The table truncates longer lists, unless all files are to be listed.
_MAX_FILES = 40
_MAX_REASONS = 5
_NAMES = ("file", "chunks", "size", "left out")


def as_text(packed: PackedFiles) -> str:
    """The prompt, with a final line break unless it is empty or has no room for it."""
    has_room = packed.unit.measure(packed.text + "\n") <= packed.budget
    return packed.text + "\n" if packed.text and has_room else packed.text


def table(packed: PackedFiles, *, is_explained: bool) -> str:
    """What of each file is in the prompt, and what was left out."""
    chosen = [file for file in packed.files if file.num_selected]
    others = [file for file in packed.files if not file.num_selected]
    shown = packed.files if is_explained else chosen[:_MAX_FILES]
    lines = _aligned([_NAMES, *map(_row, shown)]) if shown else []
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
    return file.path, chunks, size, file.reason


def _aligned(rows: Iterable[Sequence[str]]) -> list[str]:
    rows = [[one_line(cell) for cell in row] for row in rows]
    first, second, third = (max(len(row[c]) for row in rows) for c in range(3))
    return [
        f"{path:<{first}}  {chunks:>{second}}  {size:>{third}}  {reason}".rstrip()
        for path, chunks, size, reason in rows
    ]


def _short(reason: str) -> str:
    """The reason without the name of another file."""
    return "repeating another file" if reason.startswith("says ") else reason


def _counted(what: str, reasons: Counter[str], total: int) -> list[str]:
    named = reasons.most_common(_MAX_REASONS)
    listed = "; ".join(f"{count:,} {reason}" for reason, count in named)
    num_others = total - sum(count for _, count in named)
    more = f"; {num_others:,} for other reasons" if num_others else ""
    return [f"{what}: {listed}{more}"]
