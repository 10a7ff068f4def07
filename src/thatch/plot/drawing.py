"""Elements of all figures: curves with error bars, levels, and the style."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

from thatch.errors import MissingExtraError
from thatch.files.atomic_writes import atomic_write

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, ORANGE, RED, GREEN, GREY = "#1f4e9c", "#c77f12", "#b3321f", "#2b7a4b", "#777777"
PURPLE = "#6b3fa0"
_LEVEL_STYLES = ((GREEN, "-."), (RED, "--"), (GREY, ":"), (PURPLE, (0, (6, 2))))


@dataclass(frozen=True)
class Curve:
    """Means and standard errors, one of each per price."""

    label: str
    means: Sequence[float]
    errors: Sequence[float]


@dataclass(frozen=True)
class Level:
    """A value that does not depend on the price."""

    label: str
    value: float


def draw_curve(
    axes: Axes, prices: Sequence[float], curve: Curve, *, color: str = BLUE
) -> None:
    """Draw the means with their standard errors."""
    axes.errorbar(
        prices,
        curve.means,
        yerr=curve.errors,
        label=curve.label,
        color=color,
        marker="o",
        markersize=3,
        linewidth=1,
        elinewidth=0.7,
        capsize=1.5,
    )


def draw_levels(axes: Axes, levels: Sequence[Level]) -> None:
    """Draw each level across the axes."""
    for level, (color, dashes) in zip(levels, cycle(_LEVEL_STYLES), strict=False):
        axes.axhline(
            level.value,
            color=color,
            linestyle=dashes,
            linewidth=1.1,
            label=level.label,
        )


@contextmanager
def in_house_style() -> Iterator[None]:
    """Use the fonts and sizes of all figures."""
    from matplotlib import rc_context

    with rc_context(
        {"font.family": "serif", "mathtext.fontset": "dejavuserif", "font.size": 9}
    ):
        yield


def save_png(figure: Figure, path: str | Path) -> None:
    """Save the figure as a PNG file, by an atomic write."""
    with atomic_write(path) as draft:
        figure.savefig(draft, dpi=200, format="png")


def require_matplotlib() -> None:
    """Require matplotlib.

    Raises
    ------
    MissingExtraError
        If it is not installed.
    """
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingExtraError(
            "Drawing figures", package="matplotlib", extra="plot"
        ) from None
