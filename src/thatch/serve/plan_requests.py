"""Requests for plans: tables of sites and demand, budgets and alternatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from thatch.options import option, options_of
from thatch.problem.instances.point_problems import PointSettings
from thatch.serve.option_fields import with_options
from thatch.serve.requests import Amount, ProblemRequest, RequestModel
from thatch.solvers.solver_settings import ProblemSettings, RunSettings


class TableRequest(RequestModel):
    """A table in CSV: a line of column names, then one line per point."""

    text: str
    name: str = "table.csv"
    """Name of the file, for errors."""


@with_options(*options_of(PointSettings))
class LocateRequest(RequestModel):
    """Candidate sites and demand points, from which a problem is made."""

    sites: TableRequest
    """Candidate sites, with columns such as name, longitude, latitude and cost."""
    demand: TableRequest | None = None
    """Demand points, with columns such as name, longitude, latitude and weight.

    Default: those of the table of sites. Its column ``kind`` tells ``site`` from
    ``demand``; without it, every point is both.
    """


@with_options(
    *options_of(ProblemSettings, "unit_costs", "require", "forbid"),
    *options_of(RunSettings),
)
class BudgetsRequest(ProblemRequest):
    """A coverage problem to solve within several budgets; its own is ignored."""

    budgets: Annotated[list[Amount], Field(min_length=1, max_length=200)]
    """The budgets, in any order."""


@dataclass(frozen=True, kw_only=True)
class AlternativesSettings:
    """How many selections there are, and how much they differ."""

    n: int = option(
        4, help="Number of selections, with the best one", minimum=1, maximum=20
    )
    differ: float = option(
        0.2,
        help="Share of the items in which any two selections differ, at least",
        above=0,
        maximum=1,
    )


@with_options(
    *options_of(ProblemSettings),
    *options_of(AlternativesSettings),
    *options_of(RunSettings),
)
class AlternativesRequest(ProblemRequest):
    """A coverage problem for which you want several solutions."""
