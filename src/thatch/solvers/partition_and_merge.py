"""Distributed solving: shards of the items solved apart, then merged.

Items are distributed at random, so that every shard is a small sample of the whole: the
best selection spends about its share of the budget in each (Mirzasoleiman, Karbasi,
Sarkar and Krause 2013). A shard gets more than that share, since it does not know what
the others cover. What the shards choose is solved again under the whole budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from math import ceil, inf, sqrt
from typing import overload

import numpy as np

from thatch.arrays import Ints, distinct
from thatch.bounds.dual_descent import first_order_bound
from thatch.devices import Device
from thatch.engines import Engine, num_workers_of
from thatch.options import require_integer
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.result import Result, Status
from thatch.run.run import Run
from thatch.run.stopping import MaxSeconds
from thatch.solvers.auto import Auto
from thatch.solvers.base import Solver, checked_result
from thatch.solvers.greedy import GeneralizedGreedy, complete_by_gain

__all__ = ["PartitionAndMerge"]

# Edges per shard if the number of shards is not given: some seconds of work.
_EDGES_PER_SHARD = 1_000_000
# What a shard may spend: this multiple of its share of the budget, and this many
# standard deviations of the random distribution.
_SHARES, _DEVIATIONS = 2.5, 4.0
# Shares of the remaining time: for the shards, and then for the merged problem.
_TIME_SHARE_OF_SHARDS, _TIME_SHARE_OF_MERGE = 0.5, 0.7
# Iterations of the descent that bounds the whole problem.
_DESCENT_ITERATIONS = 100


@dataclass(frozen=True)
class PartitionAndMerge:
    """Solve shards of the items on an engine, then the union of what they choose.

    With g-greedy for the shards this is GreeDi, except for the budget of a shard.

    The bound holds for the whole problem. The same seed gives the same answer on every
    engine, unless the time limit is reached.

    >>> from thatch import solve
    >>> from thatch.engines import LocalEngine
    >>> from thatch.instances import toy
    >>> solve(toy.greedy_trap().problem, PartitionAndMerge(LocalEngine(num_workers=1)))
    Result(optimal, value 16, gap 0.000%, 2 items)
    """

    #: Where the shards are solved.
    engine: Engine
    #: How many shards; if None, one per million edges, at least two.
    num_shards: int | None = None
    #: The solver for the union of what the shards choose.
    solver: Solver = field(default_factory=Auto)
    #: The solver for the shards. They only propose items: on shards of 12,500 items of
    #: a random graph, `Auto` took a hundred times as long and did not improve the
    #: answer.
    shard_solver: Solver = field(default_factory=GeneralizedGreedy)

    def __post_init__(self) -> None:
        if self.num_shards is not None:
            hint = "Leave it out for one shard per million edges."
            require_integer("num_shards", self.num_shards, least=1, hint=hint)

    def solve(self, problem: CoverageProblem, run: Run) -> Result:
        """Distribute the items, solve the shards, merge, and bound the whole."""
        shards = _Shards(problem, self._num_shards(problem), seed=run.seed)
        work = partial(_chosen, self._shard_run(len(shards), run))
        chosen: dict[int, Selection] = {}
        best = Selection.of(problem, [])
        for shard, positions in self.engine.map(work, shards):
            items = shards.items_of(shard.number)[positions]
            chosen[shard.number] = Selection(problem, items)
            best = _better(best, chosen[shard.number])
            if run.report(best, step="shard") is not None:
                break
        # Of two equally good selections the first by number is taken, whichever was
        # finished first.
        ordered = [chosen[number] for number in sorted(chosen)]
        best = reduce(_better, ordered, Selection.of(problem, []))
        union = distinct(best.items, *(each.items for each in ordered))
        best = _better(best, self._merged(problem, union, run))
        best = complete_by_gain(problem, best.items, divisors=problem.costs)
        bound = inf if run.must_stop else _bound(problem, best, run)
        status = run.report(best, upper_bound=bound, step="merge")
        return run.result(best, status or Status.FINISHED, upper_bound=bound)

    def _num_shards(self, problem: CoverageProblem) -> int:
        wanted = self.num_shards or max(2, ceil(problem.num_edges / _EDGES_PER_SHARD))
        return max(1, min(wanted, problem.num_items))

    def _shard_run(self, num_shards: int, run: Run) -> _ShardRun:
        num_turns = ceil(num_shards / num_workers_of(self.engine))
        max_seconds = _TIME_SHARE_OF_SHARDS * run.seconds_left / num_turns
        return _ShardRun(self.shard_solver, int(run.seed), run.device, max_seconds)

    def _merged(self, problem: CoverageProblem, items: Ints, run: Run) -> Selection:
        union = _restricted(problem, items, problem.budget)
        merge_run = run.unreported()
        if run.seconds_left < inf:
            merge_run = merge_run.with_time_share(_TIME_SHARE_OF_MERGE)
        result = self.solver.solve(union, merge_run)
        found = checked_result(union, self.solver, result).selection
        return Selection(problem, items[found.items])


@dataclass(frozen=True)
class _ShardRun:
    """How a shard is solved, on any worker."""

    solver: Solver
    seed: int
    device: Device
    max_seconds: float


@dataclass(frozen=True, eq=False)
class _Shard:
    """Some of the items, as a smaller problem."""

    number: int
    problem: CoverageProblem

    def __repr__(self) -> str:
        return f"shard {self.number} ({self.problem})"


def _chosen(how: _ShardRun, shard: _Shard) -> Ints:
    """Positions of the chosen items within a shard."""
    stop = [] if how.max_seconds == inf else [MaxSeconds(how.max_seconds)]
    run = Run(stop=stop, seed=how.seed, device=how.device)
    result = how.solver.solve(shard.problem, run)
    return checked_result(shard.problem, how.solver, result).selection.items


class _Shards(Sequence[_Shard]):
    """The items distributed at random; a shard is built when it is accessed."""

    def __init__(self, problem: CoverageProblem, num_shards: int, *, seed: int) -> None:
        self._problem = problem
        self._num_shards = num_shards
        # Raw bits, which are the same in every version of NumPy.
        draws = np.random.PCG64(seed).random_raw(problem.num_items)
        self._order = np.argsort(draws, kind="stable")
        self._budget = _shard_budget(problem, num_shards)

    def __len__(self) -> int:
        return self._num_shards

    @overload
    def __getitem__(self, number: int) -> _Shard: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[_Shard]: ...
    def __getitem__(self, number: int | slice) -> _Shard | Sequence[_Shard]:
        if isinstance(number, slice):
            return [self[each] for each in range(len(self))[number]]
        if not 0 <= number < len(self):
            raise IndexError(number)
        items = self.items_of(number)
        return _Shard(number, _restricted(self._problem, items, self._budget))

    def items_of(self, number: int) -> Ints:
        """Items of a shard, ascending."""
        return np.sort(self._order[number :: self._num_shards])


def _shard_budget(problem: CoverageProblem, num_shards: int) -> float:
    budget = problem.budget
    largest_cost = float(problem.costs[problem.affordable_items].max(initial=0.0))
    deviation = _DEVIATIONS * sqrt(budget * largest_cost / num_shards)
    return min(budget, _SHARES * budget / num_shards + deviation)


def _restricted(
    problem: CoverageProblem, items: Ints, budget: float
) -> CoverageProblem:
    """The problem of these items alone, with another budget."""
    return problem.restricted_to(items).with_budget(budget)


def _better(one: Selection, other: Selection) -> Selection:
    return other if other.is_feasible and other.value > one.value else one


def _bound(problem: CoverageProblem, best: Selection, run: Run) -> float:
    return first_order_bound(
        problem,
        start=best,
        iterations=_DESCENT_ITERATIONS,
        num_threads=run.num_threads,
        device=run.device,
        should_stop=lambda: run.must_stop,
    )
