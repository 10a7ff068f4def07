"""How objects look in notebooks: small HTML tables, with everything escaped.

They need no style sheet, script or other resource, and take the colors of the page, so
that they can be read on light and dark backgrounds.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from thatch.errors import shortened

_BOX = "display:inline-block;vertical-align:top;max-width:100%;overflow-x:auto"
_TABLE = "border-collapse:collapse;margin:0.3em 1.5em 0.3em 0;font-size:inherit"
_CELL = "padding:0.15em 0.6em;background:transparent;color:inherit;border:none"
_LINE = f"{_CELL};border-bottom:1px solid rgba(128,128,128,0.4)"
# Longer texts would make tables too wide.


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of texts under headings; numbers are aligned on the right."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str | float]]
    #: How many further rows there are.
    num_left_out: int = 0


def as_html(
    title: str, facts: Mapping[str, str | float], table: Table | None = None
) -> str:
    """A title with facts, and a table next to them.

    Parameters
    ----------
    title
        What the object is.
    facts
        What is known of it, by name.
    table
        Its parts.

    >>> as_html("Result", {"value": 13.0})[:45]
    '<div class="thatch"><div><b><bdi>Result</bdi>'
    """
    rows = "".join(
        _row([escaped(name), text_of(value)], ["left", "left"], _CELL)
        for name, value in facts.items()
    )
    parts = [f"<div><b>{escaped(title)}</b></div>", _boxed(rows)]
    if table is not None and table.rows:
        parts.append(_boxed(_rows_of(table)))
    return f'<div class="thatch">{"".join(parts)}</div>'


def text_of(value: str | float) -> str:
    """A value as escaped text; numbers have separators and few decimals.

    >>> text_of(1234567.0), text_of(12.34567), text_of(0.00012345), text_of("a < b")
    ('1,234,567', '12.346', '0.0001234', '<bdi>a &lt; b</bdi>')
    """
    if isinstance(value, str):
        return escaped(value)
    if abs(value) < 1e15 and value == int(value):
        return f"{int(value):,}"
    return f"{value:,.3f}" if 1 <= abs(value) < 1e15 else f"{value:.4g}"


def escaped(text: str) -> str:
    """Text that a browser shows as it is, in its own direction of writing.

    >>> escaped("<script>")
    '<bdi>&lt;script&gt;</bdi>'
    """
    shown = "".join(
        each if each.isprintable() or each == "\n" else "�"
        for each in shortened(text, 300)
    )
    return f"<bdi>{escape(shown)}</bdi>"


def problem_as_html(problem: Any) -> str:
    """A coverage problem: all that this module knows are its fields."""
    facts: dict[str, str | float] = {
        "items": problem.num_items,
        "elements": problem.num_elements,
        "edges": problem.num_edges,
        "budget": problem.budget,
        "total cost": float(problem.costs.sum()),
        "total weight": float(problem.weights.sum()),
    }
    return as_html("CoverageProblem", facts)


def notebook_shell() -> Any | None:
    """The shell of the notebook that this process belongs to; None elsewhere.

    >>> notebook_shell() is None
    True
    """
    # Without a kernel it is no notebook, and then nothing needs to be imported.
    if "ipykernel" not in sys.modules or "IPython" not in sys.modules:
        return None
    shell = sys.modules["IPython"].get_ipython()
    return shell if hasattr(shell, "kernel") else None


def _boxed(rows: str) -> str:
    return f'<div style="{_BOX}"><table style="{_TABLE}">{rows}</table></div>'


def _rows_of(table: Table) -> str:
    sides = [_side(value) for value in table.rows[0]]
    headings = [f"<b>{escaped(heading)}</b>" for heading in table.headings]
    rows = [_row(headings, sides, _LINE)]
    rows += [_row(list(map(text_of, row)), sides, _CELL) for row in table.rows]
    if table.num_left_out:
        more = f"… and {table.num_left_out:,} more"
        rows.append(_row([more, *[""] * (len(sides) - 1)], sides, _CELL))
    return "".join(rows)


def _row(texts: Sequence[str], sides: Sequence[str], style: str) -> str:
    cells = "".join(
        f'<td style="{style};text-align:{side}">{text}</td>'
        for text, side in zip(texts, sides, strict=True)
    )
    return f'<tr style="background:transparent">{cells}</tr>'


def _side(value: str | float) -> str:
    return "left" if isinstance(value, str) else "right"
