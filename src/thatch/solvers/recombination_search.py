"""Recombination search: local optima combined, neighborhoods solved again.

Two good selections that differ in many items are often better combined: the best choice
among the items of both is a small problem, which branch and bound solves. In the same
way a neighborhood of the incumbent, items that share elements, is opened and solved
again.

Explorers (climbs, annealing, weighting) start near the incumbent, and their local
optima are combined with it. Which explorers run depends on their success. When the
incumbent has not improved for some rounds, it is combined with the elite, joins it, and
the search restarts from nothing.

Several threads take a search each, with seeds of their own. Their incumbents meet when
one of them restarts.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from thatch.arrays import Flags, Ints
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Restriction, Selection
from thatch.run.run import Run
from thatch.solvers.branch_and_reduce import solve_restriction
from thatch.solvers.effort import Effort
from thatch.solvers.explorers import (
    Annealing,
    Climb,
    Explorer,
    Guide,
    Weighting,
    explored,
)

_OPERATORS = ("climb", "anneal", "shift", "weigh", "neighborhoods")


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
        #: What multipliers say to annealing.
        self.guide: Guide | None = None
        #: What other searches of the same problem have found: combined at restarts.
        self.others: Sequence[Selection] = ()
        self._has_equal_weights = len(np.unique(problem.weights)) <= 1
        self._effort = effort
        self._settings = settings = effort.recombination
        self._seed = int(seed)
        self._random = random.Random(self._seed)
        # The best selection since the last restart.
        self._incumbent = start
        self._start = start
        self._first_climb: Climb | None = None
        self._successes = dict.fromkeys(_OPERATORS, 0.5)
        self._weighting: Weighting | None = None
        self._heat = settings.heats[0]
        self._elite: list[Selection] = []
        self._local_optima: list[Selection] = []
        self._size = settings.neighborhood_sizes[0]
        self._num_combined = settings.combined[0]
        self._num_explored = 0
        self._num_climbs = 0
        #: How often it started again from nothing.
        self.num_restarts = 0
        self._num_rounds = 0
        self._num_stalled_rounds = 0

    def advance(self, work: float, run: Run) -> None:
        """Take one round: explore, then combine and solve neighborhoods.

        The first round only explores.
        """
        before = self._incumbent
        name = self._explore(work, run)
        self._num_rounds += 1
        if self._num_rounds == 1:
            return
        self._combine(run)
        self._solve_neighborhoods(run)
        has_improved = self._incumbent is not before
        self._learn(name, has_improved)
        self._num_stalled_rounds = 0 if has_improved else self._num_stalled_rounds + 1
        if self._num_stalled_rounds >= self._settings.rounds_before_restart:
            self._restart(run)

    def _explore(self, work: float, run: Run) -> str:
        """Run an explorer; return its kind."""
        name = self._next_explorer()
        explorer = self._explorer(name, work)
        per_check = self._effort.work_per_check
        found = explored(explorer, work, run, work_per_check=per_check)
        if name in ("anneal", "shift"):
            self._adapt_heat(found)
        self._offer(found)
        self._local_optima.append(found)
        del self._local_optima[: -self._settings.max_local_optima]
        run.report(self.best, step="local search")
        return name

    def _learn(self, name: str, is_success: bool) -> None:
        """Count a success or failure of an operator."""
        surprise = is_success - self._successes[name]
        self._successes[name] += self._settings.learning_rate * surprise

    def _next_explorer(self) -> str:
        """The kind of the next explorer: at first a climb, then by their success."""
        uncovered = self.problem.reachable_weight - self.best.value
        has_equal = self._has_equal_weights
        share = self._settings.most_uncovered[has_equal]
        is_near = uncovered <= share * self.problem.reachable_weight
        kinds = ["anneal", "shift"]
        if self.problem.num_items <= self._effort.max_items_to_climb:
            kinds.append("climb")
        # Weighting exchanges items of any groups.
        is_near = is_near and not self.problem.group_limits[0].size
        if is_near:
            kinds.append("weigh")
        least = self._settings.least_success
        chances = [max(least, self._successes[name]) for name in kinds]
        if is_near and has_equal:
            chances[-1] *= self._settings.weighting_factor
        name = self._random.choices(kinds, chances)[0]
        return "climb" if self._num_rounds == 0 and "climb" in kinds else name

    def _explorer(self, name: str, work: float) -> Explorer:
        self._num_explored += 1
        seed = self._seed + self._num_explored
        if name == "climb":
            return self._climb(seed)
        if name == "weigh":
            # It is continued, since its weights grow better and better.
            if self._weighting is None:
                self._weighting = Weighting(self.problem, self._incumbent, seed=seed)
            return self._weighting
        return self._annealing(seed, work, has_shifted_budget=name == "shift")

    def _annealing(
        self, seed: int, work: float, *, has_shifted_budget: bool
    ) -> Annealing:
        """Anneal the incumbent, or with a budget of one item more or fewer.

        Then parts of the problem are also known with another number of items, and
        combining them with the incumbent moves an item from one part to another.
        """
        start, budget = self._incumbent, self.problem.budget
        if has_shifted_budget:
            budget += self._random.choice((-1, 1)) * start.cost / max(1, len(start))
            kept = self._random.sample(start.items.tolist(), len(start))
            while kept and Selection.of(self.problem, kept).cost > budget:
                kept.pop()
            start = Selection.of(self.problem, kept)
        unit = self.best.value / max(1, len(self.best))
        return Annealing(
            self.problem,
            start,
            seed=seed,
            temperatures=(self._heat * unit, self._settings.last_heat * unit),
            work=work,
            budget=budget,
            guide=self.guide,
        )

    def _climb(self, seed: int) -> Climb:
        """Climb on from the start, from half of the incumbent, or from nothing."""
        turn = self._num_climbs % 3
        self._num_climbs += 1
        if turn == 0 and not self._elite:
            if self._first_climb is None:
                self._first_climb = Climb(
                    self.problem, self._start, seed=self._seed, is_noisy=False
                )
            return self._first_climb
        items = self._incumbent.items.tolist() if turn == 1 else []
        kept = self._random.sample(items, len(items) // 2)
        start = Selection.of(self.problem, kept)
        return Climb(self.problem, start, seed=seed, is_noisy=True)

    def _adapt_heat(self, found: Selection) -> None:
        """Anneal hotter if it returned to the incumbent, colder if it went far away."""
        settings = self._settings
        _, least, most = settings.heats
        size = max(1, len(self._incumbent))
        moved = np.setdiff1d(found.items, self._incumbent.items).size / size
        is_close = moved < settings.moved_share
        factor = settings.heating if is_close else 1 / settings.heating
        self._heat = min(max(least, factor * self._heat), most)

    def _restart(self, run: Run) -> None:
        """Combine the incumbent with the elite, and start again from nothing."""
        for other in (*self._elite, *self.others):
            self._solve_within(self._combination([other]), run)
        self._elite.append(self._incumbent)
        self._elite.sort(key=lambda selection: -selection.value)
        del self._elite[self._settings.elite_size :]
        run.report(self.best, step="recombination")
        self._incumbent = Selection.of(self.problem, [])
        self._heat = self._settings.heats[0]
        self._weighting = None
        self.num_restarts += 1
        self._local_optima = []
        self._num_stalled_rounds = 0

    def _combine(self, run: Run) -> None:
        """Combine the incumbent with the last local optimum, and with some of all."""
        *others, last = self._local_optima
        _, step, shrinkage = self._settings.combined
        self._solve_within(self._combination([last]), run)
        count = min(int(self._num_combined), len(others))
        if count > 0 and not run.must_stop:
            group = [last, *self._random.sample(others, count)]
            if self._solve_within(self._combination(group), run):
                self._num_combined += step
            else:
                self._num_combined *= shrinkage
        run.report(self.best, step="recombination")

    def _solve_neighborhoods(self, run: Run) -> None:
        """Solve some neighborhoods of the incumbent again."""
        settings, before = self._settings, self._incumbent
        _, smallest, largest = settings.neighborhood_sizes
        growth, shrinkage = settings.neighborhood_growth
        most = settings.neighborhoods_per_round
        success = self._successes["neighborhoods"]
        for _ in range(max(1, round(most * min(1.0, 2.0 * success)))):
            is_small = len(self._incumbent) < settings.min_items_for_neighborhoods
            if run.must_stop or is_small:
                break
            draw = self._random.uniform(*settings.neighborhood_draw)
            opened = self._neighborhood(max(2, int(self._size * draw)))
            factor = growth if self._solve_within(opened, run) else shrinkage
            self._size = min(max(smallest, factor * self._size), largest)
        self._learn("neighborhoods", self._incumbent is not before)
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
        """Improve the incumbent within a restriction; True if it is optimal there."""
        if run.must_stop:
            return False
        found = solve_restriction(
            restriction,
            self._incumbent,
            run,
            max_nodes=self._settings.nodes_per_combination,
            effort=self._effort,
        )
        if found is None:
            return True
        best, is_proved = found
        self._offer(best)
        return is_proved


def advance_side_by_side(
    searches: Sequence[RecombinationSearch], work: float, run: Run
) -> None:
    """Take some rounds of each search of one problem, one thread per search.

    There are as many rounds as searches, so that those of a short round wait less for
    the others. What they have found is exchanged afterwards: the answer does not depend
    on which thread is first. The first search alone reports to the run.
    """
    first, *rest = searches
    for search in searches:
        search.others = [other.best for other in searches if other is not search]
    with ThreadPoolExecutor(len(searches)) as pool:
        at_work = [
            pool.submit(_take_rounds, len(searches), search, work, run.unreported())
            for search in rest
        ]
        _take_rounds(len(searches), first, work, run)
        for each in at_work:
            each.result()


def _take_rounds(
    count: int, search: RecombinationSearch, work: float, run: Run
) -> None:
    for _ in range(count):
        if not run.must_stop:
            search.advance(work, run)
