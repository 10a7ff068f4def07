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
from thatch.bounds.dual_descent import Charges
from thatch.devices import Device
from thatch.problem.edges import Edges
from thatch.engines import Engine, num_workers_of
from thatch.errors import InputError
from thatch.problem.coverage_problem import CoverageProblem
from thatch.run.result import Result, Status
from thatch.run.run import Run
from thatch.run.stopping import MaxSeconds
from thatch.problem.selection import Selection
from thatch.solvers.auto import Auto
from thatch.solvers.base import Solver
from thatch.solvers.greedy import GeneralizedGreedy, fill_by_gain

__all__ = ["TwoRounds"]

# Edges in a part unless the number of parts is given: some seconds of work.
_EDGES_A_PART = 1_000_000
# What a part may spend: so many times its share, and so many standard deviations of
# what chance deals it.
_SHARES, _DEVIATIONS = 2.5, 4.0
# Of the time that is left: for the parts, and then for their union.
_TIME_OF_PARTS, _TIME_OF_UNION = 0.5, 0.7
# Steps to a bound of the whole, and between two looks at the clock.
_CHARGES, _CHARGES_A_LOOK = 100, 5


@dataclass(frozen=True)
class TwoRounds:
    """Solve parts of the items on an engine, then the union of what they chose.

    With g-greedy for the parts this is GreeDi, but for the part's budget.

    The bound is one of the whole problem. The same seed gives the same answer on every
    engine, unless time runs out.

    >>> from thatch import solve
    >>> from thatch.engines import LocalEngine
    >>> from thatch.instances import toy
    >>> solve(toy.greedy_trap().problem, TwoRounds(LocalEngine(num_workers=1)))
    Result(optimal, value 16, gap 0.000%, 2 items)
    """

    #: Where the parts are solved.
    engine: Engine
    #: How many parts; as many as have a million edges each, at least two, if None.
    num_parts: int | None = None
    #: What solves the union of what the parts chose.
    solver: Solver = field(default_factory=Auto)
    #: What solves the parts. They only propose: on parts of 12,500 items of a random
    #: graph `Auto` took a hundred times as long, and the answer was no better.
    first: Solver = field(default_factory=GeneralizedGreedy)

    def __post_init__(self) -> None:
        if self.num_parts is None:
            return
        is_whole = isinstance(self.num_parts, Integral)
        if not is_whole or isinstance(self.num_parts, bool) or self.num_parts < 1:
            raise InputError(
                f"num_parts must be a whole number >= 1, got {self.num_parts!r}.",
                hint="Leave it out for parts of a million edges.",
            )

    def solve(self, problem: CoverageProblem, run: Run) -> Result:
        """Deal out, solve apart, solve the union, and bound the whole."""
        parts = _Parts(problem, self._num_parts(problem), seed=run.seed)
        work = partial(_chosen, self._part_run(len(parts), run))
        chosen: dict[int, Selection] = {}
        best = Selection.of(problem, [])
        for part, positions in self.engine.map(work, parts):
            items = parts.items_of(part.number)[positions]
            chosen[part.number] = Selection(problem, items)
            best = _better(best, chosen[part.number])
            if run.report(best, step="part") is not None:
                break
        # Of two as good, the first is taken, whichever came first.
        ordered = [chosen[number] for number in sorted(chosen)]
        best = reduce(_better, ordered, Selection.of(problem, []))
        union = distinct(best.items, *(each.items for each in ordered))
        best = _better(best, self._of_union(problem, union, run))
        best = fill_by_gain(problem, best.items, divisors=problem.costs)
        bound = _bound(problem, best, run)
        status = run.report(best, upper_bound=bound, step="union")
        return run.result(best, status or Status.FINISHED, upper_bound=bound)

    def _num_parts(self, problem: CoverageProblem) -> int:
        wanted = self.num_parts or max(2, ceil(problem.num_edges / _EDGES_A_PART))
        return max(1, min(wanted, problem.num_items))

    def _part_run(self, num_parts: int, run: Run) -> _PartRun:
        num_turns = ceil(num_parts / num_workers_of(self.engine))
        max_seconds = _TIME_OF_PARTS * run.seconds_left / num_turns
        return _PartRun(self.first, int(run.seed), run.device, max_seconds)

    def _of_union(self, problem: CoverageProblem, items: Ints, run: Run) -> Selection:
        union = _sub_problem(problem, items, problem.budget)
        within = run.silent()
        if run.seconds_left < inf:
            within = within.within(_TIME_OF_UNION)
        found = self.solver.solve(union, within).selection
        return Selection(problem, items[found.items])


@dataclass(frozen=True)
class _PartRun:
    """How a part is solved, wherever that is."""

    solver: Solver
    seed: int
    device: Device
    max_seconds: float


@dataclass(frozen=True, eq=False)
class _Part:
    """Some of the items, as a problem of their own."""

    number: int
    problem: CoverageProblem

    def __repr__(self) -> str:
        return f"part {self.number} ({self.problem})"


def _chosen(how: _PartRun, part: _Part) -> Ints:
    """Positions, within a part, of the items to keep."""
    stop = [] if how.max_seconds == inf else [MaxSeconds(how.max_seconds)]
    run = Run(stop=stop, seed=how.seed, device=how.device)
    return how.solver.solve(part.problem, run).selection.items


class _Parts(Sequence[_Part]):
    """The items dealt out at random; each part is made when it is asked for."""

    def __init__(self, problem: CoverageProblem, num_parts: int, *, seed: int) -> None:
        self._problem = problem
        self._num_parts = num_parts
        # Raw bits, which mean the same in every version of NumPy.
        draws = np.random.PCG64(seed).random_raw(problem.num_items)
        self._order = np.argsort(draws, kind="stable")
        self._budget = _budget_of_part(problem, num_parts)

    def __len__(self) -> int:
        return self._num_parts

    @overload
    def __getitem__(self, number: int) -> _Part: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[_Part]: ...
    def __getitem__(self, number: int | slice) -> _Part | Sequence[_Part]:
        if isinstance(number, slice):
            return [self[each] for each in range(len(self))[number]]
        if not 0 <= number < len(self):
            raise IndexError(number)
        items = self.items_of(number)
        return _Part(number, _sub_problem(self._problem, items, self._budget))

    def items_of(self, number: int) -> Ints:
        """Items of a part, ascending."""
        return np.sort(self._order[number :: self._num_parts])


def _budget_of_part(problem: CoverageProblem, num_parts: int) -> float:
    budget = problem.budget
    largest_cost = float(problem.costs[problem.affordable_items].max(initial=0.0))
    chance = _DEVIATIONS * sqrt(budget * largest_cost / num_parts)
    return min(budget, _SHARES * budget / num_parts + chance)


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
    charges = Charges(problem, best, num_threads=run.num_threads, device=run.device)
    for _ in range(0, _CHARGES, _CHARGES_A_LOOK):
        if run.ask() is not None:
            return inf
        charges.improve(_CHARGES_A_LOOK)
    return min(
        dual_bound(problem, problem.weights), dual_bound(problem, charges.values)
    )
