"""Four sentences and their words as a graph, with the best two sentences chosen."""

from __future__ import annotations

import sys
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

import thatch
from thatch.plot.drawing import BLUE, GREY, ORANGE, in_house_style, save_both_themes
from thatch.text import TfIdf

TEXT = (
    "The bridge closed on Monday. Engineers found cracks in two piers. "
    "Cracks in two piers closed the bridge. Ferries run instead."
)
PICTURE = Path(__file__).parents[1] / "images" / "graph.png"


def drawn(summary: thatch.Summary) -> Figure:
    """Sentences on the left, words on the right, edges between them."""
    texts = [passage.text for passage in summary.task.passages]
    names = summary.task.concept_names
    with in_house_style():
        figure = Figure(figsize=(7.0, 3.6), layout="constrained")
        axes = figure.subplots()
        selection = summary.result.selection
        problem = selection.problem
        item_height = _heights(problem.num_items)
        element_height = _heights(problem.num_elements)
        for i in range(problem.num_items):
            color = BLUE if i in selection.items else GREY
            for a in problem.edges.elements_of(i).tolist():
                ends = [item_height[i], element_height[a]]
                axes.plot([0, 1], ends, color=color, linewidth=0.9, zorder=1)
            note = f"{texts[i]}  {problem.costs[i]:.0f}"
            _node(axes, 0, item_height[i], color, note)
        for a, name in enumerate(names):
            color = ORANGE if selection.covered[a] else GREY
            note = f"{name}  {problem.weights[a]:.2f}"
            _node(axes, 1, element_height[a], color, note)
        axes.text(-0.02, 1.07, "items and their costs (words)", ha="right")
        axes.text(1.02, 1.07, "elements and their weights", ha="left")
        axes.set_xlim(-1.25, 1.65)
        axes.axis("off")
        figure.canvas.draw()
    return figure


def _heights(count: int) -> list[float]:
    return [1.0 - (k + 0.5) / count for k in range(count)]


def _node(axes: Axes, x: int, y: float, color: str, note: str) -> None:
    axes.plot([x], [y], "o", markersize=8, color=color, zorder=2)
    side = "right" if x == 0 else "left"
    gap = -0.04 if x == 0 else 0.04
    axes.text(x + gap, y, note, ha=side, va="center", color=color)


def main() -> None:
    """Draw into the file given, or into the documentation."""
    content_words = TfIdf(remove_stop_words=True)
    summary = thatch.summarize(TEXT, budget=11, concepts=content_words, readability=0.0)
    save_both_themes(drawn(summary), sys.argv[1] if len(sys.argv) > 1 else PICTURE)


if __name__ == "__main__":
    main()
