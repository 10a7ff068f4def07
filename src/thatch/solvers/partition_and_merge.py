"""One problem in parts: each solved apart, then what they chose solved together.

Items are dealt out at random, so that every part is a small likeness of the whole: the
best selection has about its share of the budget in each (Mirzasoleiman, Karbasi, Sarkar
and Krause 2013). A part is given more than that share, since it does not know what the
others cover, and what the parts chose is solved again under the whole budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from math import ceil, inf, sqrt
from numbers import Integral
from typing import overload

import numpy as np

from thatch.arrays import Ints, distinct, frozen
from thatch.bounds.dual_bounds import dual_bound
from thatch.bounds.dual_descent import DualDescent
from thatch.devices import Device
from thatch.engines import Engine, num_workers_of
from thatch.errors import InputError
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.edges import Edges
from thatch.problem.selection import Selection
from thatch.run.result import Result, Status
from thatch.run.run import Run
from thatch.run.stopping import MaxSeconds
from thatch.solvers.auto import Auto
from thatch.solvers.base import Solver
from thatch.solvers.greedy import GeneralizedGreedy, complete_by_gain

__all__ = ["PartitionAndMerge"]

# Edges in a part unless the number of parts is given: some seconds of work.
_EDGES_PER_SHARD = 1_000_000
# What a part may spend: so many times its share, and so many standard deviations of
# what chance deals it.
_SHARES, _DEVIATIONS = 2.5, 4.0
# Of the time that is left: for the parts, and then for their union.
_TIME_SHARE_OF_SHARDS, _TIME_SHARE_OF_MERGE = 0.5, 0.7
# Steps to a bound of the whole, and between two looks at the clock.
_CHARGES, _CHARGES_A_LOOK = 100, 5


@dataclass(frozen=True)
class PartitionAndMerge:
    """Solve parts of the items on an engine, then the union of what they chose.

    With g-greedy for the parts this is GreeDi, but for the part's budget.

    The bound is one of the whole problem. The same seed gives the same answer on every
    engine, unless time runs out.

    >>> from thatch import solve
    >>> from thatch.engines import LocalEngine
    >>> from thatch.instances import toy
    >>> solve(toy.greedy_trap().problem, PartitionAndMerge(LocalEngine(num_workers=1)))
    Result(optimal, value 16, gap 0.000%, 2 items)
    """

    #: Where the parts are solved.
    engine: Engine
    #: How many parts; as many as have a million edges each, at least two, if None.
    num_shards: int | None = None
    #: What solves the union of what the parts chose.
    solver: Solver = field(default_factory=Auto)
    #: What solves the parts. They only propose: on parts of 12,500 items of a random
    #: graph `Auto` took a hundred times as long, and the answer was no better.
    first: Solver = field(default_factory=GeneralizedGreedy)

    def __post_init__(self) -> None:
        if self.num_shards is None:
            return
        is_whole = isinstance(self.num_shards, Integral)
        if not is_whole or isinstance(self.num_shards, bool) or self.num_shards < 1:
            raise InputError(
                f"num_shards must be a whole number >= 1, got {self.num_shards!r}.",
                hint="Leave it out for parts of a million edges.",
            )

    def solve(self, problem: CoverageProblem, run: Run) -> Result:
        """Deal out, solve apart, solve the union, and bound the whole."""
        shards = _Shards(problem, self._num_shards(problem), seed=run.seed)
        work = partial(_chosen, self._shard_run(len(shards), run))
        chosen: dict[int, Selection] = {}
        best = Selection.of(problem, [])
        for shard, positions in self.engine.map(work, shards):
            items = shards.items_of(shard.number)[positions]
            chosen[shard.number] = Selection(problem, items)
            best = _better(best, chosen[shard.number])
            if run.report(best, step="part") is not None:
                break
        # Of two as good, the first is taken, whichever came first.
        ordered = [chosen[number] for number in sorted(chosen)]
        best = reduce(_better, ordered, Selection.of(problem, []))
        union = distinct(best.items, *(each.items for each in ordered))
        best = _better(best, self._merged(problem, union, run))
        best = complete_by_gain(problem, best.items, divisors=problem.costs)
        bound = _bound(problem, best, run)
        status = run.report(best, upper_bound=bound, step="union")
        return run.result(best, status or Status.FINISHED, upper_bound=bound)

    def _num_shards(self, problem: CoverageProblem) -> int:
        wanted = self.num_shards or max(2, ceil(problem.num_edges / _EDGES_PER_SHARD))
        return max(1, min(wanted, problem.num_items))

    def _shard_run(self, num_shards: int, run: Run) -> _ShardRun:
        num_turns = ceil(num_shards / num_workers_of(self.engine))
        max_seconds = _TIME_SHARE_OF_SHARDS * run.seconds_left / num_turns
        return _ShardRun(self.first, int(run.seed), run.device, max_seconds)

    def _merged(self, problem: CoverageProblem, items: Ints, run: Run) -> Selection:
        union = _sub_problem(problem, items, problem.budget)
        within = run.unreported()
        if run.seconds_left < inf:
            within = within.with_time_share(_TIME_SHARE_OF_MERGE)
        found = self.solver.solve(union, within).selection
        return Selection(problem, items[found.items])


@dataclass(frozen=True)
class _ShardRun:
    """How a part is solved, wherever that is."""

    solver: Solver
    seed: int
    device: Device
    max_seconds: float


@dataclass(frozen=True, eq=False)
class _Shard:
    """Some of the items, as a problem of their own."""

    number: int
    problem: CoverageProblem

    def __repr__(self) -> str:
        return f"part {self.number} ({self.problem})"


def _chosen(how: _ShardRun, shard: _Shard) -> Ints:
    """Positions, within a part, of the items to keep."""
    stop = [] if how.max_seconds == inf else [MaxSeconds(how.max_seconds)]
    run = Run(stop=stop, seed=how.seed, device=how.device)
    return how.solver.solve(shard.problem, run).selection.items


class _Shards(Sequence[_Shard]):
    """The items dealt out at random; each part is made when it is asked for."""

    def __init__(self, problem: CoverageProblem, num_shards: int, *, seed: int) -> None:
        self._problem = problem
        self._num_shards = num_shards
        # Raw bits, which mean the same in every version of NumPy.
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
        return _Shard(number, _sub_problem(self._problem, items, self._budget))

    def items_of(self, number: int) -> Ints:
        """Items of a part, ascending."""
        return np.sort(self._order[number :: self._num_shards])


def _shard_budget(problem: CoverageProblem, num_shards: int) -> float:
    budget = problem.budget
    largest_cost = float(problem.costs[problem.affordable_items].max(initial=0.0))
    chance = _DEVIATIONS * sqrt(budget * largest_cost / num_shards)
    return min(budget, _SHARES * budget / num_shards + chance)


def _sub_problem(
    problem: CoverageProblem, items: Ints, budget: float
) -> CoverageProblem:
    """Some items alone, with the elements that they cover."""
    edges = problem.edges
    degrees = edges.item_degrees[items]
    ends = np.cumsum(degrees)
    # Places of these items' edges among all edges grouped by item.
    places = np.arange(degrees.sum()) + np.repeat(
        edges.item_start[items] - ends + degrees, degrees
    )
    elements = edges.item_elements[places]
    is_reached = np.zeros(problem.num_elements, dtype=bool)
    is_reached[elements] = True
    number_of = np.cumsum(is_reached) - 1
    return CoverageProblem(
        frozen(problem.costs[items]),
        frozen(problem.weights[is_reached]),
        budget,
        Edges.between(
            np.repeat(np.arange(items.size), degrees),
            number_of[elements],
            num_items=items.size,
            num_elements=int(is_reached.sum()),
        ),
    )


def _better(one: Selection, other: Selection) -> Selection:
    return other if other.is_feasible and other.value > one.value else one


def _bound(problem: CoverageProblem, best: Selection, run: Run) -> float:
    """A bound of the whole, if there is time for one."""
    multipliers = DualDescent(
        problem, best, num_threads=run.num_threads, device=run.device
    )
    for _ in range(0, _CHARGES, _CHARGES_A_LOOK):
        if run.check_stop() is not None:
            return inf
        multipliers.improve(_CHARGES_A_LOOK)
    return min(
        dual_bound(problem, problem.weights), dual_bound(problem, multipliers.values)
    )
