"""Local search: exchange items as long as the selection improves."""

from __future__ import annotations

import random
from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from thatch._kernels.search import Search
from thatch.arrays import number
from thatch.errors import InputError
from thatch.options import require_integer
from thatch.problem.constraints import LIMITS, ConstraintKind
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.result import Result, Status
from thatch.run.run import Run
from thatch.solvers.base import Solver, starting_selection
from thatch.solvers.greedy import GeneralizedGreedy

# Work is counted in items and edges looked at. At most this much between two reports:
# a tenth of a second.
_WORK_PER_REPORT = 20_000_000
# The overhead of a call.
_WORK_PER_CALL = 20_000
# After this many rounds without progress the search restarts.
_ROUNDS_BEFORE_RESTART = 20
# In a randomized greedy start, each gain is reduced by up to this share of itself.
_NOISE = 0.8
_ELITE_SIZE = 8

#: int8, shape (num_items,): 1 for every chosen item.
Marks = NDArray[np.int8]


@dataclass(frozen=True)
class LocalSearch:
    """Climb by exchanges, perturb, climb again, and relink the best selections found.

    >>> from thatch import solve
    >>> from thatch.instances import toy
    >>> solve(toy.greedy_trap().problem, LocalSearch()).selection.value
    16.0
    """

    #: Where the search starts: a selection, or a solver that finds one.
    start: Solver | Selection = GeneralizedGreedy()
    #: Maximum number of rounds of perturbing and climbing.
    max_rounds: int = 1000
    #: Maximum number of items and edges to look at, each in a nanosecond or two.
    max_work: float = inf

    accepts: ClassVar[frozenset[ConstraintKind]] = LIMITS

    def __post_init__(self) -> None:
        hint = "Pass 1 or more."
        require_integer("max_rounds", self.max_rounds, least=1, hint=hint)
        if not number("max_work", self.max_work) >= 1:
            raise InputError(
                f"max_work is {self.max_work}; it must be at least 1.", hint=hint
            )

    def solve(self, problem: CoverageProblem, run: Run) -> Result:
        """Search until all rounds are done or the run must stop."""
        start = starting_selection(self.start, problem=problem, run=run)
        climber = Climber(problem, start, seed=run.seed)
        rounds_left, work_left = self.max_rounds, self.max_work
        status = run.check_stop()
        while status is None and rounds_left > 0 and work_left > 0:
            rounds, work = climber.climb(rounds_left, min(_WORK_PER_REPORT, work_left))
            rounds_left -= rounds
            work_left -= work
            status = run.report(climber.best, step="local search")
        return run.result(climber.best, status or Status.FINISHED)


class Climber:
    """A local search that can be continued at any time."""

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
        self._marks = np.zeros(problem.num_items, dtype=np.int8)
        self._marks[start.items] = 1
        self._search = _search(problem, seed, self._marks)
        self._elite = _Elite(problem, seed)
        self._noise = _NOISE if is_noisy else 0.0

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
        return rounds, work + _WORK_PER_CALL


class _Elite:
    """The best local optima so far, and where to start the next search."""

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
        del self._members[_ELITE_SIZE:]

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


def _search(problem: CoverageProblem, seed: int, marks: Marks) -> Search:
    edges = problem.edges
    # Sums of other costs are rounded: stay clear of the budget.
    share = 1.0 if problem.has_exact_costs else 1.0 - 1e-12
    bits = np.random.PCG64(seed).random_raw()
    group, at_most = problem.group_limits
    return Search(
        problem.costs,
        problem.weights,
        edges.item_start,
        edges.item_elements,
        edges.element_start,
        edges.element_items,
        group,
        at_most.copy(),
        share * problem.budget,
        1e-12 * float(problem.weights.sum()),
        int(bits) | 1,
        marks,
    )
