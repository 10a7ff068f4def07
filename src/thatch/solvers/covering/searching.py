"""The search for the cheapest cover.

A greedy cover comes first. Multipliers bound its cost from below, and say which items
are worth theirs. Among these, a local search looks for cheaper covers. What the
reduced costs then exclude is dropped, and HiGHS proves the rest where it can.
"""

from __future__ import annotations

from functools import partial
from math import inf

import numpy as np

from thatch.arrays import Ints
from thatch.problem import tolerances
from thatch.solvers.covering.cover_descent import CoverDescent, greedy_cover, searched
from thatch.solvers.covering.cover_state import CoverState
from thatch.solvers.covering.cover_task import CoverTask
from thatch.solvers.covering.lagrangian import (
    Ascent,
    CoverDual,
    first_multipliers,
    lowest_reduced_costs,
)
from thatch.solvers.highs.cover_program import solve_program
from thatch.solvers.step_efforts import CoverEffort


def search(state: CoverState) -> None:
    """Search until the best cover is proved the cheapest, or the run must stop."""
    start_greedily(state)
    state.drop_costly()
    if state.is_proved:
        return
    bounding = Bounding(state)
    rounds = _Rounds(state, bounding)
    while not (state.is_over or rounds.have_stalled):
        rounds.run()
    if not state.is_over:
        bounding.fix(most_left=1.0)
    if not state.is_over:
        solve_integer_program(state)
    while (
        state.run.seconds_left < inf
        and state.gap > tolerances.HIGHS_GAP
        and not state.is_over
    ):
        rounds.run()


def start_greedily(state: CoverState) -> None:
    """A cover by the items of most gain per cost, without those it does not need."""
    task = state.task
    items = greedy_cover(task)
    saving = 1.0 if task.is_integral else 0.0
    descent = CoverDescent(task, items, items, cost=1e300, least_saving=saving, seed=0)
    descent.search(2 * task.problem.num_edges, least_cost=0.0)
    if not state.offer(descent.best, step="greedy"):
        # Sums of weights were rounded at the very target.
        state.offer(np.arange(task.items.size), step="greedy")


class _Rounds:
    """Rounds of local search among more and fewer items.

    At a large gap, multipliers say little about the items. There, another search goes
    on between the rounds, among all items: weights learn with time what is hard to
    cover. With a time limit, it has threads of its own.
    """

    def __init__(self, state: CoverState, bounding: Bounding) -> None:
        self._state = state
        self._effort = state.effort.cover
        self._bounding = bounding
        self._num_rounds = 0
        self._without_gain = 0
        self._long_searches: list[CoverDescent] = []
        # The task and the cost that they started from.
        self._long_start: tuple[CoverTask, float] | None = None

    @property
    def have_stalled(self) -> bool:
        """Whether it is time for the integer program."""
        effort = self._effort
        is_hard = _is_hard(self._state)
        most = effort.rounds_if_hard if is_hard else effort.rounds_without_gain
        if self._without_gain >= most:
            return True
        run = self._state.run
        limit = run.seconds + run.seconds_left
        return limit < inf and run.seconds > effort.share_before_program * limit

    def run(self) -> None:
        """One round: it ends when it has not found a cheaper cover for a while."""
        state, effort = self._state, self._effort
        # The gap of the greedy cover says little.
        is_small = state.gap <= effort.largest_small_gap or self._num_rounds == 0
        numbers = effort.candidates_per_element
        if not is_small:
            numbers = effort.candidates_at_large_gap
        cycle, place = divmod(self._num_rounds, len(numbers))
        dual, task, before = self._bounding.dual, state.task, state.cost
        max_work = _work_of_round(effort, task.problem.num_edges) * _length(cycle)
        items = lowest_reduced_costs(task, dual, numbers[place])
        beside = [] if is_small else self._continued()
        self._descend([self._started(items), *beside], max_work)
        self._num_rounds += 1
        self._without_gain += 1
        if state.cost < (1.0 - effort.least_saving) * before:
            self._without_gain = 0
        if state.cost < before:
            self._bounding.improve()
            self._bounding.fix()
        if not state.is_over:
            state.report("local search")

    def _started(self, candidates: Ints, place: int = 0) -> CoverDescent:
        """A search among some items, from the best cover; the seed differs by place."""
        state = self._state
        return CoverDescent(
            state.task,
            candidates,
            _inside(state),
            cost=state.open_cost,
            least_saving=state.least_saving(),
            seed=1000 * (state.run.seed + place * 1_000_003) + self._num_rounds,
        )

    def _continued(self) -> list[CoverDescent]:
        """The long searches, started again for a cheaper cover or a smaller task."""
        task, run = self._state.task, self._state.run
        start = task, self._state.cost
        if self._long_start != start:
            every = np.arange(task.items.size)
            count = 1 if run.seconds_left == inf else max(1, run.num_threads - 1)
            self._long_searches = [
                self._started(every, place) for place in range(1, count + 1)
            ]
            self._long_start = start
        return self._long_searches

    def _descend(self, searches: list[CoverDescent], max_work: int) -> None:
        """Search side by side until no cheaper cover was found for a while."""
        state, work = self._state, 0
        search = partial(searched, searches, num_threads=state.run.num_threads)
        work_of_slice = min(self._effort.work_per_slice, max_work)
        while work < max_work and not state.is_over:
            least = state.bound - state.taken_cost
            work += work_of_slice
            for found in search(work_of_slice, least_cost=least):
                if state.offer(found.best, step="local search"):
                    work = 0


