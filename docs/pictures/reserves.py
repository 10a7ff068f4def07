"""Planning units of the guide to conservation: species, and the reserve within 600."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from facilities import names_of
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from thatch.plot.drawing import ORANGE, in_house_style, save_both_themes

PICTURE = Path(__file__).parents[1] / "images" / "reserves.png"


def drawn(names: dict[str, Any]) -> Figure:
    """The grid of units, darker for more species, with a frame around the chosen."""
    grid, survey = names["grid"], names["survey"]
    richness = np.zeros((20, 20))
    for unit, count in survey["unit"].value_counts().items():
        x, y = grid[int(unit[1:])]
        richness[y, x] = count
    with in_house_style():
        figure = Figure(figsize=(5.6, 4.2), layout="constrained")
        axes = figure.subplots()
        cells = axes.imshow(richness, cmap="Blues", origin="lower", vmin=0)
        for unit in names["result"].selection.labels:
            x, y = grid[int(unit[1:])]
            frame = Rectangle((x - 0.5, y - 0.5), 1, 1, fill=False, edgecolor=ORANGE)
            frame.set_linewidth(2.2)
            axes.add_patch(frame)
        frame.set_label("protected unit")
        axes.set_xticks([])
        axes.set_yticks([])
        figure.colorbar(cells, ax=axes, label="species in the unit", shrink=0.85)
        axes.legend(
            loc="lower left", bbox_to_anchor=(0, 1), frameon=False, borderaxespad=0.2
        )
    return figure


def main() -> None:
    """Draw into the file given, or into the documentation."""
    figure = drawn(names_of("conservation.md"))
    save_both_themes(figure, sys.argv[1] if len(sys.argv) > 1 else PICTURE)


if __name__ == "__main__":
    main()
