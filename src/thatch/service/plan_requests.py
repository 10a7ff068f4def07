"""Requests for plans: tables of sites and demand, budgets and alternatives."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from thatch.instances.point_settings import PointSettings
from thatch.options import options_of
from thatch.planning.alternatives_settings import AlternativesSettings
from thatch.service.option_fields import with_options
from thatch.service.requests import Amount, ProblemRequest, RequestModel
from thatch.solvers.solver_settings import ProblemSettings, RunSettings

__all__ = ["AlternativesRequest", "BudgetsRequest", "LocateRequest", "TableRequest"]

_MAX_BUDGETS = 200


class TableRequest(RequestModel):
    """A table in CSV: a line of column names, then one line per point."""

    text: str
    name: str = "table.csv"
    """Name of the file, for errors."""


@with_options(*options_of(PointSettings))
class LocateRequest(RequestModel):
    """Candidate sites and demand points, of which a problem is made."""

    sites: TableRequest
    """Candidate sites, with columns such as name, longitude, latitude and cost."""
    demand: TableRequest | None = None
    """Demand points, with columns such as name, longitude, latitude and weight.

    Default: those of the table of sites. Its column ``kind`` tells ``site`` from
    ``demand``; without it, every point is both.
    """

    @property
    def settings(self) -> PointSettings:
        """Reach and columns."""
        return self.record(PointSettings)


@with_options(
    *options_of(ProblemSettings, "unit_costs", "require", "forbid"),
    *options_of(RunSettings),
)
class BudgetsRequest(ProblemRequest):
    """A coverage problem to solve within several budgets; its own is ignored."""

    budgets: Annotated[list[Amount], Field(min_length=1, max_length=_MAX_BUDGETS)]
    """The budgets, in any order."""


@with_options(
    *options_of(ProblemSettings),
    *options_of(AlternativesSettings),
    *options_of(RunSettings),
)
class AlternativesRequest(ProblemRequest):
    """A coverage problem, of which several solutions are wanted."""

    @property
    def settings(self) -> AlternativesSettings:
        """How many, and how much they differ."""
        return self.record(AlternativesSettings)
