"""Greedy solvers: items are added one after the other and never removed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf
from typing import ClassVar

import numpy as np

from thatch._kernels import gains as kernel
from thatch._kernels import graph
from thatch.arrays import Flags, Floats, Indices, Ints, exact_sum, number, value_at
from thatch.errors import InputError
from thatch.problem.constraints import LIMITS, ConstraintKind
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.result import Result, Status
from thatch.run.run import Run

#: Binary digits of a ratio that count in a ranking.
NUM_BITS = 40


@dataclass(frozen=True)
class Greedy:
    """Add the item that gains the most and still fits, until none does.

    >>> from thatch import solve
    >>> from thatch.problem.instances import toy
    >>> solve(toy.greedy_trap().problem, Greedy()).selection.value
    13.0
    """

    accepts: ClassVar[frozenset[ConstraintKind]] = LIMITS

    def solve(self, problem: CoverageProblem, run: Run) -> Result:
        """Complete the empty selection."""
        best = complete_by_gain(problem, (), divisors=np.ones(problem.num_items))
        run.report(best, step="greedy")
        return run.result(best, Status.FINISHED)


@dataclass(frozen=True)
class GeneralizedGreedy:
    """Add the item that gains the most per cost: the paper's Algorithm 1, g-greedy.

    Unlike there, the best single item that fits is taken if it covers more. So the
    result reaches at least (1 - 1/e) / 2 of the optimum (Khuller, Moss and Naor 1999).
    With `seed_size` 3 it completes every set of up to three items and reaches 1 - 1/e,
    in time that grows with the fourth power of the number of items.

    >>> from thatch import solve
    >>> from thatch.problem.instances import toy
    >>> solve(toy.cheap_crumb().problem, GeneralizedGreedy()).selection.value
    10.0
    """

    #: Maximum number of items in the sets that are completed.
    seed_size: int = 0

    accepts: ClassVar[frozenset[ConstraintKind]] = LIMITS

    def __post_init__(self) -> None:
        if self.seed_size not in (0, 1, 2, 3):
            raise InputError(
                f"seed_size is {self.seed_size!r}; it must be 0, 1, 2 or 3.",
                hint="3 guarantees 1 - 1/e of the optimum; more would not improve it.",
            )

    def solve(self, problem: CoverageProblem, run: Run) -> Result:
        """Complete the empty selection, then every seed."""
        best = complete_by_gain(problem, (), divisors=problem.costs)
        single = _best_single(problem)
        if single is not None and single.value > best.value:
            best = single
        status = run.report(best, step="ggreedy")
        for seed in _seeds(problem, self.seed_size):
            if status is not None:
                return run.result(best, status)
            found = complete_by_gain(problem, seed, divisors=problem.costs)
            best = found if found.value > best.value else best
            status = run.report(best, step="ggreedy from a seed")
        return run.result(best, Status.FINISHED)


@dataclass(frozen=True)
class StaticGreedy:
    """Rank items once by covered weight per cost, and add all that fit in that order.

    With an inverse temperature, this is the limit of the paper's Algorithm 2 as the
    price grows: see `item_weights`.

    >>> from thatch import solve
    >>> from thatch.problem.instances import toy
    >>> solve(toy.greedy_trap().problem, StaticGreedy()).selection.value
    13.0

    Two elements of weight 2 against three of weight 1, at the same cost: at a high
    temperature their number decides.

    >>> from thatch import CoverageProblem
    >>> problem = CoverageProblem.from_sets(
    ...     [[0, 1], [2, 3, 4]], weights=[2, 2, 1, 1, 1], budget=1
    ... )
    >>> solve(problem, StaticGreedy()).selection.value
    4.0
    >>> solve(problem, StaticGreedy(inverse_temperature=0.1)).selection.value
    3.0
    """

    #: As in `item_weights`.
    inverse_temperature: float = inf

    accepts: ClassVar[frozenset[ConstraintKind]] = LIMITS

    def __post_init__(self) -> None:
        if not number("inverse_temperature", self.inverse_temperature) > 0:
            raise InputError(
                f"inverse_temperature is {self.inverse_temperature}; it must be "
                "positive.",
                hint="Leave it out to rank by weight per cost.",
            )

    def solve(self, problem: CoverageProblem, run: Run) -> Result:
        """Rank, then add."""
        merits = item_weights(problem, inverse_temperature=self.inverse_temperature)
        best = round_by_rank(problem, merits)
        run.report(best, step="static")
        return run.result(best, Status.FINISHED)


def item_weights(
    problem: CoverageProblem, *, inverse_temperature: float = inf
) -> Floats:
    """Total weight that each item covers by itself.

    Parameters
    ----------
    problem
        The problem.
    inverse_temperature
        At a finite one, beta, a weight w counts as ln(1 + exp(beta w)) / beta. This is
        the reply of an element whose other items are all off, and so the limit of
        eq. (BP2) as the price grows. It approaches w as beta w grows, and ln(2) / beta
        as it vanishes.
    """
    weights = problem.weights
    if inverse_temperature < inf:
        with np.errstate(over="ignore"):
            excess = np.log1p(np.exp(-inverse_temperature * weights))
        weights = weights + excess / inverse_temperature
    sums = np.empty(problem.num_items)
    edges = problem.edges
    graph.sum_over_elements(weights, edges.item_start, edges.item_elements, sums)
    return sums


def round_by_rank(problem: CoverageProblem, merits: Floats) -> Selection:
    """Add every item that still fits, in descending order of merit per cost.

    The second half of the paper's Algorithm 2.
    """
    group, at_most = problem.group_limits
    costs, budget = problem.costs, problem.budget
    chosen = (
        _chosen_by_rank_in_groups(merits, costs, budget, group, at_most.copy())
        if group.size
        else chosen_by_rank(merits, costs, budget)
    )
    return Selection.of(problem, np.flatnonzero(chosen))


def chosen_in_order(problem: CoverageProblem, order: Ints) -> Selection:
    """Every item that still fits, in a given order."""
    group, at_most = problem.group_limits
    chosen = _added_in_order(
        order, problem.costs, problem.budget, group, at_most.copy()
    )
    return Selection(problem, np.flatnonzero(chosen))


def chosen_by_rank(merits: Floats, costs: Floats, budget: float) -> Flags:
    """Which items are added by `round_by_rank`, where groups have no limits.

    >>> chosen_by_rank(np.array([4.0, 9.0, 1.0]), np.array([2.0, 3.0, 1.0]), 4.0)
    array([False,  True,  True])
    """
    # Of more items, only those at the end of a ranking are sorted.
    if costs.size > 100_000:
        chosen = _chosen_of_many(merits, costs, budget)
        # Otherwise a running sum was rounded down to the budget.
        if exact_sum(costs[chosen]) <= budget:
            return chosen
    none = np.zeros(0, dtype=np.int32)
    return _chosen_by_rank_in_groups(merits, costs, budget, none, none)


def _chosen_by_rank_in_groups(
    merits: Floats, costs: Floats, budget: float, group: Indices, at_most: Indices
) -> Flags:
    """The same with limits of groups, which are used up."""
    order = np.argsort(-_ratios(merits, costs), kind="stable")
    return _added_in_order(order, costs, budget, group, at_most)


def _added_in_order(
    order: Ints, costs: Floats, budget: float, group: Indices, at_most: Indices
) -> Flags:
    """Which items are added in that order; the limits of groups are used up."""
    chosen = np.zeros(costs.size, dtype=np.int8)
    kernel.add_in_order(order, costs, budget, chosen, group, at_most)
    for item in order[chosen[order] != 0][::-1].tolist():
        # The running sum may have been rounded down: the last item is one too many.
        if exact_sum(costs[chosen.view(np.bool_)]) <= budget:
            break
        chosen[item] = 0
    return chosen.view(np.bool_)


def _chosen_of_many(merits: Floats, costs: Floats, budget: float) -> Flags:
    """The same for many items, of which only the last ones are sorted.

    All items above the ratio at which the budget runs out are added in any order. From
    there on, those that fit what is left are looked at in blocks.
    """
    ratios = _ratios(merits, costs)
    last = value_at(ratios, costs, budget)
    if last is None:
        return np.ones(costs.size, dtype=np.bool_)
    chosen = (ratios > last).astype(np.int8)
    room = budget - exact_sum(costs[chosen.view(np.bool_)])
    none = np.zeros(0, dtype=np.int32)
    waiting = np.flatnonzero((chosen == 0) & (costs <= room))
    block_size = 10_000
    while waiting.size:
        lowest = value_at(ratios[waiting], np.ones(waiting.size), block_size)
        is_next = ratios[waiting] >= (-inf if lowest is None else lowest)
        block = waiting[is_next]
        order = block[np.argsort(-ratios[block], kind="stable")]
        kernel.add_in_order(order, costs, room, chosen, none, none)
        room -= exact_sum(costs[order[chosen[order] != 0]])
        waiting = waiting[~is_next]
        waiting = waiting[costs[waiting] <= room]
    return chosen.view(np.bool_)


def ranking(problem: CoverageProblem, merits: Floats) -> Ints:
    """Items in descending order of merit per cost, equal ones by index.

    Ratios are equal if they agree to twelve digits.
    Items without cost come first if their merit is positive, last if it is negative.
    """
    return np.argsort(-_ratios(merits, problem.costs), kind="stable")


def _ratios(merits: Floats, costs: Floats) -> Floats:
    """Merit per cost, to twelve digits."""
    ratios = np.empty(costs.size)
    # In blocks, since temporary arrays of all items may not fit the memory.
    block_size = 2**18
    for first in range(0, costs.size, block_size):
        block = slice(first, first + block_size)
        merits_here, costs_here = merits[block], costs[block]
        with np.errstate(over="ignore"):
            exact = np.divide(
                merits_here,
                costs_here,
                where=costs_here > 0,
                out=np.where(merits_here == 0, 0.0, np.copysign(np.inf, merits_here)),
            )
        ratios[block] = _without_last_digits(exact)
    return ratios


def _without_last_digits(ratios: Floats) -> Floats:
    """Round to twelve digits: rounding errors must not decide between equal ratios."""
    mantissas, exponents = np.frexp(ratios)
    kept = np.rint(mantissas * 2.0**NUM_BITS)
    rounded: Floats = np.ldexp(kept, exponents - NUM_BITS)
    return rounded


def complete_by_gain(
    problem: CoverageProblem, seed: Sequence[int] | Ints, *, divisors: Floats
) -> Selection:
    """Complete a seed greedily by the item of largest gain per divisor."""
    edges = problem.edges
    start = Selection.of(problem, seed)
    chosen = np.zeros(problem.num_items, dtype=np.int8)
    chosen[start.items] = 1
    group, at_most = problem.group_limits
    room = at_most.copy()
    np.subtract.at(room, group[start.items] if group.size else [], 1)
    kernel.complete_greedily(
        problem.costs,
        divisors,
        problem.budget,
        problem.weights,
        edges.item_start,
        edges.item_elements,
        edges.element_start,
        edges.element_items,
        start.cover_counts.copy(),
        chosen,
        group,
        room,
    )
    return Selection.of(problem, np.flatnonzero(chosen))


def _best_single(problem: CoverageProblem) -> Selection | None:
    fits = problem.costs <= problem.budget
    group, at_most = problem.group_limits
    if group.size:
        fits &= at_most[group] > 0
    if not fits.any():
        return None
    weights = np.where(fits, item_weights(problem), -1.0)
    return Selection.of(problem, [int(np.argmax(weights))])


def _seeds(problem: CoverageProblem, max_size: int) -> Iterator[tuple[int, ...]]:
    for size in range(1, max_size + 1):
        for seed in combinations(range(problem.num_items), size):
            if Selection.of(problem, seed).is_feasible:
                yield seed
