"""Explorers: three ways to a local optimum, each continued at any time.

A climb exchanges items while that improves. Annealing also accepts exchanges that do
not, and less so as its temperature falls. Weighting is for selections that cover almost
everything: elements that stay uncovered gain weight until an item of theirs is chosen.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from thatch._kernels.exchanges import Exchanges
from thatch._kernels.search import Search
from thatch.arrays import Floats, Indices
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.edges import Edges
from thatch.problem.selection import Selection
from thatch.run.run import Run
from thatch.solvers.swapping import first_bits, swaps_of

# After this many rounds without progress a climb starts again.
_ROUNDS_BEFORE_RESTART = 20
# In a randomized greedy start, each gain is reduced by up to this share of itself.
_NOISE = 0.8

#: int8, shape (num_items,): 1 for every chosen item.
Marks = NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class Guide:
    """What multipliers say to annealing."""

    #: What a unit of the budget is worth.
    price: float
    #: Edges of the problem, those of an element by falling reduced profit.
    edges: Edges

    @classmethod
    def of(cls, problem: CoverageProblem, price: float, profits: Floats) -> Guide:
        """From a price and one reduced profit per item."""
        ranking = np.argsort(-profits, kind="stable")
        return cls(price, problem.edges.ranked(ranking))


class Explorer(Protocol):
    """A search that is continued at any time."""

    @property
    def best(self) -> Selection:
        """The best selection found so far."""
        ...

    def advance(self, work: float) -> float:
        """Search on for some work; return the work done, 0 at the end."""
        ...


def explored(
    explorer: Explorer, work: float, run: Run, *, work_per_check: float
) -> Selection:
    """The best selection after some more work, or when the run must stop."""
    while work > 0 and not run.must_stop:
        done = explorer.advance(min(work, work_per_check))
        if done == 0:
            break
        work -= done
    return explorer.best


class Climb:
    """Climb by exchanges, perturb, climb again, and relink the best selections."""

    def __init__(
        self,
        problem: CoverageProblem,
        start: Selection,
        *,
        seed: int,
        is_noisy: bool = False,
    ) -> None:
        """Start from a selection, completed greedily, with or without noise."""
        #: The best selection found so far.
        self.best = start
        self._problem = problem
        self._marks = _marks_of(start)
        self._search = Search(
            problem.costs,
            problem.weights,
            problem.edges,
            _limits(problem),
            self._marks,
            budget=_safe(problem, problem.budget),
            bits=first_bits(seed),
            tolerance=1e-12 * float(problem.weights.sum()),
        )
        self._elite = _Elite(problem, seed)
        self._noise = _NOISE if is_noisy else 0.0

    def advance(self, work: float) -> float:
        """Climb on for some work; return the work done."""
        return self.climb(10**9, work)[1]

    def climb(self, max_rounds: int, max_work: float) -> tuple[int, int]:
        """Search for some rounds; return how many there were, and their work."""
        search = self._search
        rounds = min(max_rounds, _ROUNDS_BEFORE_RESTART - search.stalled)
        work = search.search(rounds, self._noise, int(max_work))
        found = Selection.of(self._problem, np.flatnonzero(self._marks))
        if found.is_feasible and found.value > self.best.value:
            self.best = found
        self._noise = 0.0
        if search.stalled >= _ROUNDS_BEFORE_RESTART:
            self._elite.add(found.value, self._marks)
            self._noise = self._elite.restart(self._marks)
            search.stalled = 0
        # The overhead of a call.
        return rounds, work + 20_000


class Annealing:
    """Random exchanges from a selection on, at a falling temperature.

    Parameters
    ----------
    problem, start, seed
        What to search, from where, and the seed of the random numbers.
    temperatures
        The first and the last temperature.
    work
        The work until the last temperature.
    budget
        In place of the problem's own. The start must be within it.
    guide
        A price for what is not spent, and which items are proposed most often.
    """

    def __init__(
        self,
        problem: CoverageProblem,
        start: Selection,
        *,
        seed: int,
        temperatures: tuple[float, float],
        work: float,
        budget: float | None = None,
        guide: Guide | None = None,
    ) -> None:
        self._problem = problem
        self._marks, self._exchanges = _exchanges(
            problem, start, seed, budget=budget, guide=guide
        )
        self._first, self._last = temperatures
        self._temperature = self._first
        self._work = work

    @property
    def best(self) -> Selection:
        """The best selection of the second half."""
        return Selection(self._problem, np.flatnonzero(self._marks))

    def advance(self, work: float) -> float:
        """Anneal on for some work; return the work done, 0 at the last temperature."""
        if self._temperature <= self._last:
            return 0.0
        done: int
        done, self._temperature = self._exchanges.anneal(
            self._temperature, self._first, self._last, self._work, int(work)
        )
        return done


class Weighting:
    """Cover uncovered elements one by one, with weights that grow until they are."""

    def __init__(
        self, problem: CoverageProblem, start: Selection, *, seed: int
    ) -> None:
        self._problem = problem
        self._marks = _marks_of(start)
        self._least = problem.reachable_weight - start.value
        self._swaps = swaps_of(
            problem.costs,
            problem.weights,
            problem.edges,
            self._marks,
            problem.weights,
            seed=seed,
            budget=_safe(problem, problem.budget),
        )

    @property
    def best(self) -> Selection:
        """The best selection found so far."""
        return Selection(self._problem, np.flatnonzero(self._marks))

    def advance(self, work: float) -> float:
        """Search on for some work; return the work done, 0 if nothing is uncovered."""
        if self._least <= 0.0:
            return 0.0
        self._least = self._swaps.fill(int(work), self._least)
        return work


def _exchanges(
    problem: CoverageProblem,
    start: Selection,
    seed: int,
    *,
    budget: float | None = None,
    guide: Guide | None = None,
) -> tuple[Marks, Exchanges]:
    """Marks of the best selection, and the exchanges that set them."""
    marks = _marks_of(start)
    exchanges = Exchanges(
        problem.costs,
        problem.weights,
        problem.edges if guide is None else guide.edges,
        _limits(problem),
        marks,
        budget=_safe(problem, problem.budget if budget is None else budget),
        bits=first_bits(seed),
        # Where all costs are equal, no item is dropped without another.
        price=guide.price if guide and len(np.unique(problem.costs)) > 1 else 0.0,
        is_ranked=guide is not None,
    )
    return marks, exchanges


def _marks_of(selection: Selection) -> Marks:
    marks = np.zeros(selection.problem.num_items, dtype=np.int8)
    marks[selection.items] = 1
    return marks


def _limits(problem: CoverageProblem) -> tuple[Indices, Indices]:
    """The group of each item, and how many more of each group fit."""
    group, at_most = problem.group_limits
    return group, at_most.copy()


def _safe(problem: CoverageProblem, budget: float) -> float:
    """The budget, or a little less where sums of costs are rounded."""
    return (1.0 if problem.has_exact_costs else 1.0 - 1e-12) * budget


class _Elite:
    """The eight best local optima so far, and where to start the next search."""

    def __init__(self, problem: CoverageProblem, seed: int) -> None:
        self._problem = problem
        self._random = random.Random(int(seed))
        self._members: list[tuple[float, Marks]] = []

    def add(self, value: float, marks: Marks) -> None:
        """Add a selection, unless it is there already or all others are better."""
        if any(np.array_equal(marks, member) for _, member in self._members):
            return
        self._members.append((value, marks.copy()))
        self._members.sort(key=lambda member: -member[0])
        del self._members[8:]

    def restart(self, marks: Marks) -> float:
        """Mark the items to start with; return the noise of its greedy completion."""
        if len(self._members) < 2 or self._random.random() < 0.5:
            marks[:] = 0
            return _NOISE
        (_, here), (_, there) = self._random.sample(self._members, 2)
        self._relink(marks, here, there)
        return 0.0

    def _relink(self, marks: Marks, here: Marks, there: Marks) -> None:
        """Mark a selection halfway along a random path from here to there."""
        marks[:] = here
        leaving = np.flatnonzero(here > there).tolist()
        joining = np.flatnonzero(there > here).tolist()
        marks[self._random.sample(leaving, (len(leaving) + 1) // 2)] = 0
        costs = self._problem.costs
        room = self._problem.budget - float(costs @ marks)
        group, at_most = self._problem.group_limits
        spaces = at_most.copy()
        np.subtract.at(spaces, group[marks > 0] if group.size else [], 1)
        for i in self._random.sample(joining, len(joining)):
            if costs[i] <= room and (not group.size or spaces[group[i]] > 0):
                marks[i] = 1
                room -= costs[i]
                if group.size:
                    spaces[group[i]] -= 1
