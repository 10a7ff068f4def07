"""Where the chosen sites are, and which demand they cover."""

from __future__ import annotations

from math import cos, radians
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from thatch.errors import InputError, MissingExtraError
from thatch.plot.drawing import (
    BLUE,
    GREY,
    LIGHT_BLUE,
    ORANGE,
    Chosen,
    house_axes,
    legend_below,
    selection_of,
    short_label,
)
from thatch.plot.recoloring import halo
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.locations import Locations
from thatch.problem.selection import Selection

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GEOGRAPHIC = "EPSG:4326"


def plot_map(
    result: Chosen,
    *,
    ax: Axes | None = None,
    basemap: Any = False,
    sites: ArrayLike | None = None,
    demand: ArrayLike | None = None,
    radius: float | None = None,
    names: bool | None = None,
) -> Axes:
    """Draw the sites, chosen or not, and the demand, covered or not.

    Parameters
    ----------
    result
        A result or selection of a problem with locations, such as one made by
        `CoverageProblem.from_points`.
    ax
        Axes to draw on; default: those of a new figure.
    basemap
        True to draw on streets, whose tiles are downloaded from OpenStreetMap; or what
        contextily takes as `source`, such as another provider or the path of a raster.
        It needs the extra ``maps``, and coordinates whose reference system is known.
    sites, demand
        Coordinates of items and elements, shapes (num_items, 2) and (num_elements, 2),
        where the problem has no locations.
    radius
        Radius of the circle around each chosen site, in meters if coordinates are
        longitudes and latitudes; default: how far the sites reach, if it is known. With
        0 there are no circles.
    names
        Whether to write the names of the chosen sites; default: if there are few.

    >>> from thatch import CoverageProblem, solve
    >>> sites, homes = [(0, 0), (5, 5)], [(0, 1), (1, 0)]
    >>> problem = CoverageProblem.from_points(
    ...     sites, homes, radius=2, metric="euclidean", budget=1
    ... )
    >>> axes = plot_map(solve(problem))
    >>> [text.get_text() for text in axes.figure.legends[0].get_texts()]
    ['chosen site', 'other site', 'covered demand']
    """
    selection = selection_of(result)
    places = _located(selection.problem, sites, demand)
    with house_axes(ax, size=(5.4, 5.4)) as axes:
        _draw_demand(axes, places, selection)
        _draw_sites(axes, places, selection)
        _draw_circles(axes, places, selection, radius)
        # With more, names would overlap.
        if names if names is not None else len(selection) <= 15:
            _write_names(axes, places, selection)
        _scale(axes, places)
        if basemap is not False and basemap is not None:
            _add_basemap(axes, places, basemap)
        _add_legend(axes, is_new=ax is None)
    return axes


def _located(
    problem: CoverageProblem, sites: ArrayLike | None, demand: ArrayLike | None
) -> Locations:
    if sites is not None and demand is not None:
        given = Locations(
            np.asarray(sites, dtype=np.float64),
            np.asarray(demand, dtype=np.float64),
            metric="euclidean",
        )
        given.require_counts(problem.num_items, problem.num_elements)
        return given
    if problem.locations is None:
        raise InputError(
            "the problem has no locations.",
            hint="Make it with CoverageProblem.from_points, or pass sites and demand.",
        )
    return problem.locations


def _draw_demand(axes: Axes, places: Locations, selection: Selection) -> None:
    covered = selection.covered
    weights = selection.problem.weights
    # Areas grow with the weight; the number of points decides how large they may be.
    largest = min(60.0, 4000.0 / max(1, weights.size) + 6.0)
    areas = 2.0 + largest * weights / (float(weights.max(initial=0.0)) or 1.0)
    for here, color, marker, label in (
        (~covered, ORANGE, "D", "demand not covered"),
        (covered, LIGHT_BLUE, "o", "covered demand"),
    ):
        if here.any():
            axes.scatter(
                places.elements[here, 0],
                places.elements[here, 1],
                s=areas[here],
                color=color,
                marker=marker,
                linewidths=0,
                alpha=0.85,
                label=label,
                zorder=2,
            )


