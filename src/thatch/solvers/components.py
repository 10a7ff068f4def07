"""The optimum of a problem whose graph has only small connected components.

Within a component every selection is tried, and those that no other one dominates in
both cost and value are kept: its points. A selection of the whole problem is one point
per component, so components are combined one by one (as in a multiple-choice knapsack:
Pisinger 1995). At the price that spends the budget every component has a best point.
Choosing another one costs a penalty, and penalties only add up: a combination whose
penalties exceed the gap between the bound at that price and the best selection known
is discarded.

Costs and values are sums of doubles. Unless they are integers, each comparison allows
for their rounding error, so that nothing is discarded wrongly; whether a selection is
within the budget is checked on the selection itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from thatch._kernels import enumeration, graph
from thatch.arrays import Flags, Floats, Indices, Ints, exact_sum
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.certificates import Certificate, Combine
from thatch.run.result import Result, Status
from thatch.run.run import Run
from thatch.solvers.bounds.dual_bounds import critical_price
from thatch.solvers.effort import Effort
from thatch.solvers.step_efforts import ComponentEffort


def solve_by_components(
    problem: CoverageProblem,
    run: Run,
    effort: Effort = Effort(),  # noqa: B008
) -> Result | None:
    """Return the proved optimum if all components are small, else None.

    It is also None if there are too many combinations, the run must stop, or sums of
    costs that are not integers are too close to the budget to decide.

    >>> from thatch import CoverageProblem
    >>> sets = [{2 * i, 2 * i + 1 - i % 2} for i in range(100)]
    >>> problem = CoverageProblem.from_sets(sets, budget=60)
    >>> solve_by_components(problem, Run())
    Result(optimal, value 110, gap 0.000%, 60 items)
    """
    if problem.constraints is not None:
        return None  # groups connect components
    components = _Components.of(
        problem, effort.components, effort.max_component_selections
    )
    if components is None or run.must_stop:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        points = _Points.of(problem, components)
        search = _Search(problem, components, points)
        is_finished = np.isfinite(search.bound) and search.finish(
            run, effort.max_component_combinations
        )
    if not is_finished or search.best is None:
        return None
    best = search.best
    run.report(best, upper_bound=search.upper_bound, step="components")
    shown = Certificate((Combine(float(search.price)),))
    return run.result(best, Status.FINISHED).with_bound(search.upper_bound, shown)


@dataclass(frozen=True, eq=False)
class _Components:
    """Items by connected component."""

    problem: CoverageProblem
    limits: ComponentEffort
    members: Ints
    #: int64, shape (num_components + 1,): where the members of each component start.
    start: Ints

    @classmethod
    def of(
        cls, problem: CoverageProblem, limits: ComponentEffort, max_selections: int
    ) -> _Components | None:
        edges = problem.edges
        members = np.empty(problem.num_items, dtype=np.int64)
        start = np.empty(problem.num_items + 1, dtype=np.int64)
        num_components = graph.find_components(
            edges.item_start,
            edges.item_elements,
            edges.element_start,
            edges.element_items,
            limits.max_items,
            members,
            start,
        )
        if num_components < 0:
            return None
        components = cls(problem, limits, members, start[: num_components + 1].copy())
        return components if components.num_selections <= max_selections else None

    @property
    def num_components(self) -> int:
        return self.start.size - 1

    @property
    def relative_cost_error(self) -> float:
        """Relative error of a sum of costs: 0 for integers."""
        costs = self.problem.costs[self.problem.affordable_items]
        is_integer = bool((costs == np.floor(costs)).all()) and costs.sum() < 2.0**53
        return 0.0 if is_integer else self.relative_error

    @property
    def relative_error(self) -> float:
        """Relative error of a sum over all components.

        Within a component every edge may add a rounding error. Combining a component
        adds three, of numbers up to twice the total.
        """
        largest_degree = int(self.problem.edges.item_degrees.max(initial=0))
        num_combined = min(self.num_components, self.limits.max_combined)
        size = num_combined + self.limits.max_items * largest_degree + 16
        return 8 * size * float(np.finfo(float).eps)

    @property
    def largest_size(self) -> int:
        return int(np.diff(self.start).max(initial=1))

    @property
    def num_selections(self) -> int:
        return int((2 ** np.diff(self.start)).sum())

    def items(self, choices: Indices) -> Ints:
        """Items of one choice per component; bit k means its k-th member."""
        chosen = [
            self.members[self.start[:-1][(choices >> k) & 1 == 1] + k]
            for k in range(self.largest_size)
        ]
        return np.sort(np.concatenate(chosen))


@dataclass(frozen=True, eq=False)
class _Points:
    """Efficient selections of each component, sorted by cost and value."""

    component: Ints
    costs: Floats
    values: Floats
    choices: Indices
    #: Whether the point is the best of its component at some price.
    is_corner: Flags

    @classmethod
    def of(cls, problem: CoverageProblem, components: _Components) -> _Points:
        size = components.num_selections
        costs, values = np.empty(size), np.empty(size)
        choices = np.empty(size, dtype=np.int32)
        start = np.empty(components.num_components + 1, dtype=np.int64)
        enumeration.try_all(
            components.members,
            components.start,
            problem.costs,
            problem.budget * (1.0 + components.relative_cost_error),
            problem.weights,
            problem.edges.item_start,
            problem.edges.item_elements,
            costs,
            values,
            choices,
            start,
        )
        size = int(start[-1])
        component = np.repeat(np.arange(components.num_components), np.diff(start))
        order = np.lexsort((-values[:size], costs[:size], component))
        costs, values, choices = costs[order], values[order], choices[order]
        is_efficient, is_corner = np.zeros((2, size), dtype=np.int8)
        enumeration.mark_frontier(start, costs, values, is_efficient, is_corner)
        kept = is_efficient == 1
        return cls(
            component[kept],
            costs[kept],
            values[kept],
            choices[kept],
            is_corner[kept] == 1,
        )

    def price(self, budget: float) -> float:
        """Price at which the budget is just spent, if points could be interpolated."""
        corners = np.flatnonzero(self.is_corner)
        is_same_part = np.diff(self.component[corners]) == 0
        return critical_price(
            np.diff(self.values[corners])[is_same_part],
            np.diff(self.costs[corners])[is_same_part],
            budget=budget,
        )


@dataclass(frozen=True, eq=False)
class _States:
    """Combinations of other points of some components, by ascending cost and value."""

    #: Change of cost and of value against the best points.
    costs: Floats
    values: Floats
    #: The state that each came from, and the point that was added to it.
    trail: tuple[Indices, Indices]


class _Search:
    """Combines components in ascending order of their smallest penalty."""

    def __init__(
        self, problem: CoverageProblem, components: _Components, points: _Points
    ) -> None:
        self.problem, self.components, self.points = problem, components, points
        self.limits = components.limits
        self.price = points.price(problem.budget)
        merits = points.values - self.price * points.costs
        first = np.searchsorted(
            points.component, np.arange(components.num_components + 1)
        )
        best = np.maximum.reduceat(merits, first[:-1]) if merits.size else merits
        self.penalties = best[points.component] - merits
        is_base = np.flatnonzero(self.penalties == 0)
        #: The best point of every component, the cheapest among equals.
        self.base = is_base[np.unique(points.component[is_base], return_index=True)[1]]
        self.first = first
        self.base_value = exact_sum(points.values[self.base])
        self.slack = problem.budget - exact_sum(points.costs[self.base])
        #: No selection is worth more than this.
        self.bound = self.base_value + self.price * self.slack
        self.cost_error = problem.budget * components.relative_cost_error
        self.value_error = self.bound * components.relative_error
        none = np.zeros(1, dtype=np.int32)
        self.states = _States(np.zeros(1), np.zeros(1), (none, none))
        self.trails: list[tuple[Indices, Indices]] = []
        self.best: Selection | None = None
        self.best_value = -inf
        # Value of selections that may or may not be within the budget.
        self.uncertain_value = -inf
        # The smallest gain that is searched for.
        self.least_gain = 1.0 if problem.has_integer_weights else 0.0
        self.combinations = 0

    @property
    def upper_bound(self) -> float:
        """Bound on the optimum, once all components are combined."""
        bound = max(self.best_value, self.uncertain_value) + 2 * self.value_error
        if self.problem.has_integer_weights:
            return self.problem.rounded_bound(bound)
        return bound + self.least_gain

    @property
    def largest_penalty(self) -> float:
        """The largest total penalty of a selection that is better than the best."""
        return self.bound + self.value_error - self.best_value - self.least_gain

    def finish(self, run: Run, max_combinations: int) -> bool:
        """Combine all components; False if that is too much or the run must stop."""
        self._offer()
        other = self.penalties.copy()
        other[self.base] = inf
        least = np.minimum.reduceat(other, self.first[:-1]) if other.size else other
        order = np.argsort(least, kind="stable")
        order = order[least[order] <= self.largest_penalty]
        regains = self._regains(order)
        for p, regain in zip(order.tolist(), regains.tolist(), strict=True):
            if least[p] > self.largest_penalty:
                break
            points = self._points_of(p)
            num_combinations = points.size * self.states.costs.size
            self.combinations += num_combinations
            is_long = len(self.trails) >= self.limits.max_combined
            seconds = self.limits.seconds_per_combination * num_combinations
            is_long |= run.seconds_left < seconds
            if is_long or self.combinations > max_combinations or run.must_stop:
                return False
            self.states = self._with_component(p, points, regain=regain)
            self.trails.append(self.states.trail)
            self._offer()
            self._skip_small_gains()
        return True

    def _skip_small_gains(self) -> None:
        is_long = self.combinations > self.limits.combinations_before_min_gain
        if is_long and not self.problem.has_integer_weights:
            self.least_gain = self.limits.min_gain * max(self.best_value, 0.0)

    def _points_of(self, p: int) -> Ints:
        points = np.arange(self.first[p], self.first[p + 1])
        return points[self.penalties[points] <= self.largest_penalty]

    def _regains(self, order: Ints) -> Floats:
        """The most cost that the components after each one can still save."""
        give_back = self.points.costs[self.base] - self.points.costs[self.first[:-1]]
        give_back = give_back[order]
        return np.cumsum(give_back[::-1])[::-1] - give_back

    def _with_component(self, p: int, points: Ints, *, regain: float) -> _States:
        states, base = self.states, self.base[p]
        step_costs = self.points.costs[points] - self.points.costs[base]
        step_values = self.points.values[points] - self.points.values[base]
        costs = (states.costs[:, None] + step_costs).ravel()
        values = (states.values[:, None] + step_values).ravel()
        is_open = self.price * costs - values <= self.largest_penalty
        # Looser than necessary, so that rounding of the sums does not matter.
        is_open &= costs <= self.slack + regain + 1e-9 * self.problem.budget
        found = np.flatnonzero(is_open)
        found = found[np.lexsort((-values[found], costs[found]))]
        highest = np.maximum.accumulate(values[found])
        found = found[np.append(True, highest[1:] > highest[:-1])[: found.size]]
        parents, steps = np.divmod(found, points.size)
        trail = parents.astype(np.int32), points[steps].astype(np.int32)
        return _States(costs[found], values[found], trail)

    def _offer(self) -> None:
        """Keep the best state within the budget, if it is better."""
        costs, values = self.states.costs, self.states.values
        limits = np.array([self.slack - self.cost_error, self.slack + self.cost_error])
        surely, maybe = np.searchsorted(costs, limits, side="right") - 1
        for k in dict.fromkeys((int(surely), int(maybe))):
            value = self.base_value + values[k] if k >= 0 else -inf
            if value <= self.best_value:
                continue
            selection = self._selection(k)
            if selection.is_feasible:
                self.best, self.best_value = selection, value
            else:
                self.uncertain_value = max(self.uncertain_value, value)

    def _selection(self, k: int) -> Selection:
        """Selection of the k-th state."""
        chosen = self.base.copy()
        for parents, points in reversed(self.trails):
            chosen[self.points.component[points[k]]] = points[k]
            k = parents[k]
        return Selection(
            self.problem, self.components.items(self.points.choices[chosen])
        )
