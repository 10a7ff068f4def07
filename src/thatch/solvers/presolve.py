"""Presolve by dominance: a smaller problem with the same optimum.

Items and elements that no optimal selection needs are dropped: items that cost more
than the budget, elements of weight 0, and dominated items, whose elements another item
covers at no higher cost. Elements covered by the same items are merged. Items that cost
nothing are always taken: one of them represents all, and covers a single element that
merges what they cover.

Dropping an item can make elements equal, but no step makes one item dominate another
that it did not dominate before. So one pass in this order is enough.

Integer weights are summed exactly. Sums of other weights are rounded up, so that a
bound on the smaller problem is a bound on the original; their values agree to the last
bits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import floor, log10

import numpy as np

from thatch._kernels import graph as kernel
from thatch.arrays import (
    Flags,
    Floats,
    Indices,
    Ints,
    distinct,
    frozen,
    sum_rounded_up,
)
from thatch.errors import InputError
from thatch.problem import tolerances
from thatch.problem.constraints import Constraints
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.edges import Edges
from thatch.problem.selection import Selection


@dataclass(frozen=True, eq=False)
class Reduction:
    """A problem, a smaller one with the same optimum, and the mapping between them."""

    original: CoverageProblem
    #: The smaller problem: same budget and optimum, no names.
    problem: CoverageProblem
    #: int64, shape (num_items,): index of each item in the original, ascending.
    items: Ints
    #: int64, one per original item: its representative in the smaller problem, or -1.
    representatives: Ints
    #: int64, original items that cost nothing and are always taken, ascending.
    free_items: Ints
    #: int32, one per original element: its number in the smaller problem, or -1.
    elements: Indices
    #: Costs of the smaller problem, divided by the original costs: a power of 10.
    cost_scale: float = 1.0

    def restored(self, selection: Selection) -> Selection:
        """Selection of the original problem, with the same value and cost.

        Its value is higher if the smaller selection lacks the items without cost.

        >>> from thatch import CoverageProblem
        >>> reduction = reduce(CoverageProblem.from_sets([{0}, {0, 1}, {2}], budget=1))
        >>> reduction.restored(Selection.of(reduction.problem, [0])).items
        array([1])
        """
        _require_problem(selection, self.problem, "smaller")
        chosen = self.items[selection.items]
        return Selection(self.original, distinct(chosen, self.free_items))

    def reduced(self, selection: Selection) -> Selection:
        """Selection of the smaller problem, of no lower value and no higher cost.

        >>> from thatch import CoverageProblem
        >>> reduction = reduce(CoverageProblem.from_sets([{0}, {0, 1}, {2}], budget=1))
        >>> reduction.reduced(Selection.of(reduction.original, [0])).value
        2.0
        """
        _require_problem(selection, self.original, "original")
        chosen = distinct(selection.items, self.free_items)
        found = distinct(self.representatives[chosen])
        return Selection(self.problem, found[found >= 0])


def presolve(problem: CoverageProblem) -> Reduction:
    """Count costs in integers if possible, and reduce the problem."""
    counted = None if problem.has_exact_costs else with_integer_costs(problem)
    if counted is None:
        return reduce(problem)
    return replace(reduce(counted), cost_scale=cost_scale(problem, counted))


def cost_scale(problem: CoverageProblem, counted: CoverageProblem) -> float:
    """The power of 10 between costs and integer costs."""
    largest = int(np.argmax(problem.costs)) if problem.num_items else -1
    if largest < 0 or problem.costs[largest] == 0:
        return 1.0
    return 10.0 ** round(log10(counted.costs[largest] / problem.costs[largest]))


def reduce(problem: CoverageProblem) -> Reduction:
    """Drop what no optimal selection needs, and merge what is equal.

    >>> from thatch import CoverageProblem
    >>> problem = CoverageProblem.from_sets(
    ...     [{0}, {0, 1}, {2, 3, 4}, {4}], costs=[2, 1, 2, 9], budget=4
    ... )
    >>> problem, reduce(problem).problem
    (CoverageProblem(4 items, 5 elements, 7 edges, budget 4),
     CoverageProblem(2 items, 2 elements, 2 edges, budget 4))
    """
    free_items = _free_items(problem)
    is_free = Selection(problem, free_items).covered
    graph = _relevant_edges(problem, ~is_free)
    roots = _representatives(graph, problem)
    is_kept = (roots == np.arange(problem.num_items)) & (graph.item_degrees > 0)
    groups = np.empty(problem.num_elements, dtype=np.int32)
    num_groups = kernel.group_elements(
        np.flatnonzero(is_kept), graph.item_start, graph.item_elements, groups
    )
    if is_kept.all() and num_groups == problem.num_elements:
        numbers = frozen(np.arange(problem.num_items))
        return Reduction(problem, problem, numbers, numbers, free_items, groups)
    if free_items.size:
        is_kept[free_items[0]] = True
        groups[is_free & (problem.weights > 0)] = num_groups
        roots[free_items] = free_items[0]
    items = np.flatnonzero(is_kept)
    number_of = np.full(problem.num_items, -1)
    number_of[items] = np.arange(items.size)
    smaller = CoverageProblem(
        frozen(problem.costs[items]),
        frozen(_group_weights(problem, groups)),
        problem.budget,
        _edges_between_groups(graph, groups, number_of, free_items[:1]),
        constraints=_constraints_of(problem, items),
    )
    representatives = frozen(number_of[roots])
    return Reduction(
        problem, smaller, frozen(items), representatives, free_items, frozen(groups)
    )


def _constraints_of(problem: CoverageProblem, items: Ints) -> Constraints | None:
    groups = None if problem.constraints is None else problem.constraints.groups
    if groups is None:
        return None
    none = np.zeros(0, dtype=np.int64)
    return Constraints(groups=groups.restricted_to(items, taken=none))


def _require_problem(
    selection: Selection, problem: CoverageProblem, which: str
) -> None:
    if selection.problem is not problem:
        raise InputError(
            f"the selection belongs to {selection.problem}, not to the {which} problem "
            f"{problem}.",
            hint="Use reduced() and restored() of the same reduction.",
        )


def _free_items(problem: CoverageProblem) -> Ints:
    """Items that cost nothing and are the first to cover an element."""
    edges = problem.edges
    is_free = problem.costs == 0
    group, at_most = problem.group_limits
    if group.size:
        is_free &= group == at_most.size - 1
    is_free = is_free[edges.element_items]
    is_free &= np.repeat(problem.weights > 0, edges.element_degrees)
    found = np.flatnonzero(is_free)
    elements = np.searchsorted(edges.element_start, found, side="right")
    _, first = np.unique(elements, return_index=True)
    items = distinct(edges.element_items[found[first]])
    frozen(items)
    return items


def _relevant_edges(problem: CoverageProblem, is_open: Flags) -> Edges:
    """The graph without items that exceed the budget and elements that are decided.

    The numbering does not change.
    """
    edges = problem.edges
    is_open = is_open & (problem.weights > 0)
    is_affordable = problem.costs <= problem.budget
    if is_open.all() and is_affordable.all():
        return edges
    # Of millions of edges, 64-bit numbers would take the most memory of all steps.
    numbers = np.arange(is_open.size, dtype=np.int32)
    elements = np.repeat(numbers, edges.element_degrees)
    counts = is_affordable[edges.element_items] & is_open[elements]
    return Edges.between(
        edges.element_items[counts],
        elements[counts],
        num_items=edges.num_items,
        num_elements=edges.num_elements,
    )


def _representatives(graph: Edges, problem: CoverageProblem) -> Ints:
    """For every item one that dominates it and is not dominated, or itself."""
    found = np.arange(problem.num_items, dtype=np.int32)
    kernel.find_dominated_items(
        problem.costs,
        graph.item_start,
        graph.item_elements,
        graph.element_start,
        graph.element_items,
        # Steps of a nanosecond or two; the search ends much sooner, unless every
        # element has very many items.
        max(100 * graph.num_edges, 20_000_000),
        found,
    )
    group, at_most = problem.group_limits
    if group.size:
        # Elsewhere there may be no room for an item that replaces another.
        may_replace = (group[found] == group) | (group[found] == at_most.size - 1)
        found = np.where(may_replace, found, np.arange(found.size, dtype=np.int32))
    while (found[found] != found).any():
        found = found[found]
    return found.astype(np.int64)


def _edges_between_groups(
    graph: Edges, groups: Indices, number_of: Ints, free_item: Ints
) -> Edges:
    """Edges of the first element of each group; only a free item covers the last."""
    num_groups = int(groups.max(initial=-1)) + 1
    first = np.full(groups.size, False)
    first[np.unique(groups, return_index=True)[1]] = True
    first &= groups >= 0
    if free_item.size:
        first &= groups < num_groups - 1
    elements = np.repeat(np.where(first, groups, -1), graph.element_degrees)
    number_of = number_of.astype(np.int32)
    items = number_of[graph.element_items]
    is_kept = (elements >= 0) & (items >= 0)
    return Edges.between(
        np.append(items[is_kept], number_of[free_item]),
        np.append(
            elements[is_kept],
            np.full(free_item.size, num_groups - 1, dtype=np.int32),
        ),
        num_items=int(number_of.max(initial=-1)) + 1,
        num_elements=num_groups,
    )


def _group_weights(problem: CoverageProblem, groups: Indices) -> Floats:
    """Weight of each group: integers are summed exactly, others rounded up."""
    is_grouped = groups >= 0
    weights, groups = problem.weights[is_grouped], groups[is_grouped]
    sums: Floats = np.bincount(groups, weights).astype(np.float64)
    if problem.has_integer_weights:
        return sums
    sizes = np.bincount(groups)
    ends = np.cumsum(sizes)
    # Thousands of small groups: lists are faster than slices of arrays.
    ordered = weights[np.argsort(groups, kind="stable")].tolist()
    for k in np.flatnonzero(sizes > 1).tolist():
        sums[k] = sum_rounded_up(ordered[ends[k] - sizes[k] : ends[k]])
    return sums


def with_integer_costs(problem: CoverageProblem) -> CoverageProblem | None:
    """Return the problem with integer costs, or None if costs have many decimals.

    Every selection within the budget is within that of the result. The reverse may
    fail in the last bit of a sum: check the selection of the original problem.

    >>> from thatch import CoverageProblem
    >>> problem = CoverageProblem.from_sets([{0}, {1}], costs=[0.1, 2.5], budget=0.3)
    >>> scaled = with_integer_costs(problem)
    >>> scaled.costs, scaled.budget
    (array([ 1., 25.]), 3.0)
    """
    max_decimals = 9
    for decimals in range(max_decimals + 1):
        with np.errstate(over="ignore"):
            scaled = problem.costs * 10.0**decimals
            # Sums of up to this many units are off by less than a millionth of a unit.
            if not scaled.sum() <= 1e9:
                return None
        integers = np.rint(scaled)
        if (integers / 10.0**decimals == problem.costs).all():
            budget = min(problem.budget * 10.0**decimals, float(integers.sum()))
            return CoverageProblem(
                frozen(integers),
                problem.weights,
                float(floor(budget + tolerances.INTEGER)),
                problem.edges,
                constraints=problem.constraints,
            )
    return None
