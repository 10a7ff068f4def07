"""`importance`: what the optimum loses without an item, or with an item forced in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import inf, nextafter
from typing import TYPE_CHECKING, Any

import numpy as np

from thatch._kernels import graph as kernel
from thatch.arrays import Flags, Floats, Ints
from thatch.errors import InfeasibleError, InputTypeError, NoTimeError
from thatch.problem import tolerances
from thatch.problem.constraint_inputs import ConstraintReader
from thatch.problem.constraints import with_decided
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.result import Result, new_frame
from thatch.run.run import Run
from thatch.run.stopping import MaxSeconds
from thatch.solvers.bounds.dual_bounds import DualPoint
from thatch.solvers.bounds.dual_descent import DualDescent
from thatch.solvers.greedy import complete_by_gain
from thatch.solvers.solving import solve

if TYPE_CHECKING:
    from thatch.problem.constraint_inputs import Label

# Within a time limit, the share of it that bounds take before items are solved, and the
# share of that of the dual descent.
_SHARE_OF_BOUNDS, _SHARE_OF_DESCENT = 0.3, 0.5
# Items that are dropped between two looks at the clock.
_ITEMS_PER_CHECK = 500
# What exchanges of all items take on a slow core, and the steps of `solve` that cannot
# be interrupted.
_SECONDS_PER_EDGE_OF_EXCHANGES, _SECONDS_PER_EDGE_OF_SOLVE = 5e-7, 2e-7


@dataclass(frozen=True, eq=False)
class Importance:
    """How much the optimum falls when the decision on an item is reversed.

    A chosen item is left out; another one is forced in. The exact loss is between two
    numbers, which are equal where it is known.
    """

    result: Result
    #: int64: the items, ascending.
    items: Ints
    #: float64, one per item: the loss is at least this.
    least_losses: Floats
    #: float64, one per item: the loss is at most this; infinite if no selection with
    #: the other decision is known, or there is none.
    most_losses: Floats

    @property
    def is_chosen(self) -> Flags:
        """Whether the result contains each item."""
        return np.isin(self.items, self.result.selection.items)

    def to_frame(self, package: str | None = None) -> Any:
        """One row per item; see `Result.to_frame`."""
        problem = self.result.selection.problem
        return new_frame(
            {
                "item": [problem.item_label(i) for i in self.items.tolist()],
                "chosen": self.is_chosen,
                "least_loss": self.least_losses,
                "most_loss": self.most_losses,
            },
            package,
        )

    def __len__(self) -> int:
        return self.items.size

    def __repr__(self) -> str:
        count = int((self.least_losses == self.most_losses).sum())
        return f"Importance({len(self)} items, {count} losses known exactly)"


def importance(
    result: Result,
    *,
    items: Iterable[Label] | None = None,
    exact: bool = False,
    max_seconds: float | None = None,
) -> Importance:
    """Return what each item is worth to the best selection.

    For a chosen item: how much the optimum falls without it. For any other: how much it
    falls if the item is forced in. Bounds come from one dual descent and from exchanges
    of single items. Exact numbers require solving the problem again for each item.

    Parameters
    ----------
    result
        A result of `solve`.
    items
        The items, by name or index. Default: all.
    exact
        Whether to solve the problem again for every item.
    max_seconds
        The time limit for all items together. Where it ends the search, the numbers are
        bounds as well.

    >>> from thatch import CoverageProblem, solve
    >>> problem = CoverageProblem.from_sets([{0, 1, 2}, {2, 3}, {4}], budget=2)
    >>> found = importance(solve(problem), exact=True)
    >>> found.least_losses
    array([1., 0., 0.])
    """
    if not isinstance(result, Result):
        raise InputTypeError(
            f"result is {result!r:.60}; it must be a Result.",
            hint="Pass what solve returned.",
        )
    problem = result.selection.problem
    reader = ConstraintReader(
        problem.num_items,
        problem.num_elements,
        problem.item_names,
        problem.element_names,
    )
    chosen = (
        np.arange(problem.num_items) if items is None else reader.items("items", items)
    )
    run = Run(stop=[] if max_seconds is None else [MaxSeconds(max_seconds)])
    if exact:
        return _solved_again(result, chosen, run)
    return _bounded(result, chosen, run)


def _solved_again(result: Result, items: Ints, run: Run) -> Importance:
    """Reverse the decision on every item, and solve.

    Within a time limit, every item gets an equal share of what is left. Once it is
    over, the bounds that were found first remain.
    """
    problem = result.selection.problem
    inside = set(result.selection.items.tolist())
    least, most = np.zeros(items.size), np.full(items.size, inf)
    is_limited = run.seconds_left < inf
    if is_limited:
        first = _bounded(result, items, run.with_time_share(_SHARE_OF_BOUNDS))
        least, most = first.least_losses.copy(), first.most_losses.copy()
    for k, i in enumerate(items.tolist()):
        if run.seconds_left <= _SECONDS_PER_EDGE_OF_SOLVE * problem.num_edges:
            break
        seconds = run.seconds_left / (items.size - k) if is_limited else None
        one = np.array([i])
        decided = {"forbidden": one} if i in inside else {"required": one}
        constraints = with_decided(problem.constraints, **decided)
        try:
            other = solve(
                replace(problem, constraints=constraints),
                max_seconds=seconds,
                progress=False,
            )
            low, high = other.selection.value, other.upper_bound
        except InfeasibleError:
            low, high = -inf, -inf
        except NoTimeError:
            low, high = -inf, result.upper_bound
        least[k] = max(least[k], result.selection.value - high)
        most[k] = min(most[k], max(0.0, result.upper_bound - low))
        # Sums of weights that are not integers are rounded.
        rounding = tolerances.TIES * result.upper_bound
        if most[k] <= least[k] + (0.0 if problem.has_integer_weights else rounding):
            least[k] = most[k]  # both are proved
    return Importance(result, items, least, most)


def _bounded(result: Result, items: Ints, run: Run) -> Importance:
    """Bounds from reduced profits, and from exchanges of single items."""
    selection = result.selection
    problem = selection.problem
    point = _lowest_point(problem, selection, run.with_time_share(_SHARE_OF_DESCENT))
    bound = min(point.bound, result.upper_bound)
    is_chosen = np.zeros(problem.num_items, dtype=bool)
    is_chosen[selection.items] = True
    profits = point.reduced_profits
    against = np.maximum(0.0, np.where(is_chosen, profits, -profits))
    highest = np.minimum(bound, _rounded_down(problem, point.bound - against))
    reached = np.where(
        is_chosen, _values_without(selection, run), _values_with(selection, run)
    )
    least = np.maximum(0.0, selection.value - highest)
    most = np.maximum(least, bound - reached)
    return Importance(result, items, least[items], most[items])


def _rounded_down(problem: CoverageProblem, bounds: Floats) -> Floats:
    """Bounds as integers, if values are integers."""
    # More than the relative rounding error of a reduced profit.
    bounds = bounds * (1.0 + 1e-10)
    return np.floor(bounds) if problem.has_integer_weights else bounds


def _lowest_point(
    problem: CoverageProblem, selection: Selection, run: Run
) -> DualPoint:
    points = DualDescent(problem, selection).points(
        iterations=1000,
        iterations_per_point=250,
        should_stop=lambda: run.must_stop,
    )
    return min(points, key=lambda point: point.bound)


def _values_without(selection: Selection, run: Run) -> Floats:
    """Per chosen item, the value of a selection without it; one per item."""
    problem = selection.problem
    values = np.full(problem.num_items, -inf)
    values[selection.items] = selection.value - selection.contributions
    if problem.constraints is not None:
        # Another item in its place might violate a constraint.
        values[selection.items] = -inf
        for k, i in enumerate(selection.items.tolist()):
            if run.must_stop:
                break
            others = Selection(problem, np.delete(selection.items, k))
            values[i] = others.value if others.is_feasible else -inf
        return values
    # Up to this many chosen items, each is replaced greedily; of more, the weight that
    # only they cover is what is lost at most.
    if len(selection) > 2000:
        return values
    for k, i in enumerate(selection.items.tolist()):
        if run.must_stop:
            break
        values[i] = value_without(selection, k)
    return values


def _values_with(selection: Selection, run: Run) -> Floats:
    """Per other item, the value of a selection with it; one per item.

    Chosen items are dropped in one order, those that cover least per cost first, until
    the item fits. What it gains on top of all counts, and what those lose together.
    Items for which more would have to be dropped than the time allows do not fit.
    """
    problem = selection.problem
    if problem.constraints is not None:
        return np.full(problem.num_items, -inf)
    order = np.argsort(
        selection.contributions / np.maximum(problem.costs[selection.items], 1e-300),
        kind="stable",
    )
    dropped = selection.items[order]
    # Value and cost after dropping the first ones, by how many there are.
    values, costs = [selection.value], [selection.cost]
    counts = selection.cover_counts.copy()
    for k, i in enumerate(dropped.tolist()):
        if k % _ITEMS_PER_CHECK == 0 and run.must_stop:
            break
        elements = problem.edges.elements_of(i)
        lost = elements[counts[elements] == 1]
        counts[elements] -= 1
        values.append(values[-1] - float(problem.weights[lost].sum()))
        costs.append(costs[-1] - float(problem.costs[i]))
    uncovered = np.where(selection.covered, 0.0, problem.weights)
    gains = np.empty(problem.num_items)
    edges = problem.edges
    kernel.sum_over_elements(uncovered, edges.item_start, edges.item_elements, gains)
    # Costs fall along the order: the first that leaves room.
    share = 1.0 if problem.has_exact_costs else 1.0 - 1e-12
    room = share * problem.budget - np.array(costs)
    needed = np.searchsorted(room, problem.costs)
    fits = needed < len(values)
    reached = np.array(values)[np.minimum(needed, len(values) - 1)] + gains
    reached = np.where(fits, reached, -inf)
    if run.seconds_left < _SECONDS_PER_EDGE_OF_EXCHANGES * problem.num_edges:
        return reached
    return np.maximum(reached, _values_exchanged(selection, gains, float(room[0])))


def _values_exchanged(selection: Selection, gains: Floats, room: float) -> Floats:
    """Per other item, the value once it replaces one that shares an element with it.

    It covers some of what only the other one covered.
    """
    import scipy.sparse

    problem, edges = selection.problem, selection.problem.edges
    # The one chosen item of each element that is covered once.
    owners = np.full(problem.num_elements, -1)
    chosen_elements = edges.item_elements[edges.positions_of(selection.items)]
    degrees = edges.item_degrees[selection.items]
    owners[chosen_elements] = np.repeat(np.arange(len(selection)), degrees)
    owners[selection.cover_counts != 1] = -1
    is_shared = owners[edges.item_elements] >= 0
    items = np.repeat(np.arange(problem.num_items), edges.item_degrees)[is_shared]
    elements = edges.item_elements[is_shared]
    regained = scipy.sparse.coo_array(
        (problem.weights[elements], (items, owners[elements])),
        shape=(problem.num_items, max(1, len(selection))),
    ).tocsr()
    regained.sum_duplicates()
    rows = np.repeat(np.arange(problem.num_items), np.diff(regained.indptr))
    columns = regained.indices
    values = selection.value + gains[rows] + regained.data
    values -= selection.contributions[columns]
    freed = problem.costs[selection.items][columns]
    fits = problem.costs[rows] <= room + freed
    best = np.full(problem.num_items, -inf)
    np.maximum.at(best, rows[fits], values[fits])
    return best


def value_without(selection: Selection, k: int) -> float:
    """Value without the k-th chosen item, once others fill its place greedily.

    >>> from thatch import CoverageProblem
    >>> problem = CoverageProblem.from_sets([{0, 1, 2}, {1, 2}, {3}], budget=2)
    >>> value_without(Selection.of(problem, [0, 2]), 0)
    3.0
    """
    problem = selection.problem
    costs = problem.costs.copy()
    costs[selection.items[k]] = nextafter(problem.budget, inf)  # it never fits
    kept = np.delete(selection.items, k)
    priced = problem.with_costs(costs)
    return complete_by_gain(priced, kept, divisors=costs).value
