"""How tables of points become a problem, as the API names it."""

from __future__ import annotations

from dataclasses import dataclass

from thatch.options import option

__all__ = ["PointSettings"]


def _metrics() -> dict[str, str]:
    return {
        "haversine": "longitude and latitude, with distances in meters",
        "euclidean": "x and y, with distances in their unit",
    }


@dataclass(frozen=True, kw_only=True)
class PointSettings:
    """Which points a site reaches, and what sites cost and points weigh.

    >>> PointSettings(radius=800).metric is None
    True
    """

    radius: float = option(
        10_000.0,
        help="Distance up to which a site covers a point, in meters or in the unit of "
        "x and y",
        label="Reach",
        minimum=0,
    )
    metric: str | None = option(
        None,
        help="What coordinates are",
        default_text="what the names of the columns say",
        choices=_metrics,
    )
    cost_column: str | None = option(
        None,
        help="Column of the sites that has their costs; empty if each costs 1",
        default_text="a column named cost, price or rent, for example",
    )
    weight_column: str | None = option(
        None,
        help="Column of the demand points that has their weights; empty if each "
        "counts 1",
        default_text="a column named weight, demand or population, for example",
    )