def _draw_sites(axes: Axes, places: Locations, selection: Selection) -> None:
    is_chosen = np.zeros(len(places.items), dtype=np.bool_)
    is_chosen[selection.items] = True
    if not is_chosen.all():
        axes.scatter(
            places.items[~is_chosen, 0],
            places.items[~is_chosen, 1],
            s=16 if len(places.items) <= 500 else 6,
            marker="s",
            facecolors="none",
            edgecolors=GREY,
            linewidths=0.7,
            label="other site",
            zorder=3,
        )
    if is_chosen.any():
        axes.scatter(
            places.items[is_chosen, 0],
            places.items[is_chosen, 1],
            s=60,
            marker="^",
            color=BLUE,
            edgecolors="white",
            linewidths=0.8,
            label="chosen site",
            zorder=5,
        )


def _draw_circles(
    axes: Axes, places: Locations, selection: Selection, radius: float | None
) -> None:
    from matplotlib.collections import EllipseCollection

    chosen = selection.items
    radii = places.radii if radius is None else np.full(len(places.items), radius)
    if radii is None or radius == 0 or not chosen.size:
        return
    sizes = radii[chosen]
    centers = places.items[chosen]
    heights = widths = 2.0 * sizes
    if places.is_geographic:
        # of latitude, on a sphere of the Earth's mean radius
        heights = heights / 111_195.0
        widths = heights / np.cos(np.radians(centers[:, 1]))
    circles = EllipseCollection(
        *(widths, heights, np.zeros(chosen.size)),
        units="xy",
        offsets=centers,
        offset_transform=axes.transData,
        facecolors="none",
        edgecolors=BLUE,
        linewidths=0.7,
        alpha=0.7,
        zorder=4,
    )
    axes.add_collection(circles)
    # Collections of this kind do not widen the limits by themselves.
    reach = np.column_stack([widths, heights]) / 2.0
    axes.update_datalim(np.concatenate([centers - reach, centers + reach]))
    axes.autoscale_view()


def _write_names(axes: Axes, places: Locations, selection: Selection) -> None:
    problem = selection.problem
    if problem.item_names is None:
        return
    for i in selection.items.tolist():
        axes.annotate(
            short_label(problem.item_names[i]),
            places.items[i],
            xytext=(6, 5),
            textcoords="offset points",
            fontsize=8,
            zorder=4.5,  # below the marks of other sites
            path_effects=halo("white"),
        )


def _scale(axes: Axes, places: Locations) -> None:
    if places.is_geographic:
        latitudes = np.concatenate([places.items[:, 1], places.elements[:, 1]])
        middle = float(latitudes.mean()) if latitudes.size else 0.0
        axes.set_aspect(1.0 / max(cos(radians(middle)), 0.05))
        axes.set_xlabel("longitude")
        axes.set_ylabel("latitude")
    else:
        axes.set_aspect("equal")
    axes.locator_params(nbins=5)
    axes.ticklabel_format(useOffset=False)


def _add_basemap(axes: Axes, places: Locations, basemap: Any) -> None:
    try:
        import contextily
    except ImportError:
        raise MissingExtraError(
            "Drawing a basemap", package="contextily", extra="maps"
        ) from None
    crs = places.crs or (_GEOGRAPHIC if places.is_geographic else None)
    if crs is None:
        raise InputError(
            "the reference system of the coordinates is unknown.",
            hint="Pass longitudes and latitudes with metric='haversine', or a "
            "GeoPandas frame with a crs.",
        )
    source = None if basemap is True else basemap
    contextily.add_basemap(axes, crs=crs, source=source, attribution_size=6)


def _add_legend(axes: Axes, *, is_new: bool) -> None:
    order = "chosen site", "other site", "covered demand", "demand not covered"
    drawn = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    labels = [label for label in order if label in drawn]
    handles = [drawn[label] for label in labels]
    if is_new:
        legend = legend_below(axes.figure, handles, labels, ncols=2)
    else:
        legend = axes.legend(handles, labels, fontsize=8)
    for mark, label in zip(legend.legend_handles, labels, strict=True):
        mark.set_sizes([50 if label == "chosen site" else 22])
