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
from thatch.covering.bounding import Bounding
from thatch.covering.cover_task import CoverTask
from thatch.covering.integer_program import solve_program
from thatch.covering.lagrangian import lowest_reduced_costs
from thatch.covering.local_search import LocalSearch, greedy_cover, searched
from thatch.covering.search_state import SearchState

# Work is counted in elements read, about 2.5e8 per second.
_WORK_PER_SLICE = 10_000_000
# Work of a round of length 1.
_WORK_PER_EDGE, _WORK_PER_FURTHER_EDGE = 10_000, 100
_LEAST_WORK, _WORK_OF_FIRST_EDGES = 200_000, 10_000_000
# Items of lowest reduced cost per element that take part in a round, one number per
# round of a cycle. At a large gap, multipliers say less about the items.
_CANDIDATES_PER_ELEMENT = (5, 10, 20, 50)
_CANDIDATES_AT_LARGE_GAP = (50, 10, 50, 20)
_SEEDS_PER_SEARCH = 1_000_003
# The local search has stalled after this many rounds that save less than this share.
_LEAST_SAVING = 2e-4
_ROUNDS_WITHOUT_GAIN = 12
_ROUNDS_IF_HARD = 32
# With a time limit, the integer program starts at this share of it at the latest.
_SHARE_BEFORE_PROGRAM = 0.4
# It gets all the time if the gap and the program are small, else a share of it: it
# would hardly close the gap, and the local search may still find a cheaper cover.
_LARGEST_SMALL_GAP = 0.1
_MAX_EDGES_OF_SMALL = 100_000
_SHARE_IF_HARD = 0.3
_MAX_EDGES_FOR_PROGRAM = 300_000
# Where costs are not integers, HiGHS is no more precise than this.
_CLOSED_GAP = 1e-7
# Without a time limit: nodes of large programs take a second or more.
_MAX_EDGES_WITHOUT_LIMIT = 30_000
_MAX_EDGES_IF_HARD = 2_000
_MAX_NODES = 500


def search(state: SearchState) -> None:
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
        state.run.seconds_left < inf and state.gap > _CLOSED_GAP and not state.is_over
    ):
        rounds.run()


def start_greedily(state: SearchState) -> None:
    """A cover by the items of most gain per cost, without those it does not need."""
    task = state.task
    items = greedy_cover(task)
    saving = 1.0 if task.is_integral else 0.0
    descent = LocalSearch(task, items, items, cost=1e300, least_saving=saving, seed=0)
    descent.search(2 * task.problem.num_edges, least_cost=0.0)
    if not state.offer(descent.best, step="greedy"):
        # Sums of weights were rounded at the very target.
        state.offer(np.arange(task.items.size), step="greedy")


class _Rounds:
    """Rounds of local search among more and fewer items.

    At a large gap, multipliers say little about the items. There, another search goes
    on beside the rounds, among all items: weights learn with time what is hard to
    cover. With a time limit, it has threads of its own.
    """

    def __init__(self, state: SearchState, bounding: Bounding) -> None:
        self._state = state
        self._bounding = bounding
        self._num_rounds = 0
        self._without_gain = 0
        self._long_searches: list[LocalSearch] = []
        # The task and the cost that they started from.
        self._long_start: tuple[CoverTask, float] | None = None

    @property
    def have_stalled(self) -> bool:
        """Whether it is time for the integer program."""
        most = _ROUNDS_IF_HARD if _is_hard(self._state) else _ROUNDS_WITHOUT_GAIN
        if self._without_gain >= most:
            return True
        run = self._state.run
        limit = run.seconds + run.seconds_left
        return limit < inf and run.seconds > _SHARE_BEFORE_PROGRAM * limit

    def run(self) -> None:
        """One round: it ends when it has not found a cheaper cover for a while."""
        state = self._state
        # The gap of the greedy cover says little.
        is_small = state.gap <= _LARGEST_SMALL_GAP or self._num_rounds == 0
        numbers = _CANDIDATES_PER_ELEMENT if is_small else _CANDIDATES_AT_LARGE_GAP
        cycle, place = divmod(self._num_rounds, len(numbers))
        dual, task, before = self._bounding.dual, state.task, state.cost
        max_work = _work_of_round(task.problem.num_edges) * _length(cycle)
        items = lowest_reduced_costs(task, dual, numbers[place])
        beside = [] if is_small else self._continued()
        self._descend([self._started(items), *beside], max_work)
        self._num_rounds += 1
        self._without_gain += 1
        if state.cost < (1.0 - _LEAST_SAVING) * before:
            self._without_gain = 0
        if state.cost < before:
            self._bounding.improve()
            self._bounding.fix()
        if not state.is_over:
            state.report("local search")

    def _started(self, candidates: Ints, place: int = 0) -> LocalSearch:
        """A search among some items, from the best cover; the seed differs by place."""
        state = self._state
        return LocalSearch(
            state.task,
            candidates,
            _inside(state),
            cost=state.open_cost,
            least_saving=state.least_saving(),
            seed=1000 * (state.run.seed + place * _SEEDS_PER_SEARCH) + self._num_rounds,
        )

    def _continued(self) -> list[LocalSearch]:
        """The long searches, started anew for a cheaper cover or a smaller task."""
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

    def _descend(self, searches: list[LocalSearch], max_work: int) -> None:
        """Search side by side until no cheaper cover was found for a while."""
        state, work = self._state, 0
        search = partial(searched, searches, num_threads=state.run.num_threads)
        work_of_slice = min(_WORK_PER_SLICE, max_work)
        while work < max_work and not state.is_over:
            least = state.bound - state.taken_cost
            work += work_of_slice
            for found in search(work_of_slice, least_cost=least):
                if state.offer(found.best, step="local search"):
                    work = 0


def solve_integer_program(state: SearchState) -> None:
    """Let HiGHS prove the best cover, or find a cheaper one."""
    run, task = state.run, state.task
    is_limited = run.seconds_left < inf
    most = _MAX_EDGES_IF_HARD if _is_hard(state) else _MAX_EDGES_WITHOUT_LIMIT
    if task.problem.num_edges > (_MAX_EDGES_FOR_PROGRAM if is_limited else most):
        return
    share = _SHARE_IF_HARD if _is_hard(state) else 1.0
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
        max_nodes=-1 if is_limited else _MAX_NODES,
        watch=watch,
    )
    state.raise_bound(bound, step="integer program")


def _is_hard(state: SearchState) -> bool:
    """Whether the integer program is unlikely to close the gap soon."""
    size = state.task.problem.num_edges
    return state.gap > _LARGEST_SMALL_GAP or size > _MAX_EDGES_OF_SMALL


def _work_of_round(num_edges: int) -> int:
    """Work of a round of length 1."""
    work = max(_WORK_PER_EDGE * num_edges, _LEAST_WORK)
    return min(work, _WORK_OF_FIRST_EDGES) + _WORK_PER_FURTHER_EDGE * num_edges


def _length(cycle: int) -> int:
    """Length of the rounds of a cycle: 1, 2, 1, 4, 1, 2, 1, 8, and so on.

    Some problems need many short rounds, others a few long ones.

    >>> [_length(cycle) for cycle in range(8)]
    [1, 2, 1, 4, 1, 2, 1, 8]
    """
    return (cycle + 1) & -(cycle + 1)


def _inside(state: SearchState) -> Ints:
    """The items of the task that are in the best cover."""
    return np.flatnonzero(np.isin(state.task.items, state.items))
