"""Recombination search: local optima combined, neighborhoods solved again.

Two good selections that differ in many items are often better combined: the best choice
among the items of both is a small problem, which branch and bound solves. In the same
way a neighborhood of the incumbent, items that share elements, is opened and solved
again.

Local searches start near the incumbent, and their local optima are combined with it.
When it has not improved for some rounds, it is combined with the elite, joins it, and
the search restarts from nothing.
"""

from __future__ import annotations

import random

import numpy as np

from thatch.arrays import Flags, Ints
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.restriction import Restriction
from thatch.problem.selection import Selection
from thatch.run.run import Run
from thatch.solvers.branch_and_reduce import bound_fix_and_branch, presolve
from thatch.solvers.effort import Effort
from thatch.solvers.local_search import Climber

# The size of each neighborhood is drawn from this range, relative to the present size.
_SMALLEST_DRAW, _LARGEST_DRAW = 0.5, 1.2


class RecombinationSearch:
    """A search on one problem; `advance` continues it."""

    def __init__(
        self,
        problem: CoverageProblem,
        start: Selection,
        *,
        seed: int,
        effort: Effort = Effort(),  # noqa: B008
    ) -> None:
        #: The best selection found so far.
        self.best = start
        self.problem = problem
        self._effort = effort
        self._seed = int(seed)
        self._random = random.Random(self._seed)
        # The best selection since the last restart.
        self._incumbent = start
        self._first_climber = Climber(problem, start, seed=seed)
        self._elite: list[Selection] = []
        self._local_optima: list[Selection] = []
        self._size = effort.neighborhood_sizes[0]
        self._num_climbs = 0
        self._num_stalled_rounds = 0

    def advance(self, work: float, run: Run) -> None:
        """Take one round: climb, then combine and solve neighborhoods.

        The first round only climbs.
        """
        before = self._incumbent
        self._climb(work, run)
        if self._num_climbs == 1:
            return
        self._combine(run)
        self._solve_neighborhoods(run)
        has_improved = self._incumbent is not before
        self._num_stalled_rounds = 0 if has_improved else self._num_stalled_rounds + 1
        if self._num_stalled_rounds >= self._effort.rounds_before_restart:
            self._restart(run)

    def _climb(self, work: float, run: Run) -> None:
        """Climb on from the start, from half of the incumbent, or from nothing."""
        turn = self._num_climbs % 3
        climber = self._new_climber(turn) if turn else self._first_climber
        self._num_climbs += 1
        while work > 0 and not run.must_stop:
            work -= climber.climb(10**9, min(work, self._effort.work_per_check))[1]
        if turn == 0 and self._elite:
            # Its optimum led to an earlier incumbent: do not steer this one there.
            self._keep(climber.best)
        else:
            self._offer(climber.best)
            optima = [*self._local_optima, climber.best]
            self._local_optima = optima[-self._effort.max_local_optima :]
        run.report(self.best, step="local search")

    def _new_climber(self, turn: int) -> Climber:
        items = self._incumbent.items.tolist() if turn == 1 else []
        kept = self._random.sample(items, len(items) // 2)
        start = Selection.of(self.problem, kept)
        seed = self._seed + self._num_climbs
        return Climber(self.problem, start, seed=seed, is_noisy=True)

    def _restart(self, run: Run) -> None:
        """Combine the incumbent with the elite, and start again from nothing."""
        for other in list(self._elite):
            if not run.must_stop:
                self._solve_within(self._combination([other]), run)
        self._elite.append(self._incumbent)
        self._elite.sort(key=lambda selection: -selection.value)
        del self._elite[self._effort.elite_size :]
        run.report(self.best, step="recombination")
        self._incumbent = Selection.of(self.problem, [])
        self._local_optima = []
        self._num_stalled_rounds = 0

    def _combine(self, run: Run) -> None:
        """Combine the incumbent with the last local optimum, and some of the others."""
        groups = [self._local_optima[-1:]]
        for count in self._effort.num_combined:
            if len(self._local_optima) > count:
                groups.append(self._random.sample(self._local_optima, count))
        for group in groups:
            if not run.must_stop:
                self._solve_within(self._combination(group), run)
        run.report(self.best, step="recombination")

    def _solve_neighborhoods(self, run: Run) -> None:
        """Solve some neighborhoods of the incumbent again."""
        _, smallest, largest = self._effort.neighborhood_sizes
        growth, shrinkage = self._effort.neighborhood_growth
        for _ in range(self._effort.neighborhoods_per_round):
            is_small = len(self._incumbent) < self._effort.min_items_for_neighborhoods
            if run.must_stop or is_small:
                break
            draw = self._random.uniform(_SMALLEST_DRAW, _LARGEST_DRAW)
            neighborhood = self._neighborhood(max(2, int(self._size * draw)))
            is_solved = self._solve_within(neighborhood, run)
            factor = growth if is_solved else shrinkage
            self._size = min(max(smallest, factor * self._size), largest)
        run.report(self.best, step="neighborhoods")

    def _offer(self, found: Selection) -> None:
        if not found.is_feasible:
            return
        if found.value > self._incumbent.value:
            self._incumbent = found
        self._keep(found)

    def _keep(self, found: Selection) -> None:
        if found.value > self.best.value:
            self.best = found

    def _combination(self, group: list[Selection]) -> Restriction:
        """The choice among the items of the incumbent and these selections."""
        counts = np.zeros(self.problem.num_items, dtype=np.int64)
        for selection in (self._incumbent, *group):
            counts[selection.items] += 1
        in_all = np.flatnonzero(counts == len(group) + 1)
        in_some = np.flatnonzero((counts > 0) & (counts <= len(group)))
        return Restriction.of(self.problem, in_some, in_all)

    def _neighborhood(self, size: int) -> Restriction:
        """The choice around some neighboring items of the incumbent."""
        is_chosen = np.zeros(self.problem.num_items, dtype=bool)
        is_chosen[self._incumbent.items] = True
        center = self._random.choice(self._incumbent.items.tolist())
        opened = np.array([center])
        while opened.size < min(size, len(self._incumbent)):
            near = np.flatnonzero(self._neighbors(opened) & is_chosen)
            added = np.setdiff1d(near, opened)
            if added.size == 0:
                # No neighbor is left: continue somewhere else.
                added = np.setdiff1d(self._incumbent.items, opened)
                added = added[[self._random.randrange(added.size)]]
            room = min(added.size, size - opened.size)
            opened = np.append(opened, self._random.sample(added.tolist(), room))
        opened = np.sort(opened)
        taken = np.setdiff1d(self._incumbent.items, opened)
        is_open = self._neighbors(opened)
        is_open[taken] = False
        return Restriction.of(self.problem, np.flatnonzero(is_open), taken)

    def _neighbors(self, items: Ints) -> Flags:
        """Which items share an element with any of these."""
        edges = self.problem.edges
        covered = Selection(self.problem, np.sort(items)).covered
        shares = np.zeros(self.problem.num_items, dtype=bool)
        shares[edges.element_items[np.repeat(covered, edges.element_degrees)]] = True
        return shares

    def _solve_within(self, restriction: Restriction, run: Run) -> bool:
        """Improve the incumbent within a restriction; True if that is optimal."""
        start = restriction.reduced(self._incumbent)
        if start is None or restriction.problem.num_items == 0:
            return True
        state = bound_fix_and_branch(
            presolve(restriction.problem, start),
            run.unreported(),
            max_nodes=self._effort.nodes_per_combination,
            effort=self._effort,
        )
        self._offer(restriction.restored(state.incumbent))
        return state.is_proved
