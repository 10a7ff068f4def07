"""Problems and plans as plain data: the JSON of the HTTP API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from thatch.problem.instances.formats import json_constraints
from thatch.serve.answers.general import Solution, filled

if TYPE_CHECKING:
    from thatch.problem.coverage_problem import CoverageProblem
    from thatch.run.result import Result


@dataclass(frozen=True)
class ProblemContents:
    """A coverage problem, as in thatch's JSON files."""

    format: str
    version: int
    #: Elements of each item, numbered from 0.
    sets: list[list[int]]
    costs: list[float]
    weights: list[float]
    #: Left out if the file has none.
    budget: float | None = None
    item_names: list[str] | None = None
    element_names: list[str] | None = None
    constraints: dict[str, Any] | None = None

    @classmethod
    def of(cls, problem: CoverageProblem, budget: float | None) -> ProblemContents:
        """Plain data of a problem, with the budget of its file."""
        constraints, edges = problem.constraints, problem.edges
        names = problem.item_names, problem.element_names
        items, elements = (None if each is None else list(each) for each in names)
        return cls(
            format="thatch-coverage",
            version=1 if constraints is None else 2,
            sets=[edges.elements_of(i).tolist() for i in range(problem.num_items)],
            costs=problem.costs.tolist(),
            weights=problem.weights.tolist(),
            budget=budget,
            item_names=items,
            element_names=elements,
            constraints=None
            if constraints is None
            else json_constraints.as_json(constraints),
        )


@dataclass(frozen=True)
class LocationsAnswer:
    """Where items and elements are."""

    #: haversine: longitude and latitude; euclidean: x and y.
    metric: str
    items: list[list[float]]
    elements: list[list[float]]


@dataclass(frozen=True)
class ColumnsAnswer:
    """Columns that costs and weights were read from, and those that have numbers."""

    #: Empty if every site costs 1.
    cost: str
    #: Empty if every point counts 1.
    weight: str
    cost_choices: list[str]
    weight_choices: list[str]


@dataclass(frozen=True)
class ProblemAnswer:
    """A problem that was read from a file, with what is known about it."""

    problem: ProblemContents
    #: Left out if the problem has none.
    locations: LocationsAnswer | None = None
    columns: ColumnsAnswer | None = None

    @classmethod
    def of(
        cls,
        problem: CoverageProblem,
        *,
        budget: float | None = None,
        columns: ColumnsAnswer | None = None,
    ) -> ProblemAnswer:
        """Plain data of a problem, with its locations."""
        places = problem.locations
        return cls(
            ProblemContents.of(problem, budget),
            None
            if places is None
            else LocationsAnswer(
                places.metric, places.items.tolist(), places.elements.tolist()
            ),
            columns,
        )


@dataclass(frozen=True)
class AlternativesAnswer:
    """Selections that differ, the best one first."""

    alternatives: list[Solution]


@dataclass(frozen=True)
class BudgetPoint:
    """Best selection within one budget."""

    budget: float
    cost: float
    num_items: int
    value: float
    upper_bound: float
    gap: float

    @classmethod
    def of(cls, result: Result) -> BudgetPoint:
        """Plain data of a result."""
        selection = result.selection
        return filled(
            cls,
            result,
            budget=selection.problem.budget,
            cost=selection.cost,
            num_items=len(selection),
            value=selection.value,
        )


@dataclass(frozen=True)
class BudgetsAnswer:
    """Covered weight within each budget, in ascending order of the budgets."""

    budgets: list[BudgetPoint]