def solve_integer_program(state: CoverState) -> None:
    """Let HiGHS prove the best cover, or find a cheaper one."""
    run, task, effort = state.run, state.task, state.effort.cover
    is_limited, is_hard = run.seconds_left < inf, _is_hard(state)
    limited, without_limit, if_hard = effort.max_edges_for_program
    most = if_hard if is_hard else without_limit
    if task.problem.num_edges > (limited if is_limited else most):
        return
    share = effort.time_share_if_hard if is_hard else 1.0
    inside = _inside(state)

    def watch(items: Ints | None, bound: float) -> bool:
        if items is not None:
            state.offer(items, step="integer program", task=task)
        # Bounds come as the clock goes: in the trace, runs would differ.
        state.raise_bound(bound)
        return state.is_over

    bound = solve_program(
        task,
        inside if task.is_cover(inside) else None,
        cost=state.open_cost,
        seed=run.seed,
        max_seconds=share * run.seconds_left,
        max_nodes=-1 if is_limited else effort.max_nodes,
        watch=watch,
    )
    state.raise_bound(bound, step="integer program")


def _is_hard(state: CoverState) -> bool:
    """Whether the integer program is unlikely to close the gap soon."""
    size, effort = state.task.problem.num_edges, state.effort.cover
    return state.gap > effort.largest_small_gap or size > effort.max_edges_of_small


def _work_of_round(effort: CoverEffort, num_edges: int) -> int:
    """Work of a round of length 1."""
    least, most = effort.work_limits
    work = min(max(effort.work_per_edge * num_edges, least), most)
    return work + effort.work_per_further_edge * num_edges


def _length(cycle: int) -> int:
    """Length of the rounds of a cycle: 1, 2, 1, 4, 1, 2, 1, 8, and so on.

    Some problems need many short rounds, others a few long ones.

    >>> [_length(cycle) for cycle in range(8)]
    [1, 2, 1, 4, 1, 2, 1, 8]
    """
    return (cycle + 1) & -(cycle + 1)


def _inside(state: CoverState) -> Ints:
    """The items of the task that are in the best cover."""
    return np.flatnonzero(np.isin(state.task.items, state.items))


class Bounding:
    """The multipliers of the open task of a search."""

    def __init__(self, state: CoverState) -> None:
        self._state = state
        self._effort = state.effort.ascent
        #: The best multipliers so far.
        self.dual = CoverDual.at(state.task, first_multipliers(state.task))
        self._ascend(self._effort.factors[0])

    def improve(self) -> None:
        """Continue from the best multipliers, once a cheaper cover is known."""
        state = self._state
        is_large = state.task.problem.num_edges > self._effort.max_edges_to_repeat
        if not is_large or state.cost < self._effort.lower_cost * self._cost:
            self._ascend(self._effort.factors[1])

    def fix(self, *, most_left: float | None = None) -> None:
        """Fix items by their reduced costs, if at most this share of them is left."""
        state = self._state
        if most_left is None:
            most_left = self._effort.most_left
        before = state.task
        if not state.fix(self.dual) or state.is_over or state.task.is_trivial:
            return
        if state.task.items.size > most_left * before.items.size:
            state.task = before
            return
        self.dual = CoverDual.at(state.task, first_multipliers(state.task))
        self._ascend(self._effort.factors[0])

    def _ascend(self, factor: float) -> None:
        state, effort = self._state, self._effort
        self._cost = state.cost
        ascent = Ascent(state.task, self.dual.multipliers, effort, factor=factor)
        steps = effort.edges_per_slice // (state.task.problem.num_edges + 1)
        steps = min(max(steps, 1), effort.max_steps_per_slice)
        last_second = state.run.seconds + effort.time_share * state.run.seconds_left
        while not (ascent.has_ended or state.is_over):
            if state.run.seconds > last_second:
                break
            ascent.climb(steps, cost=state.open_cost)
        found = ascent.best
        if found.bound >= self.dual.bound:
            self.dual = found
        state.raise_bound(self.dual.bound, step="multipliers")
