"""Other colors for a finished figure: how one style is saved in two themes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

#: A color in hexadecimal digits, and the one that replaces it.
Recoloring = Mapping[str, str]

# What matplotlib does not write into an SVG file, since it is the default there.
_SVG_DEFAULT = "#000000"
# Maps of values that start at the color of the paper.
_REVERSED = ("Blues",)


def halo(color: str) -> list[Any]:
    """Path effects of a text that stays readable on marks and lines."""
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=2.0, foreground=color)]


@contextmanager
def recolored(figure: Figure, colors: Recoloring, *, paper: str) -> Iterator[None]:
    """Replace colors within the block, and restore them afterward.

    Colors that are not listed stay. So do those of maps of values and of the numbers
    written on them, unless the map starts at white: it is reversed. The figure is laid
    out first, since ticks are made only then. The background becomes `paper`.
    """
    from matplotlib.image import AxesImage
    from matplotlib.text import Text

    figure.draw_without_rendering()
    on_values = _written_on_values(figure)
    restorations: list[tuple[Callable[..., Any], Any]] = []
    for artist in figure.findobj():
        if artist in on_values:
            continue
        for getter, setter in _accessors(artist):
            # Markers without colors of their own have had that of the line since the
            # last step, and need none.
            old = getter()
            new = _replaced(old, colors)
            if new is not None:
                restorations.append((setter, old))
                setter(new)
        if isinstance(artist, AxesImage) and artist.get_cmap().name in _REVERSED:
            old_map = artist.get_cmap()
            restorations.append((artist.set_cmap, old_map))
            artist.set_cmap(old_map.reversed())
        effects = artist.get_path_effects()
        if effects and isinstance(artist, Text):
            restorations.append((artist.set_path_effects, effects))
            artist.set_path_effects(halo(paper))
    try:
        yield
    finally:
        for setter, old in reversed(restorations):
            setter(old)


def recolored_svg(content: str, colors: Recoloring) -> str:
    """An SVG file of matplotlib with other colors.

    >>> recolored_svg('<svg width="9"><g style="fill: #ffffff"/></svg>',
    ...               {"#ffffff": "#222222", "#000000": "#eeeeee"})
    '<svg fill="#eeeeee" width="9"><g style="fill: #222222"/></svg>'
    """
    replaced = re.sub(
        r"#[0-9a-f]{6}\b", lambda found: colors.get(found[0], found[0]), content
    )
    ink = colors.get(_SVG_DEFAULT, _SVG_DEFAULT)
    return replaced.replace("<svg ", f'<svg fill="{ink}" ', 1)


def _written_on_values(figure: Figure) -> set[Artist]:
    """Texts whose background is a map of values that keeps its colors."""
    return {
        text
        for axes in figure.axes
        for values in (*axes.images, *axes.collections)
        if values.get_array() is not None and values.get_cmap().name not in _REVERSED
        for text in axes.texts
    }


def _accessors(artist: Artist) -> list[tuple[Callable[[], Any], Callable[[Any], Any]]]:
    """The functions that get and set each color of an artist."""
    from matplotlib.collections import Collection
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.text import Text

    it: Any = artist
    if isinstance(artist, Text):
        return [(it.get_color, it.set_color)]
    if isinstance(artist, Line2D):
        return [
            (it.get_color, it.set_color),
            (it.get_markerfacecolor, it.set_markerfacecolor),
            (it.get_markeredgecolor, it.set_markeredgecolor),
        ]
    has_areas = isinstance(artist, Patch) or (
        isinstance(artist, Collection) and artist.get_array() is None
    )
    if not has_areas:
        return []
    return [(it.get_facecolor, it.set_facecolor), (it.get_edgecolor, it.set_edgecolor)]


def _replaced(color: Any, colors: Recoloring) -> Any:
    """New colors for a color or an array, as opaque as before; None if none is new."""
    from matplotlib.colors import to_hex, to_rgba, to_rgba_array

    old = to_rgba_array(color)
    if not any(to_hex(rgba) in colors for rgba in old):
        return None
    new = [to_rgba(colors.get(to_hex(rgba), rgba), alpha=rgba[3]) for rgba in old]
    return new if getattr(color, "ndim", 1) == 2 else new[0]
