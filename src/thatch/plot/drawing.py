"""Elements of all figures: curves with error bars, levels, and the style."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thatch.errors import InputError, InputTypeError, MissingExtraError, shortened
from thatch.files.atomic_writes import atomic_write
from thatch.plot.recoloring import recolored
from thatch.problem.selection import Selection
from thatch.run.result import Result
from thatch.solvers.covering.covering import CoverResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

BLUE, ORANGE, RED, GREEN, GREY = "#1f4e9c", "#c77f12", "#b3321f", "#2b7a4b", "#777777"
PURPLE = "#6b3fa0"
#: Tints, for what is in the background.
LIGHT_BLUE, LIGHT_GREY = "#8fb4e3", "#b8b8b8"
#: What replaces each color in the dark theme: text, lines and marks are light there.
DARK_PAPER = "#1f1d18"
DARK = {
    "#ffffff": DARK_PAPER,
    "#000000": "#ebe6d9",
    BLUE: "#8ab4f0",
    ORANGE: "#e5a850",
    RED: "#f08a76",
    GREEN: "#7cc598",
    GREY: "#a39d8f",
    PURPLE: "#bd9bf0",
    LIGHT_BLUE: "#44689c",
    LIGHT_GREY: "#625d51",
    "#cccccc": "#4a463b",  # frames of legends
    "#dddddd": "#37342b",  # bands
}
_THEMES = ("light", "dark")
_FORMATS = (".png", ".svg", ".pdf")
_LEVEL_STYLES = (
    *((GREEN, "-."), (RED, "--"), (GREY, ":"), (PURPLE, (0, (6, 2)))),
    ("black", (0, (1, 3))),
)


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
            level.value, color=color, linestyle=dashes, linewidth=1.1, label=level.label
        )


@contextmanager
def in_house_style() -> Iterator[None]:
    """Use the fonts and sizes of all figures."""
    from matplotlib import rc_context

    with rc_context(
        {"font.family": "serif", "mathtext.fontset": "dejavuserif", "font.size": 9}
    ):
        yield


@contextmanager
def house_axes(
    axes: Axes | None, *, size: tuple[float, float] = (6.0, 3.8)
) -> Iterator[Axes]:
    """Use the style within the block, on these axes or on those of a new figure.

    The size of a new figure is in inches.
    """
    require_matplotlib()
    if axes is not None and not callable(getattr(axes, "plot", None)):
        raise InputTypeError(
            f"ax is {axes!r}; it must be the axes of a figure.",
            hint="Pass ax=figure.subplots(), or leave it out.",
        )
    with in_house_style():
        axes = _new_axes(size) if axes is None else axes
        # Ticks are made later, when the figure is drawn.
        axes.tick_params(direction="in", labelfontfamily="serif", labelsize=9)
        yield axes
        # Those of the caller's axes were made in another style.
        for label in (axes.xaxis.label, axes.yaxis.label):
            label.set_fontfamily("serif")
            label.set_fontsize(9)


@contextmanager
def saved_figure(*, size: tuple[float, float]) -> Iterator[Figure]:
    """A figure in the style that is saved and never shown.

    It does without pyplot, which has global state, so drawing is safe on any thread.
    """
    require_matplotlib()
    from matplotlib.figure import Figure

    # Labels made before the style is in use would have formulas in another font.
    with in_house_style():
        yield Figure(figsize=size, layout="constrained")


@contextmanager
def saved_axes(*, size: tuple[float, float] = (6.0, 3.8)) -> Iterator[Axes]:
    """Axes of a figure in the style that is saved and never shown.

    Unlike the new figure of `house_axes`, a notebook does not show it below the cell.
    """
    with saved_figure(size=size) as figure, house_axes(figure.add_subplot()) as axes:
        axes.tick_params(which="both", direction="in", top=True, right=True)
        yield axes


def _new_axes(size: tuple[float, float]) -> Axes:
    """Axes of a figure that notebooks show, and that needs no display elsewhere.

    Pyplot, which has global state, is used only by programs that use it themselves.
    """
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    layout = ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.08)
    if "matplotlib.pyplot" in sys.modules or "ipykernel" in sys.modules:
        from matplotlib import pyplot

        return pyplot.figure(figsize=size, layout=layout).add_subplot()
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout=layout).add_subplot()


def legend_above(axes: Axes, **style: Any) -> None:
    """Add a legend above the frame on the right, where it covers no data.

    Without another style, it has up to four columns.
    """
    axes.legend(
        loc="lower right",
        bbox_to_anchor=(1, 1),
        frameon=False,
        borderaxespad=0.2,
        **{"ncols": 4, **style},
    )


def legend_below(
    figure: Figure | SubFigure,
    handles: Sequence[Any],
    labels: Sequence[str],
    *,
    ncols: int,
    **style: Any,
) -> Any:
    """Add a legend below all axes of a figure, where it covers no data."""
    return figure.legend(
        handles, labels, loc="outside lower center", ncols=ncols, frameon=False, **style
    )


def short_label(label: str | int) -> str:
    """The name of an item or element as drawn: on one line, cut off if it is long.

    >>> short_label("a name of more than twenty-four characters")
    'a name of more than twe…'
    """
    text = shortened(" ".join(str(label).split()), 24)
    return text.replace("$", r"\$")  # otherwise the start of a formula


def save(picture: Figure | Axes, path: str | Path, *, theme: str = "light") -> None:
    """Save a figure, or the figure of axes, as a PNG, SVG or PDF file.

    The same picture gives the same file: it contains no date. It is an atomic write.

    Parameters
    ----------
    picture
        A figure, or what a function of `thatch.plot` returned.
    path
        The file; its suffix decides the format: .png, .svg or .pdf.
    theme
        "light" for dark lines on white, "dark" for light lines on a dark background.
        The picture itself stays as it is.

    >>> import tempfile
    >>> from thatch.plot import plot_curve, save
    >>> path = Path(tempfile.mkdtemp()) / "curve.svg"
    >>> save(plot_curve([1, 2], [5, 8], [5, 9]), path)
    >>> path.read_text()[:5]
    '<?xml'
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in _FORMATS:
        raise InputError(
            f"{path.name} has the suffix {suffix!r}; pictures are saved as "
            f"{', '.join(_FORMATS)}.",
            hint="Name the file picture.png, for example.",
        )
    if theme not in _THEMES:
        raise InputError(
            f"theme is {theme!r}; it must be 'light' or 'dark'.",
            hint="Leave it out for 'light'.",
        )
    figure: Any = getattr(picture, "figure", None)  # figures have it as well
    if not callable(getattr(figure, "savefig", None)):
        raise InputTypeError(
            f"picture is {picture!r}; it must be a figure or axes.",
            hint="Pass what a function of thatch.plot returned.",
        )
    dates = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    from matplotlib import rc_context

    # Identifiers in SVG are made from this salt, instead of random numbers.
    with (
        recolored(figure, DARK, paper=DARK_PAPER) if theme == "dark" else nullcontext(),
        atomic_write(path) as draft,
        rc_context({"svg.hashsalt": "thatch"}),
    ):
        figure.savefig(
            draft, dpi=200, format=suffix[1:], metadata=dates.get(suffix, {})
        )


def save_both_themes(picture: Figure | Axes, path: str | Path) -> None:
    """Save a picture for light pages, and next to it one for dark pages.

    The latter of ``map.png`` is ``map-dark.png``.
    """
    path = Path(path)
    save(picture, path)
    save(picture, path.with_stem(f"{path.stem}-dark"), theme="dark")


def require_matplotlib() -> None:
    """Require matplotlib, which an extra installs."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingExtraError(
            "Drawing figures", package="matplotlib", extra="plot"
        ) from None


#: What has a selection, or is one.
Chosen = Selection | Result | CoverResult


def selection_of(chosen: Chosen) -> Selection:
    """The selection of a result, or the selection itself.

    >>> from thatch import solve
    >>> from thatch.problem.instances import toy
    >>> selection_of(solve(toy.greedy_trap().problem)).value
    16.0
    """
    found = chosen if isinstance(chosen, Selection) else None
    if isinstance(chosen, Result | CoverResult):
        found = chosen.selection
    if found is None:
        raise InputTypeError(
            f"result is {chosen!r}; it must be a result or a selection.",
            hint="Pass what solve or cover returned.",
        )
    return found
