"""The search for the cheapest cover.

A greedy cover comes first. Multipliers bound its cost from below, and say which items
are worth theirs. Among these, a local search looks for cheaper covers. What the
reduced costs then exclude is dropped, and a tree proves the rest where it can.
"""

from __future__ import annotations

from functools import partial, reduce
from math import inf

import numpy as np

from thatch.arrays import Ints
from thatch.problem import tolerances
from thatch.run.result import Status
from thatch.solvers.covering.certifying import begin_proof
from thatch.solvers.covering.components import settle_components
from thatch.solvers.covering.cover_descent import CoverDescent, greedy_cover, searched
from thatch.solvers.covering.cover_state import CoverState
from thatch.solvers.covering.lagrangian import (
    Ascent,
    CoverDual,
    first_multipliers,
    lowest_reduced_costs,
)
from thatch.solvers.covering.teams import LongSearch, Team, crossed
from thatch.solvers.proving.elimination import prove_by_elimination
from thatch.solvers.proving.vertex_covers import prove_vertex_cover
from thatch.solvers.step_efforts import CoverEffort


def search(state: CoverState) -> None:
    """Search until the best cover is proved the cheapest, or the run must stop."""
    start_greedily(state)
    state.drop_costly()
    if state.is_proved:
        return
    bounding = Bounding(state)
    if settle_components(state, bounding.dual):
        bounding.follow(step="components")
    rounds = _Rounds(state, bounding)
    while not (state.is_over or rounds.have_stalled):
        rounds.run()
    if not state.is_over:
        bounding.fix(most_left=1.0)
    state.duals.append((bounding.task, bounding.dual))
    if state.status is None and (state.settled is not None or not state.is_proved):
        grow_tree(state)
    while (
        state.run.seconds_left < inf
        and state.gap > tolerances.HIGHS_GAP
        and not state.is_over
    ):
        rounds.run()
    if state.duals[-1] != (bounding.task, bounding.dual):
        state.duals.append((bounding.task, bounding.dual))


def start_greedily(state: CoverState) -> None:
    """A cover by the items of most gain per cost, without those it does not need."""
    task = state.task
    items = greedy_cover(task)
    if state.is_late and state.offer(items, step="greedy"):
        return
    saving = 1.0 if task.is_integral else 0.0
    descent = CoverDescent(task, items, items, seed=0)
    work = 2 * task.problem.num_edges
    descent.search(work, least_saving=saving)
    if not state.offer(descent.best, step="greedy"):
        # Sums of weights were rounded at the very target.
        state.offer(np.arange(task.items.size), step="greedy")


class _Rounds:
    """Rounds of local search, among fewer items and among all.

    The search among all items goes on in every round: its weights learn with time what
    is hard to cover. Another one starts from the best cover, among the items that are
    worth most by the multipliers, unless these are nearly all. With a time limit,
    further threads search among all items too.
    """

    def __init__(self, state: CoverState, bounding: Bounding) -> None:
        self._state = state
        self._effort = state.effort.cover
        self._bounding = bounding
        self._num_rounds = 0
        self._without_gain = 0
        self._long_search: LongSearch | None = None

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
        if state.is_late:
            state.status = Status.TIME_LIMIT
            return
        # The gap of the greedy cover says little.
        is_small = state.gap <= effort.largest_small_gap or self._num_rounds == 0
        numbers = effort.candidates_per_element
        if not is_small:
            numbers = effort.candidates_at_large_gap
        cycle, place = divmod(self._num_rounds, len(numbers))
        dual, task, before = self._bounding.dual, state.task, state.cost
        max_work = _work_of_round(effort, task.problem.num_edges) * _length(cycle)
        items = lowest_reduced_costs(task, dual, numbers[place])
        are_few = items.size <= effort.most_candidates * task.items.size
        self._descend([self._started(items)] if are_few else [], max_work)
        self._num_rounds += 1
        self._without_gain += 1
        if state.cost < (1.0 - effort.least_saving) * before:
            self._without_gain = 0
        if state.cost < before:
            self._bounding.improve()
            self._bounding.fix()
        if not state.is_over:
            state.report("local search")

    def _started(self, candidates: Ints) -> CoverDescent:
        """A search among some items, from the best cover."""
        state = self._state
        return CoverDescent(state.task, candidates, _inside(state), seed=self._seed())

    def _seed(self, place: int = 0) -> int:
        return 1000 * (self._state.run.seed + place * 1_000_003) + self._num_rounds

    def _continued(self) -> LongSearch:
        """The long search, started again for a smaller task."""
        state, run = self._state, self._state.run
        if self._long_search is None or self._long_search.task is not state.task:
            is_limited = run.seconds_left < inf
            self._long_search = LongSearch(
                state.task,
                _inside(state),
                seed=self._seed,
                num_seeds=run.num_threads if is_limited else 1,
                effort=self._effort,
            )
        return self._long_search

    def _descend(self, beside: list[CoverDescent], max_work: int) -> None:
        """Search side by side until no cheaper cover was found for a while."""
        state, work, long_search = self._state, 0, self._continued()
        effort, num_edges = self._effort, state.task.problem.num_edges
        work_of_slice = max(effort.work_per_slice, effort.slice_per_edge * num_edges)
        work_of_slice = min(work_of_slice, max_work)
        while work < max_work and not state.is_over:
            most = effort.work_per_second_left * state.run.seconds_left
            work_of_slice = max(1, int(min(work_of_slice, most)))
            work += work_of_slice
            team, cost = long_search.team, state.cost
            found = searched(
                [*beside, *team.searches],
                work_of_slice,
                least_saving=state.least_saving(),
                least_cost=state.bound - state.taken_cost,
                num_threads=state.run.num_threads,
            )
            for each in beside:
                if each in found:
                    state.offer(each.best, step="local search")
            has_found = any(each in found for each in team.searches)
            has_helped = has_found and self._crosses(team)
            best = _complete(state)
            for each in beside:
                each.adopt(best)
            long_search.advance(has_found=has_found, has_helped=has_helped, inside=best)
            if state.cost < cost:
                work = 0

    def _crosses(self, team: Team) -> bool:
        """Cross covers of a team with the best one; return whether that is cheaper."""
        state = self._state
        covers = [_complete(state), *team.covers]
        covers = [items for items in covers if state.task.is_cover(items)]
        if not covers:
            return False
        crossing = reduce(partial(crossed, state.task), covers)
        return state.offer(crossing, step="local search")


