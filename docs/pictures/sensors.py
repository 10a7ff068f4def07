"""The water network of the guide to sensors, with the eight sensors that it finds."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from facilities import names_of
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from thatch.plot.drawing import (
    BLUE,
    LIGHT_BLUE,
    LIGHT_GREY,
    ORANGE,
    in_house_style,
    save_both_themes,
)

PICTURE = Path(__file__).parents[1] / "images" / "sensors.png"


def drawn(names: dict[str, Any]) -> Figure:
    """Pipes, junctions by whether a contamination there is noticed, and sensors."""
    place, pipes, selection = names["place"], names["pipes"], names["result"].selection
    ends = place[list(zip(pipes["i"], pipes["j"], strict=True))]
    with in_house_style():
        figure = Figure(figsize=(6.4, 4.2), layout="constrained")
        axes = figure.subplots()
        axes.add_collection(LineCollection(ends, colors=LIGHT_GREY, linewidths=0.6))
        for here, color, label in (
            (selection.covered, LIGHT_BLUE, "noticed within half an hour"),
            (~selection.covered, ORANGE, "not noticed"),
        ):
            axes.scatter(*place[here].T, s=16, color=color, label=label, zorder=2)
        axes.scatter(
            *place[selection.items].T,
            s=70,
            marker="^",
            color=BLUE,
            edgecolors="white",
            label="sensor",
            zorder=3,
        )
        axes.set_aspect("equal")
        axes.axis("off")
        figure.legend(loc="outside right center", frameon=False)
    return figure


def main() -> None:
    """Draw into the file given, or into the documentation."""
    figure = drawn(names_of("sensors.md"))
    save_both_themes(figure, sys.argv[1] if len(sys.argv) > 1 else PICTURE)


if __name__ == "__main__":
    main()
