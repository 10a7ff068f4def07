"""The packages of thatch in layers, drawn from the imports in its source."""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

import thatch
from thatch.plot.drawing import BLUE, GREY, save_both_themes

PICTURE = Path(__file__).parents[1] / "images" / "architecture.png"
SOURCE = Path(thatch.__file__).parent
_WIDTH, _HEIGHT, _GAP = 1.9, 0.5, 0.35


def imports() -> dict[str, set[str]]:
    """The packages and modules that each package or module imports."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).with_suffix("").parts[0]
        if name.startswith("__"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                parts = node.module.split(".")
                if parts[0] == "thatch" and len(parts) > 1 and parts[1] != name:
                    found[name].add(parts[1])
        found[name] |= set()
    return dict(found)


def layers(graph: dict[str, set[str]]) -> dict[str, int]:
    """The layer of each package: one above the highest that it imports."""
    ranks: dict[str, int] = {}

    def rank(name: str) -> int:
        if name not in ranks:
            ranks[name] = 1 + max((rank(other) for other in graph[name]), default=-1)
        return ranks[name]

    for name in graph:
        rank(name)
    return ranks


def direct(graph: dict[str, set[str]]) -> list[tuple[str, str]]:
    """Imports that do not also follow from others."""

    def reached(name: str) -> set[str]:
        return set().union(*({other} | reached(other) for other in graph[name]))

    return [
        (name, other)
        for name in graph
        for other in graph[name]
        if not any(other in reached(between) for between in graph[name] - {other})
    ]


def placed(graph: dict[str, set[str]]) -> dict[str, tuple[float, float]]:
    """The center of each box: below those that import it, as far as possible."""
    ranks = layers(graph)
    places: dict[str, tuple[float, float]] = {}
    for rank in sorted(set(ranks.values()), reverse=True):
        row = [name for name in sorted(ranks) if ranks[name] == rank]
        above = {
            name: [places[user][0] for user, used in direct(graph) if used == name]
            for name in row
        }
        row.sort(key=lambda name: sum(above[name]) / max(1, len(above[name])))
        for k, name in enumerate(row):
            x = (k - (len(row) - 1) / 2) * (_WIDTH + _GAP)
            places[name] = x, rank * (_HEIGHT + 0.4)
    return places


def drawn(graph: dict[str, set[str]]) -> Figure:
    """Boxes in layers, the commands on top, with arrows to what they import."""
    places = placed(graph)
    figure = Figure(figsize=(9, 7.5))
    axes = figure.add_axes((0, 0, 1, 1))
    for name, other in direct(graph):
        (x, y), (u, v) = places[name], places[other]
        arrow = FancyArrowPatch(
            (x, y - _HEIGHT / 2),
            (u, v + _HEIGHT / 2),
            arrowstyle="-|>",
            mutation_scale=9,
            color=GREY,
            linewidth=0.8,
            shrinkA=0,
            shrinkB=0,
        )
        axes.add_patch(arrow)
    for name, (x, y) in places.items():
        box = FancyBboxPatch(
            (x - _WIDTH / 2, y - _HEIGHT / 2),
            _WIDTH,
            _HEIGHT,
            boxstyle="round,pad=0,rounding_size=0.1",
            facecolor="white",
            edgecolor=BLUE,
        )
        axes.add_patch(box)
        axes.text(x, y, name, ha="center", va="center", fontsize=11)
    axes.autoscale_view()
    axes.margins(0.03)
    axes.set_aspect("equal")
    axes.axis("off")
    return figure


def main() -> None:
    """Draw into the file given, or into the documentation."""
    save_both_themes(drawn(imports()), sys.argv[1] if len(sys.argv) > 1 else PICTURE)


if __name__ == "__main__":
    main()
