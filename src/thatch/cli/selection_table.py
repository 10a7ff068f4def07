"""The chosen items as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thatch.cli.output import one_line

if TYPE_CHECKING:
    from thatch.problem.selection import Selection

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
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = [
        f"{label:<{widths[0]}}  {cost:>{widths[1]}}  {alone:>{widths[2]}}"
        for label, cost, alone in rows
    ]
    if len(selection) > _MAX_ROWS:
        lines.append(
            f"... and {len(selection) - _MAX_ROWS} more; --format json lists all"
        )
    return lines
