"""Plans: tables of sites and demand, budgets and alternatives, and their handlers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from thatch.errors import FileFormatError, InputError, ThatchError
from thatch.options import option, options_of
from thatch.planning.diversity import alternatives as alternatives_of
from thatch.planning.sweeping import sweep
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.instances.files import contents_of, problem_from_json
from thatch.problem.instances.point_problems import (
    PointSettings,
    cost_column,
    problem_from_tables,
    sites_and_demand,
    weight_column,
)
from thatch.problem.instances.point_tables import PointTable
from thatch.serve.answers.general import Solution, as_json
from thatch.serve.answers.problems import (
    AlternativesAnswer,
    BudgetPoint,
    BudgetsAnswer,
    ColumnsAnswer,
    ProblemAnswer,
)
from thatch.serve.limits import Limits
from thatch.serve.option_fields import OptionsModel, with_options
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
        4, help="Number of selections, including the best one", minimum=1, maximum=20
    )
    differ: float = option(
        0.2,
        help="Minimum share of the items in which any two selections differ",
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


def locate(request: LocateRequest, limits: Limits) -> str:
    """Make a problem of sites and demand.

    A site covers the demand points within its reach; both are tables in CSV.
    """
    settings = request.record(PointSettings)
    sites = PointTable.of(request.sites.text, request.sites.name)
    given = request.demand
    if given is None:
        sites, demand = sites_and_demand(sites)
    else:
        demand = PointTable.of(given.text, given.name)
    problem = problem_from_tables(sites, demand, settings)
    _require_size(problem, limits, hint="Reduce the reach, or leave out points.")
    columns = ColumnsAnswer(
        cost_column(sites, settings),
        weight_column(demand, settings),
        sites.number_columns,
        demand.number_columns,
    )
    return as_json(ProblemAnswer.of(problem, columns=columns))


def read_problem(content: bytes, name: str, limits: Limits) -> str:
    """Problem of a file in any of the formats of `FileFormat`."""
    path = Path(name)
    contents = contents_of(content, path)
    _require_elements(contents.weights.size, len(content), path, limits)
    try:
        problem = contents.problem(budget=contents.budget or 0.0)
    except ThatchError as error:
        raise FileFormatError(path, error.message, hint=error.hint) from error
    _require_size(problem, limits, hint="Solve it with thatch solve.")
    return as_json(ProblemAnswer.of(problem, budget=contents.budget))


def budgets(request: BudgetsRequest, limits: Limits) -> str:
    """Solve a problem within several budgets.

    Covered weight within each budget, with its upper bound.
    """
    run = request.run
    found = sweep(
        problem_of(request, limits, budget=0.0),
        request.budgets,
        max_seconds=_seconds(run.max_seconds, limits),
        seed=run.seed,
        num_threads=1,
    )
    return as_json(BudgetsAnswer(list(map(BudgetPoint.of, found))))


def alternatives(request: AlternativesRequest, limits: Limits) -> str:
    """Find different solutions.

    Selections that differ pairwise in a share of their items, the best one first.
    """
    settings, run = request.record(AlternativesSettings), request.run
    found = alternatives_of(
        problem_of(request, limits, budget=request.changes.budget),
        settings.n,
        settings.differ,
        max_seconds=_seconds(run.max_seconds, limits),
        seed=run.seed,
        num_threads=1,
    )
    solutions = [Solution.of(each, "auto", run.seed) for each in found]
    return as_json(AlternativesAnswer(solutions))


Handler = Callable[[Any, Limits], str]
#: As `HANDLERS` of the module beside it.
PLAN_HANDLERS: dict[str, tuple[type[OptionsModel], type, Handler]] = {
    "locate": (LocateRequest, ProblemAnswer, locate),
    "budgets": (BudgetsRequest, BudgetsAnswer, budgets),
    "alternatives": (AlternativesRequest, AlternativesAnswer, alternatives),
}


def problem_of(
    request: ProblemRequest, limits: Limits, *, budget: float | None
) -> CoverageProblem:
    """The problem of a request with its changes; a budget replaces its own."""
    changes = request.changes
    return changes.decided(
        problem_from_json(
            request.problem.model_dump(),
            budget=budget,
            unit_costs=changes.unit_costs,
            max_elements=limits.max_elements,
        )
    )


def _require_elements(
    num_elements: int, num_bytes: int, path: Path, limits: Limits
) -> None:
    """Require that elements are listed in a file, or few: an answer lists them all."""
    most = max(limits.max_elements, num_bytes)
    if num_elements > most:
        raise FileFormatError(
            path,
            f"the problem has {num_elements:,} elements; at most {most:,} are allowed "
            f"here in a file of {num_bytes:,} bytes.",
            hint="Solve it with thatch solve.",
        )


def _seconds(wanted: float | None, limits: Limits) -> float:
    if wanted is None:
        return limits.usual_seconds
    return min(wanted, limits.seconds_to_solve)


def _require_size(problem: CoverageProblem, limits: Limits, *, hint: str) -> None:
    # What an element number takes in JSON, about: an answer is sent back to be solved.
    most = limits.max_bytes // 6
    if problem.num_edges > most:
        raise InputError(
            f"the problem has {problem.num_edges:,} edges; at most {most:,} are "
            "allowed here.",
            hint=hint,
        )
