"""Markdown tables with aligned columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Table:
    """A header and rows; the first column has names, the others figures."""

    #: Marks its place in a document: below ``<!-- table: name -->``.
    name: str
    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]

    @property
    def markdown(self) -> str:
        """The table as Markdown, with aligned columns."""
        lines = [self.header, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
        padded = (
            [
                cell.ljust(width) if k == 0 else cell.rjust(width)
                for k, (cell, width) in enumerate(zip(line, widths, strict=True))
            ]
            for line in (self.header, rule, *self.rows)
        )
        return "\n".join(f"| {' | '.join(cells)} |" for cells in padded)


def write_into(document: Path, tables: Iterable[Table]) -> None:
    """Replace the tables of a document by new ones."""
    text = document.read_text(encoding="utf-8")
    for table in tables:
        mark = f"<!-- table: {table.name} -->\n\n"
        before, found, after = text.partition(mark)
        if not found:
            raise SystemExit(f"error: {document} has no line {mark.strip()}")
        rest = re.sub(r"\A(\|.*\n)*\n*", "", after)
        text = f"{before}{mark}{table.markdown}\n\n{rest}"
    document.write_text(text, encoding="utf-8")