def grow_tree(state: CoverState) -> None:
    """Prove the best cover by a tree, or find a cheaper one, where that is not hard."""
    run, task, effort = state.run, state.task, state.effort.cover
    is_limited, is_hard = run.seconds_left < inf, _is_hard(state)
    limited, without_limit, if_hard = effort.max_edges_for_program
    most = if_hard if is_hard else without_limit
    if task.problem.num_edges > (limited if is_limited else most):
        return
    share = effort.time_share_if_hard if is_hard else effort.time_share_of_tree
    if task.problem.num_edges <= effort.max_edges_at_large_gap:
        share = 1.0
    last_second = run.seconds + share * run.seconds_left

    def should_stop() -> bool:
        return run.seconds > last_second or _must_stop(state)

    state.proving = begin_proof(state, should_stop=should_stop)
    tree = state.proving.tree
    prove_by_elimination(
        tree, should_stop=lambda: _must_stop(state), seconds_left=run.seconds_left
    )
    prove_vertex_cover(
        tree,
        should_stop=should_stop,
        max_nodes=inf if is_limited else effort.max_vertex_nodes,
    )
    is_large = task.problem.num_edges > effort.max_edges_of_small
    if not is_large or state.gap <= effort.largest_gap_of_large:
        tree.grow(max_nodes=inf if is_limited else effort.max_nodes)
    if tree.is_proved:
        state.close()


def _must_stop(state: CoverState) -> bool:
    """Whether a proof is over; certificates do not show components that are settled."""
    is_shown = state.settled is None
    return state.is_over and (is_shown or state.status is not None)


def _is_hard(state: CoverState) -> bool:
    """Whether the integer program is unlikely to close the gap soon."""
    size, effort = state.task.problem.num_edges, state.effort.cover
    is_small = state.gap <= effort.largest_gap_to_close
    is_small |= size <= effort.max_edges_at_large_gap
    return not is_small or size > effort.max_edges_of_small


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


def _complete(state: CoverState) -> Ints:
    """The items of the best cover, or of no cover if one of them is not in the task.

    Fixing drops items that the best cover has, but no cheaper one.
    """
    inside = _inside(state)
    is_complete = state.task.restored(inside).size == state.items.size
    return inside if is_complete else inside[:0]


def _inside(state: CoverState) -> Ints:
    """The items of the task that are in the best cover."""
    return np.flatnonzero(np.isin(state.task.items, state.items))


class Bounding:
    """The multipliers of the open task of a search."""

    def __init__(self, state: CoverState) -> None:
        self._state = state
        self._effort = state.effort.ascent
        #: The best multipliers so far, and their task.
        self.task = state.task
        self.dual = CoverDual.at(state.task, first_multipliers(state.task))
        limit = state.run.seconds + state.run.seconds_left
        #: Seconds that are left for ascents.
        self._seconds_left = self._effort.time_share * limit
        self._ascend(self._effort.factors[0])

    def follow(self, *, step: str) -> None:
        """Keep the multipliers of what is left of the task."""
        before, task = self.task, self._state.task
        inside = np.flatnonzero(task.elements >= 0)
        multipliers = np.zeros(task.problem.num_elements)
        numbers = before.elements[inside]
        multipliers[task.elements[inside]] = self.dual.multipliers[numbers]
        self.task, self.dual = task, CoverDual.at(task, multipliers)
        self._state.raise_bound(self.dual.bound, step=step)

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
        if (
            state.is_late
            or not state.fix(self.dual)
            or state.is_over
            or state.task.is_trivial
        ):
            return
        if state.task.items.size > most_left * before.items.size:
            state.task = before
            return
        self.follow(step="multipliers")
        self._ascend(self._effort.factors[1])

    def _ascend(self, factor: float) -> None:
        state, effort = self._state, self._effort
        self._cost = state.cost
        if state.is_over:
            state.raise_bound(self.dual.bound, step="multipliers")
            return
        ascent = Ascent(state.task, self.dual.multipliers, effort, factor=factor)
        steps = effort.edges_per_slice // (state.task.problem.num_edges + 1)
        steps = min(max(steps, 1), effort.max_steps_per_slice)
        first_second = state.run.seconds
        while not (ascent.has_ended or state.is_over):
            if state.run.seconds - first_second > self._seconds_left:
                break
            ascent.climb(steps, cost=state.open_cost)
        self._seconds_left -= state.run.seconds - first_second
        found = ascent.best
        if found.bound >= self.dual.bound:
            self.dual = found
        state.raise_bound(self.dual.bound, step="multipliers")
