"""Recombination search: local optima combined, neighborhoods solved again.

Two good selections that differ in many items are often better combined: the best choice
among the items of both is a small problem, which branch and bound solves. In the same
way a neighborhood of the incumbent, items that share elements, is opened and solved
again.

Explorers (climbs, annealing, weighting) start near the incumbent, and their local
optima are combined with it. Which explorers run depends on their success. When the
incumbent has not improved for some rounds, it is combined with the elite, joins it, and
the search restarts from nothing.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from operator import methodcaller

import numpy as np

from thatch.arrays import Flags, Ints
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.restriction import Restriction
from thatch.problem.selection import Selection
from thatch.run.run import Run
from thatch.solvers.branch_and_reduce import bound_fix_and_branch, presolve
from thatch.solvers.effort import Effort
from thatch.solvers.explorers import Annealing, Climb, Explorer, Guide, Weighting

# The size of each neighborhood is drawn from this range, relative to the present size.
_SMALLEST_DRAW, _LARGEST_DRAW = 0.5, 1.2
# First temperatures of annealing, relative to the mean value of a chosen item: at
# first, and the limits; and the last temperature, where it freezes.
_FIRST_HEAT, _LEAST_HEAT, _MOST_HEAT = 0.06, 0.004, 1.0
_LAST_HEAT = 0.002
# How many others are combined with the last local optimum: at first, how many more
# after a combination that was solved, and the factor after one that was not.
_FIRST_COMBINED, _COMBINED_STEP, _COMBINED_SHRINKAGE = 2.0, 0.5, 0.8
# The temperature adapts by this factor, so that annealing exchanges about this share of
# the incumbent.
_HEATING, _MOVED_SHARE = 1.3, 0.25
# Weighting is tried where at most this share of the weight is uncovered; the second
# share is for elements of equal weight. There it is usually the best explorer, and its
# chance is multiplied by this factor.
_MOST_UNCOVERED, _MOST_UNCOVERED_IF_EQUAL = 0.1, 0.3
_WEIGHTING_FACTOR = 3.0
_OPERATORS = ("climb", "anneal", "shift", "weigh", "neighborhoods")
# Every kind of explorer keeps at least this share, relative to a constant success.
_LEAST_SUCCESS = 0.1
# How much a round counts among the former ones.
_LEARNING_RATE = 0.2


class RecombinationSearch:
    """A search on one problem; `advance` continues it."""

    def __init__(
        self,
        problem: CoverageProblem,
        start: Selection,
        *,
        seed: int,
        num_explorers: int = 1,
        effort: Effort = Effort(),  # noqa: B008
    ) -> None:
        #: The best selection found so far.
        self.best = start
        self.problem = problem
        #: What multipliers say to annealing.
        self.guide: Guide | None = None
        self._has_equal_weights = len(np.unique(problem.weights)) <= 1
        self._effort = effort
        self._seed = int(seed)
        self._random = random.Random(self._seed)
        self._num_explorers = num_explorers
        # The best selection since the last restart.
        self._incumbent = start
        self._start = start
        self._first_climb: Climb | None = None
        self._successes = dict.fromkeys(_OPERATORS, 0.5)
        self._weightings: dict[int, Weighting] = {}
        self._heat = _FIRST_HEAT
        self._elite: list[Selection] = []
        self._local_optima: list[Selection] = []
        self._size = effort.neighborhood_sizes[0]
        self._num_combined = _FIRST_COMBINED
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
        names = self._explore(work, run)
        self._num_rounds += 1
        if self._num_rounds == 1:
            return
        self._combine(run, num_new=len(names))
        self._solve_neighborhoods(run)
        has_improved = self._incumbent is not before
        for name in names:
            self._learn(name, has_improved)
        self._num_stalled_rounds = 0 if has_improved else self._num_stalled_rounds + 1
        if self._num_stalled_rounds >= self._effort.rounds_before_restart:
            self._restart(run)

    def _explore(self, work: float, run: Run) -> list[str]:
        """Run explorers side by side; return their kinds."""
        names = self._next_explorers()
        explorers = [self._explorer(k, name, work) for k, name in enumerate(names)]
        _advance(explorers, work, run, work_per_check=self._effort.work_per_check)
        for name, explorer in zip(names, explorers, strict=True):
            found = explorer.best
            if name in ("anneal", "shift"):
                self._adapt_heat(found)
            self._offer(found)
            self._local_optima.append(found)
        del self._local_optima[: -self._effort.max_local_optima]
        run.report(self.best, step="local search")
        return names

    def _learn(self, name: str, is_success: bool) -> None:
        """Count a success or failure of an operator."""
        self._successes[name] += _LEARNING_RATE * (is_success - self._successes[name])

    def _next_explorers(self) -> list[str]:
        """Kinds of explorers: at first a climb, then by their success."""
        uncovered = self.problem.reachable_weight - self.best.value
        has_equal = self._has_equal_weights
        share = _MOST_UNCOVERED_IF_EQUAL if has_equal else _MOST_UNCOVERED
        is_near = uncovered <= share * self.problem.reachable_weight
        kinds = ["anneal", "shift"]
        if self.problem.num_items <= self._effort.max_items_to_climb:
            kinds.append("climb")
        if is_near:
            kinds.append("weigh")
        chances = [max(_LEAST_SUCCESS, self._successes[name]) for name in kinds]
        if is_near and has_equal:
            chances[-1] *= _WEIGHTING_FACTOR
        names = self._random.choices(kinds, chances, k=self._num_explorers)
        if self._num_rounds == 0 and "climb" in kinds:
            names[0] = "climb"
        return names

    def _explorer(self, position: int, name: str, work: float) -> Explorer:
        self._num_explored += 1
        seed = self._seed + self._num_explored
        if name == "climb":
            return self._climb(position, seed)
        if name == "weigh":
            # It is continued, since its weights grow better and better.
            if position not in self._weightings:
                self._weightings[position] = Weighting(
                    self.problem, self._incumbent, seed=seed
                )
            return self._weightings[position]
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
            temperatures=(self._heat * unit, _LAST_HEAT * unit),
            work=work,
            budget=budget,
            guide=self.guide,
        )

    def _climb(self, position: int, seed: int) -> Climb:
        """Climb on from the start, from half of the incumbent, or from nothing."""
        turn = self._num_climbs % 3
        self._num_climbs += 1
        # Only the first explorer of a round, so that no two threads share it.
        if turn == 0 and position == 0 and not self._elite:
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
        size = max(1, len(self._incumbent))
        moved = np.setdiff1d(found.items, self._incumbent.items).size / size
        factor = _HEATING if moved < _MOVED_SHARE else 1 / _HEATING
        self._heat = min(max(_LEAST_HEAT, factor * self._heat), _MOST_HEAT)

    def _restart(self, run: Run) -> None:
        """Combine the incumbent with the elite, and start again from nothing."""
        for other in list(self._elite):
            self._solve_within([self._combination([other])], run)
        self._elite.append(self._incumbent)
        self._elite.sort(key=lambda selection: -selection.value)
        del self._elite[self._effort.elite_size :]
        run.report(self.best, step="recombination")
        self._incumbent = Selection.of(self.problem, [])
        self._heat = _FIRST_HEAT
        self._weightings = {}
        self.num_restarts += 1
        self._local_optima = []
        self._num_stalled_rounds = 0

    def _combine(self, run: Run, *, num_new: int) -> None:
        """Combine the incumbent with each new local optimum, and with some of all."""
        new = self._local_optima[-num_new:]
        self._solve_within([self._combination([each]) for each in new], run)
        *others, last = self._local_optima
        count = min(int(self._num_combined), len(others))
        if count > 0 and not run.must_stop:
            group = [last, *self._random.sample(others, count)]
            if all(self._solve_within([self._combination(group)], run)):
                self._num_combined += _COMBINED_STEP
            else:
                self._num_combined *= _COMBINED_SHRINKAGE
        run.report(self.best, step="recombination")

    def _solve_neighborhoods(self, run: Run) -> None:
        """Solve some neighborhoods of the incumbent again, one per thread at a time."""
        _, smallest, largest = self._effort.neighborhood_sizes
        growth, shrinkage = self._effort.neighborhood_growth
        before = self._incumbent
        most = self._effort.neighborhoods_per_round
        success = self._successes["neighborhoods"]
        for _ in range(max(1, round(most * min(1.0, 2.0 * success)))):
            is_small = len(self._incumbent) < self._effort.min_items_for_neighborhoods
            if run.must_stop or is_small:
                break
            draws = (
                self._random.uniform(_SMALLEST_DRAW, _LARGEST_DRAW)
                for _ in range(self._num_explorers)
            )
            opened = [
                self._neighborhood(max(2, int(self._size * draw))) for draw in draws
            ]
            for is_solved in self._solve_within(opened, run):
                factor = growth if is_solved else shrinkage
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

    def _solve_within(
        self, restrictions: Sequence[Restriction], run: Run
    ) -> list[bool]:
        """Improve the incumbent within each restriction; True where that is optimal."""
        if run.must_stop:
            return []
        solve = partial(
            _improved, start=self._incumbent, run=run.unreported(), effort=self._effort
        )
        # A single one needs no thread.
        if len(restrictions) == 1:
            found = [solve(restrictions[0])]
        else:
            with ThreadPoolExecutor(len(restrictions)) as pool:
                found = list(pool.map(solve, restrictions))
        # In their order, so that the answer does not depend on which thread was first.
        for selection, _ in found:
            self._offer(selection)
        return [is_proved for _, is_proved in found]


def _improved(
    restriction: Restriction, *, start: Selection, run: Run, effort: Effort
) -> tuple[Selection, bool]:
    """The best selection found within a restriction, and whether it is optimal."""
    inside = restriction.reduced(start)
    if inside is None or restriction.problem.num_items == 0:
        return start, True
    state = bound_fix_and_branch(
        presolve(restriction.problem, inside),
        run,
        max_nodes=effort.nodes_per_combination,
        effort=effort,
    )
    return restriction.restored(state.incumbent), state.is_proved


def _advance(
    explorers: Sequence[Explorer], work: float, run: Run, *, work_per_check: float
) -> None:
    """Advance explorers side by side for some work, or until the run must stop."""
    with ThreadPoolExecutor(len(explorers)) as pool:
        # A single one needs no thread.
        each = map if len(explorers) == 1 else pool.map
        while work > 0 and not run.must_stop:
            advance = methodcaller("advance", min(work, work_per_check))
            done = max(each(advance, explorers))
            if done == 0:
                break
            work -= done
