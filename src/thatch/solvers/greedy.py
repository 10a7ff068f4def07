"""Greedy solvers: items are added one after the other and never removed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from thatch._kernels import gains as kernel
from thatch.arrays import Floats, Ints
from thatch.errors import InputError
from thatch.problem.constraints import LIMITS, ConstraintKind
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.result import Result, Status
from thatch.run.run import Run


@dataclass(frozen=True)
class Greedy:
    """Add the item that gains the most and still fits, until none does.

    >>> from thatch import solve
    >>> from thatch.instances import toy
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

    The result is never worse than the best single item that fits, so it reaches at
    least (1 - 1/e) / 2 of the optimum (Khuller, Moss and Naor 1999). With `seed_size` 3
    it completes every set of up to three items and reaches 1 - 1/e, in time that grows
    with the fourth power of the number of items.

    >>> from thatch import solve
    >>> from thatch.instances import toy
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

    Belief propagation at an infinite price does the same.

    >>> from thatch import solve
    >>> from thatch.instances import toy
    >>> solve(toy.greedy_trap().problem, StaticGreedy()).selection.value
    13.0
    """

    accepts: ClassVar[frozenset[ConstraintKind]] = LIMITS

    def solve(self, problem: CoverageProblem, run: Run) -> Result:
        """Rank, then add."""
        best = round_by_rank(problem, item_weights(problem))
        run.report(best, step="static")
        return run.result(best, Status.FINISHED)


def item_weights(problem: CoverageProblem) -> Floats:
    """Total weight that each item covers by itself."""
    sums = np.empty(problem.num_items)
    edges = problem.edges
    kernel.sum_over_elements(
        problem.weights, edges.item_start, edges.item_elements, sums
    )
    return sums


def round_by_rank(problem: CoverageProblem, merits: Floats) -> Selection:
    """Add every item that still fits, in descending order of merit per cost.

    The second half of the paper's Algorithm 2.
    """
    chosen = np.zeros(problem.num_items, dtype=np.int8)
    order = ranking(problem, merits)
    group, at_most = problem.group_limits
    kernel.add_in_order(
        order, problem.costs, problem.budget, chosen, group, at_most.copy()
    )
    selection = Selection.of(problem, np.flatnonzero(chosen))
    for item in order[::-1].tolist():
        # The running sum may have been rounded down: the last item is one too many.
        if selection.is_feasible:
            break
        chosen[item] = 0
        selection = Selection.of(problem, np.flatnonzero(chosen))
    return selection


def ranking(problem: CoverageProblem, merits: Floats) -> Ints:
    """Items in descending order of merit per cost, equal ones by index.

    Items without cost come first if their merit is positive, last if it is negative.
    """
    costs = problem.costs
    with np.errstate(over="ignore"):
        ratios = np.divide(
            merits,
            costs,
            where=costs > 0,
            out=np.where(merits == 0, 0.0, np.copysign(np.inf, merits)),
        )
    return np.argsort(-ratios, kind="stable")


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
