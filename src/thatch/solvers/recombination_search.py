"""Local search whose ends are joined, and regions of the best solved again.

Two good selections that differ in many places are often better joined: of the items of
either, the best choice is found as a problem of its own, a small one. In the same way
a selection is opened where its items lie close together, and solved again there.

One selection leads: climbs begin near it, and what they find is joined with it. When it
has not become better for a while it is joined with those before it and retires, and the
search begins anew.
"""

from __future__ import annotations

import random

import numpy as np

from thatch.arrays import Flags, Ints
from thatch.presolve.variable_fixing import Core
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.run import Run
from thatch.solvers.branch_and_reduce import Narrowing
from thatch.solvers.local_search import Climber

_ENDS_KEPT = 12
# How many earlier ends are joined with the leader at once, in turn.
_ENDS_JOINED = (2, 4)
_NODES_A_JOIN = 50_000
_REGIONS_A_ROUND = 4
# A leader retires after so many rounds without progress; so many are remembered.
_ROUNDS_WITHOUT_PROGRESS = 6
_MOST_RETIRED = 8
# Fewer chosen items are one region.
_LEAST_TO_REOPEN = 40
# Chosen items in a region: at first, at least, at most.
_FIRST_SIZE, _LEAST_SIZE, _LARGEST_SIZE = 8.0, 4.0, 60.0
# Items and edges a climb looks at between two looks at the clock.
_WORK_A_LOOK = 4_000_000


class RecombinationSearch:
    """A search under way on one problem."""

    def __init__(
        self, problem: CoverageProblem, start: Selection, *, seed: int
    ) -> None:
        #: The best selection found so far.
        self.best = start
        self.problem = problem
        self._seed = int(seed)
        self._random = random.Random(self._seed)
        self._leader = start
        self._first_climber = Climber(problem, start, seed=seed)
        self._retired: list[Selection] = []
        self._ends: list[Selection] = []
        self._size = _FIRST_SIZE
        self._num_climbs = 0
        self._stalled = 0

    def go_on(self, work: float, run: Run) -> None:
        """Climb once more; but for the first time, join and reopen after it."""
        before = self._leader
        self._climb(work, run)
        if self._num_climbs == 1:
            return
        self._join(run)
        self._reopen(run)
        self._stalled = self._stalled + 1 if self._leader is before else 0
        if self._stalled >= _ROUNDS_WITHOUT_PROGRESS:
            self._retire(run)

    def _climb(self, work: float, run: Run) -> None:
        """Go on with the first climb, or climb from half of the leader, or nothing."""
        turn = self._num_climbs % 3
        climber = self._new_climber(turn) if turn else self._first_climber
        self._num_climbs += 1
        while work > 0 and run.check_stop() is None:
            work -= climber.climb(10**9, min(work, _WORK_A_LOOK))[1]
        if turn == 0 and self._retired:
            # It has led before; a new leader shall find its own way.
            self._keep(climber.best)
        else:
            self._offer(climber.best)
            self._ends = [*self._ends, climber.best][-_ENDS_KEPT:]
        run.report(self.best, step="local search")

    def _new_climber(self, turn: int) -> Climber:
        items = self._leader.items.tolist() if turn == 1 else []
        kept = self._random.sample(items, len(items) // 2)
        start = Selection.of(self.problem, kept)
        seed = self._seed + self._num_climbs
        return Climber(self.problem, start, seed=seed, is_blurred=True)

    def _retire(self, run: Run) -> None:
        """Join the leader with those before it, and begin anew from nothing."""
        for other in list(self._retired):
            if run.check_stop() is None:
                self._solve_within(self._union([other]), run)
        self._retired.append(self._leader)
        self._retired.sort(key=lambda selection: -selection.value)
        del self._retired[_MOST_RETIRED:]
        run.report(self.best, step="joining")
        self._leader = Selection.of(self.problem, [])
        self._ends = []
        self._stalled = 0

    def _join(self, run: Run) -> None:
        """Join the leader with the last end, and with some of the others."""
        groups = [self._ends[-1:]]
        for count in _ENDS_JOINED:
            if len(self._ends) > count:
                groups.append(self._random.sample(self._ends, count))
        for group in groups:
            if run.check_stop() is None:
                self._solve_within(self._union(group), run)
        run.report(self.best, step="joining")

    def _reopen(self, run: Run) -> None:
        """Solve some regions of the leader again."""
        for _ in range(_REGIONS_A_ROUND):
            if run.check_stop() is not None or len(self._leader) < _LEAST_TO_REOPEN:
                break
            wanted = int(self._size * self._random.uniform(0.5, 1.2))
            is_solved = self._solve_within(self._region(max(2, wanted)), run)
            factor = 1.05 if is_solved else 0.9
            self._size = min(max(_LEAST_SIZE, factor * self._size), _LARGEST_SIZE)
        run.report(self.best, step="regions")

    def _offer(self, found: Selection) -> None:
        if not found.is_feasible:
            return
        if found.value > self._leader.value:
            self._leader = found
        self._keep(found)

    def _keep(self, found: Selection) -> None:
        if found.value > self.best.value:
            self.best = found

    def _union(self, group: list[Selection]) -> Core:
        """What is left to decide among the items of the leader and these."""
        counts = np.zeros(self.problem.num_items, dtype=np.int64)
        for selection in (self._leader, *group):
            counts[selection.items] += 1
        taken = np.flatnonzero(counts == len(group) + 1)
        some = np.flatnonzero((counts > 0) & (counts <= len(group)))
        return Core.of(self.problem, some, taken)

    def _region(self, size: int) -> Core:
        """So many items of the leader that lie close, and all that meet them."""
        is_chosen = np.zeros(self.problem.num_items, dtype=bool)
        is_chosen[self._leader.items] = True
        centre = self._random.choice(self._leader.items.tolist())
        opened = np.array([centre])
        while opened.size < min(size, len(self._leader)):
            near = np.flatnonzero(self._meeting(opened) & is_chosen)
            added = np.setdiff1d(near, opened)
            if added.size == 0:
                # Cut off from the others: go on somewhere else.
                added = np.setdiff1d(self._leader.items, opened)
                added = added[[self._random.randrange(added.size)]]
            room = min(added.size, size - opened.size)
            opened = np.append(opened, self._random.sample(added.tolist(), room))
        opened = np.sort(opened)
        taken = np.setdiff1d(self._leader.items, opened)
        is_open = self._meeting(opened)
        is_open[taken] = False
        return Core.of(self.problem, np.flatnonzero(is_open), taken)

    def _meeting(self, items: Ints) -> Flags:
        """Which items share an element with any of these."""
        edges = self.problem.edges
        covered = Selection(self.problem, np.sort(items)).covered
        meets = np.zeros(self.problem.num_items, dtype=bool)
        meets[edges.element_items[np.repeat(covered, edges.element_degrees)]] = True
        return meets

    def _solve_within(self, core: Core, run: Run) -> bool:
        """Improve the leader within a core; whether it was solved to the end."""
        start = core.reduced(self._leader)
        if start is None or core.problem.num_items == 0:
            return True
        narrowing = Narrowing(core.problem, start)
        narrowing.narrow(run.unreported())
        narrowing.branch(_NODES_A_JOIN)
        self._offer(core.restored(narrowing.best))
        return narrowing.is_proved
