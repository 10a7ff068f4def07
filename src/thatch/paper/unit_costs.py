"""Where Algorithm 2 fails: random graphs whose items all cost the same.

Distances to the certified bound of Algorithm 2, of what may mend it, and of other
solvers, on three ensembles of unit costs and on that of the paper.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np

from thatch.arrays import Floats
from thatch.paper.experiment import GraphExperiment, OnProgress, ignore, means
from thatch.paper.unit_cost_figure import CourseRow, GapRow, GrowthRow, UnitCosts
from thatch.paper.unit_cost_methods import (
    METHODS,
    STRONG_DAMPING,
    Course,
    Growth,
    Method,
    course,
    growth,
    slow_messages,
)
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.problem.instances.randomness import Constant, Rule, UniformIntegers
from thatch.solvers import Auto, Effort
from thatch.solvers.solving import solve

#: Damping, first messages and price of the runs that are followed. A fixed price is
#: the one at which a slow run ends.
COURSES = (
    *((0.5, "zero", "adapted"), (0.5, "random", "adapted"), (0.5, "zero", "fixed")),
    *((STRONG_DAMPING, "zero", "adapted"), (STRONG_DAMPING, "random", "adapted")),
)
# Those that are drawn: Algorithm 2, and what mends it.
_DRAWN = (COURSES[0], COURSES[-1])
#: Inverse temperature times mean weight: warm, and the default.
SCALED = (1.0, 2.0, 4.0, 16.5)
_AUTO = "auto"


@dataclass(frozen=True)
class GraphEnsemble:
    """Biregular graphs with a budget in proportion to their items."""

    name: str
    item_degree: int
    element_degree: int
    budget_per_item: float
    costs: Rule = Constant()
    weights: Rule = UniformIntegers()

    def problem(self, num_items: int, seed: int) -> CoverageProblem:
        """Draw one problem."""
        graph = BiregularGraph(
            num_items=num_items,
            num_elements=num_items * self.item_degree // self.element_degree,
            item_degree=self.item_degree,
            element_degree=self.element_degree,
            costs=self.costs,
            weights=self.weights,
        )
        return graph.problem(budget=self.budget_per_item * num_items, seed=seed)


ENSEMBLES = (
    GraphEnsemble("unit costs, 9/3", 9, 3, 0.2),
    GraphEnsemble("unit costs, 20/10", 20, 10, 0.125),
    GraphEnsemble("unit costs and weights, 9/3", 9, 3, 0.2, weights=Constant()),
    GraphEnsemble("the paper's, 9/3", 9, 3, 1.0, costs=UniformIntegers()),
)


@dataclass(frozen=True)
class UnitCostExperiment(GraphExperiment):
    """The experiment's settings."""

    num_graphs: int = 20
    num_items: int = 1000
    ensembles: tuple[GraphEnsemble, ...] = ENSEMBLES
    #: The first two must be g-greedy and Algorithm 2.
    methods: tuple[Method, ...] = METHODS
    #: Inverse temperatures times mean weight at which perturbations are followed.
    scaled_inverse_temperatures: tuple[float, ...] = SCALED
    #: How much work `auto` does.
    effort: Effort = Effort()

    @property
    def num_steps(self) -> int:
        """Steps of the progress: one per graph of each ensemble."""
        return self.num_graphs * len(self.ensembles)

    def run(self, *, on_progress: OnProgress = ignore) -> UnitCosts:
        """Run the experiment; after each graph, `on_progress` gets a 1."""
        tasks = product(self.ensembles, self.seeds)
        return self._summarized(
            self.outcomes(lambda task: self._solve(*task), tasks, on_progress)
        )

    def _solve(self, ensemble: GraphEnsemble, seed: int) -> _Outcome:
        problem = ensemble.problem(self.num_items, seed)
        auto = Auto(self.effort)
        results = [solve(problem, auto, seed=s, num_threads=1) for s in (0, 1)]
        values = [method.value(problem, seed) for method in self.methods]
        values.append(results[0].selection.value)
        bound = min(result.upper_bound for result in results)
        one, other = (result.selection.items for result in results)
        prices = {"adapted": None, "fixed": slow_messages(problem, seed).price}
        return _Outcome(
            gaps=100.0 * (1.0 - np.array(values) / bound),
            courses=[
                course(problem, damping=damping, initial=start, price=prices[price])
                for damping, start, price in COURSES
            ],
            growths=[
                growth(problem, scaled=scaled)
                for scaled in self.scaled_inverse_temperatures
            ],
            shared=np.intersect1d(one, other).size / max(1, one.size),
            chosen=one.size / problem.num_items,
        )

    def _summarized(self, outcomes: list[_Outcome]) -> UnitCosts:
        names = [*(method.name for method in self.methods), _AUTO]
        gaps: list[GapRow] = []
        courses: list[CourseRow] = []
        growths: list[GrowthRow] = []
        traces: dict[tuple[str, str], Floats] = {}
        for k, ensemble in enumerate(self.ensembles):
            found = outcomes[k * self.num_graphs : (k + 1) * self.num_graphs]
            gaps += _gap_rows(ensemble.name, names, found)
            courses += _course_rows(ensemble.name, found)
            growths += self._growth_rows(ensemble.name, found)
            traces |= {
                (ensemble.name, f"damping {each[0]:g}, {each[1]} start"): first.costs
                for each, first in zip(COURSES, found[0].courses, strict=True)
                if each in _DRAWN
            }
        tables = tuple(gaps), tuple(courses), tuple(growths)
        return UnitCosts(*tables, traces, self.num_graphs)

    def _growth_rows(self, ensemble: str, found: list[_Outcome]) -> list[GrowthRow]:
        rows = []
        for k, scaled in enumerate(self.scaled_inverse_temperatures):
            factors = {
                kind: np.array([getattr(each.growths[k], kind) for each in found])
                for kind in ("uniform", "random")
            }
            rows.append(GrowthRow(ensemble, scaled, **means(**factors)))
        return rows


@dataclass(frozen=True)
class _Outcome:
    #: float64, one per method, in percent of the bound.
    gaps: Floats
    courses: list[Course]
    growths: list[Growth]
    shared: float
    chosen: float


def _gap_rows(ensemble: str, names: list[str], found: list[_Outcome]) -> list[GapRow]:
    gaps = np.array([outcome.gaps for outcome in found]).T
    rows = []
    for name, each in zip(names, gaps, strict=True):
        rows.append(
            GapRow(
                ensemble,
                name,
                least_gap=float(each.min()),
                most_gap=float(each.max()),
                **means(
                    gap=each,
                    minus_ggreedy=each - gaps[0],
                    minus_algorithm_2=each - gaps[1],
                ),
            )
        )
    return rows


def _course_rows(ensemble: str, found: list[_Outcome]) -> list[CourseRow]:
    rows = []
    for k, (damping, initial, price) in enumerate(COURSES):
        courses = [outcome.courses[k] for outcome in found]
        rows.append(
            CourseRow(
                ensemble,
                damping,
                initial,
                price,
                converged=_mean(each.has_converged for each in courses),
                field_spread=_mean(each.field_spread for each in courses),
                least_cost=_mean(each.least_cost for each in courses),
                most_cost=_mean(each.most_cost for each in courses),
                shared_items=_mean(outcome.shared for outcome in found),
                shared_by_chance=_mean(outcome.chosen for outcome in found),
            )
        )
    return rows


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))
