"""The default solver: it chooses and chains the others."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from operator import attrgetter
from typing import ClassVar

import numpy as np

from thatch.bounds.dual_bounds import certified, residual_bound
from thatch.bounds.dual_descent import dual_points
from thatch.devices import Device
from thatch.errors import InputTypeError
from thatch.problem.constraints import ALL, ConstraintKind
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.restriction import Restriction
from thatch.problem.selection import Selection
from thatch.run.result import Result, Status
from thatch.run.run import Run
from thatch.solvers.belief_propagation import BeliefPropagation
from thatch.solvers.branch_and_reduce import (
    SearchState,
    bound_and_fix,
    bound_fix_and_branch,
    presolve,
    solve_small,
    unreduced,
)
from thatch.solvers.components import solve_by_components
from thatch.solvers.constrained import has_only_limits, solve_constrained
from thatch.solvers.effort import Effort
from thatch.solvers.exhaustive import Exhaustive
from thatch.solvers.explorers import Guide
from thatch.solvers.greedy import GeneralizedGreedy, StaticGreedy
from thatch.solvers.integer_program import concluded, solve_integer_program
from thatch.solvers.pricing import priced_core
from thatch.solvers.recombination_search import (
    RecombinationSearch,
    advance_side_by_side,
)

# The search is guided by newer multipliers after this many rounds.
_ROUNDS_PER_GUIDE = 8
# A search draws seeds for its explorers, one after another: at most this many.
_SEEDS_PER_SEARCH = 10**6


@dataclass(frozen=True)
class Auto:
    """Presolve, search, bound, fix and branch in turn, until a proof or the time limit.

    Without a time limit it ends when more search gains little: after hundredths of a
    second on a text, within half a minute on a million edges.

    >>> from thatch import solve
    >>> from thatch.instances import toy
    >>> solve(toy.greedy_trap().problem)
    Result(optimal, value 16, gap 0.000%, 2 items)
    """

    #: How much work each step may take: an `Effort`, or the name of a preset.
    effort: Effort | str = Effort()

    accepts: ClassVar[frozenset[ConstraintKind]] = ALL

    def __post_init__(self) -> None:
        if isinstance(self.effort, str):
            object.__setattr__(self, "effort", Effort.named(self.effort))
        elif not isinstance(self.effort, Effort):
            raise InputTypeError(
                f"effort is {self.effort!r}; it must be an Effort or a preset's name.",
                hint="Pass Effort.fast(), for example, or leave it out.",
            )

    def solve(self, problem: CoverageProblem, run: Run) -> Result:
        """Chain the solvers, keeping the best selection and the lowest bound."""
        effort: Effort = self.effort  # type: ignore[assignment]
        if not has_only_limits(problem):
            return solve_constrained(problem, run)
        if problem.num_items <= effort.max_items_exhaustive:
            return Exhaustive().solve(problem, run)
        if (
            run.device is Device.GPU
            and problem.num_items > effort.max_items_to_search_on_gpu
        ):
            return _solved_on_gpu(problem, run, effort)
        incumbent = _greedy_selection(problem, run, effort)
        seconds = effort.step_seconds_per_edge * problem.num_edges
        if run.must_stop or run.seconds_left < seconds:
            return run.result(incumbent, run.check_stop() or Status.TIME_LIMIT)
        bound = residual_bound(problem, incumbent)
        if bound <= incumbent.value:
            run.report(incumbent, upper_bound=bound, step="residual bound")
            return run.result(incumbent, Status.OPTIMAL, upper_bound=bound)
        seconds = effort.presolve_seconds_per_edge * problem.num_edges
        has_time = seconds <= effort.presolve_time_share * run.seconds_left
        state = (presolve if has_time else unreduced)(problem, incumbent)
        state = _with_first_steps(state, run, effort)
        state = _searched(state, run, effort)
        return concluded(state, run, run.check_stop())


def _solved_on_gpu(problem: CoverageProblem, run: Run, effort: Effort) -> Result:
    """Belief propagation and a bound: what the processor could add takes longer."""
    messages = BeliefPropagation(max_iterations=effort.gpu_message_iterations)
    found = messages.solve(problem, run.with_time_share(effort.messages_time_share))
    (point,) = dual_points(
        problem,
        found.selection,
        iterations=effort.gpu_descent_iterations,
        iterations_per_point=effort.gpu_descent_iterations,
        device=run.device,
        should_stop=lambda: run.must_stop,
    )
    bound = certified(problem, point)
    run.report(found.selection, upper_bound=bound, step="dual descent")
    was_cut_short = found.status is Status.TIME_LIMIT
    return run.result(
        found.selection,
        run.check_stop() or (found.status if was_cut_short else Status.FINISHED),
        upper_bound=bound,
        beliefs=found.beliefs,
    )


def _greedy_selection(problem: CoverageProblem, run: Run, effort: Effort) -> Selection:
    """A first selection: g-greedy, or the static order if time is short."""
    seconds = (
        effort.greedy_seconds_per_edge * problem.num_edges
        + effort.greedy_seconds_per_item * problem.num_items
    )
    solver = StaticGreedy() if run.seconds_left < seconds else GeneralizedGreedy()
    return solver.solve(problem, run).selection


def _with_first_steps(state: SearchState, run: Run, effort: Effort) -> SearchState:
    """The steps that suit the size of the problem, before the search."""
    components = solve_by_components(state.problem, run, effort)
    if components is not None:
        state = state.improved_by(components.selection)
        return state.bounded_by(components.upper_bound)
    if state.problem.num_edges > effort.min_edges_for_messages_first:
        return _with_messages(state, run, effort)
    if state.problem.num_edges > effort.min_edges_for_messages:
        return _searched_before_messages(state, run, effort)
    if state.problem.num_items <= effort.max_items_to_branch_first:
        return solve_small(state, run, effort)
    return state


def _with_messages(state: SearchState, run: Run, effort: Effort) -> SearchState:
    """Improve the incumbent by belief propagation."""
    has_many = state.problem.num_edges > effort.many_edges_for_messages
    messages = BeliefPropagation(
        max_iterations=effort.message_iterations_many_edges
        if has_many
        else effort.message_iterations
    )
    share = run.with_time_share(effort.messages_time_share)
    state = state.improved_by(messages.solve(state.problem, share).selection)
    run.report(state.incumbent, step="bp")
    return state


def _searched_before_messages(
    state: SearchState, run: Run, effort: Effort
) -> SearchState:
    """Search, bound and branch a little; pass messages if that proves nothing."""
    state = _CoreSearch(run, effort).advance(state, effort.work_before_messages)
    nodes = effort.nodes_before_messages
    state = bound_fix_and_branch(
        state, run, max_nodes=nodes, effort=effort, is_quick=True
    )
    if state.is_proved or run.must_stop:
        return state
    return _with_messages(state, run, effort)


def _searched(state: SearchState, run: Run, effort: Effort) -> SearchState:
    """Search, bound and branch, with more work each time; then an integer program."""
    work = effort.first_work.at(state.problem.num_edges)
    search = _CoreSearch(run, effort)
    has_tried_integer_program = False
    has_many_items = state.problem.num_items > effort.max_items_to_climb
    if has_many_items:
        work *= effort.first_work_share_many_items
    if has_many_items or search.has_core(state):
        # Multipliers price the items of the core.
        share = run.with_time_share(effort.bound_time_share)
        state = bound_and_fix(state, share, effort)
    history = _SearchHistory(
        state,
        max_work=effort.total_work.at(state.problem.num_edges),
        min_rounds=1 if has_many_items else effort.min_rounds,
        min_gain_per_work=effort.min_gain_per_work,
    )
    while not state.is_proved and not run.must_stop:
        state = search.advance(state, work)
        nodes = int(min(work / effort.work_per_node, effort.max_nodes))
        share = run.with_time_share(effort.bound_time_share)
        state = bound_fix_and_branch(state, share, max_nodes=nodes, effort=effort)
        history.add(work, state)
        if run.seconds_left == inf and history.is_over:
            return _branched_if_small(state, run, effort)
        if history.work_left <= 0 and not has_tried_integer_program:
            # From now on, only the time limit ends the search.
            state = _branched_if_small(state, run, effort)
            state = _with_integer_program(state, run, effort)
            has_tried_integer_program = True
        work = min(effort.work_growth * work, effort.first_work.most)
    return state


class _CoreSearch:
    """Recombination searches on one core of the open problem after another."""

    def __init__(self, run: Run, effort: Effort) -> None:
        self._run = run
        self._effort = effort
        self._num_searches = 0
        # Of the present open problem: cores before, the core, and its search. Without a
        # core, the whole problem is searched.
        self._problem: CoverageProblem | None = None
        self._num_cores = 0
        self._core: Restriction | None = None
        self._searches: list[RecombinationSearch] = []
        # Rounds of the present search.
        self._num_rounds = 0

    @property
    def _num_side_by_side(self) -> int:
        """One per thread; without a time limit one, so that threads change nothing."""
        return 1 if self._run.seconds_left == inf else self._run.num_threads

    def has_core(self, state: SearchState) -> bool:
        """Whether a core is searched first, not the whole problem."""
        return self._is_core_of(self._num_items(state), state)

    def _is_core_of(self, num_items: int, state: SearchState) -> bool:
        """Whether a core of that size is much smaller than the problem."""
        least = self._effort.min_items_per_core_item * num_items
        return least <= state.problem.num_items

    def _num_items(self, state: SearchState) -> int:
        """Number of items of the first core."""
        least, per_item = self._effort.core_items
        return max(least, per_item * len(state.start))

    def advance(self, state: SearchState, work: float) -> SearchState:
        """Search for some work, and improve the state by what was found."""
        searches = self._searches
        is_over = self._core is not None and all(
            search.num_restarts for search in searches
        )
        if not searches or is_over or state.problem is not self._problem:
            searches = self._searches = self._next_searches(state)
            self._num_rounds = 0
        if state.dual is not None and self._num_rounds % _ROUNDS_PER_GUIDE == 0:
            price, profits = state.dual.price, state.dual.reduced_profits
            if self._core is not None:
                profits = profits[self._core.items]
            guide = Guide.of(searches[0].problem, price, profits)
            for search in searches:
                search.guide = guide
        self._num_rounds += 1
        advance_side_by_side(searches, work, self._run)
        found = max((search.best for search in searches), key=attrgetter("value"))
        if self._core is not None:
            found = self._core.restored(found)
        return state.improved_by(found)

    def _next_searches(self, state: SearchState) -> list[RecombinationSearch]:
        """Search another core, or the whole problem if that is hardly larger."""
        problem, start = state.problem, state.start
        if problem is not self._problem:
            self._num_cores = 0
        # Every other core is larger than all before.
        doublings = (self._num_cores + 1) // 2 if self._num_cores % 2 else 0
        num_items = 2**doublings * self._num_items(state)
        self._problem, self._core = problem, None
        if state.dual is not None and self._is_core_of(num_items, state):
            self._core = priced_core(
                problem,
                state.dual,
                [start],
                num_items=num_items,
                turn=self._num_cores,
                run=self._run,
            )
            self._num_cores += 1
            problem = self._core.problem
            inside = np.isin(self._core.items, start.items)
            start = Selection(problem, np.flatnonzero(inside))
        seed = self._run.seed + self._num_searches
        self._num_searches += 1
        return [
            RecombinationSearch(
                problem, start, seed=seed + k * _SEEDS_PER_SEARCH, effort=self._effort
            )
            for k in range(self._num_side_by_side)
        ]


class _SearchHistory:
    """What the rounds of a search have reached, and whether another one is worthwhile.

    It counts work, not seconds: the same problem ends with the same selection on every
    machine.
    """

    def __init__(
        self,
        start: SearchState,
        *,
        max_work: float,
        min_rounds: int,
        min_gain_per_work: float,
    ) -> None:
        #: Work until the search ends in any case.
        self.work_left = max_work
        self._min_rounds = min_rounds
        self._min_gain_per_work = min_gain_per_work
        # Work done, value and bound before the first round and after each.
        self._rounds = [(0.0, start.incumbent.value, start.bound)]

    def add(self, work: float, state: SearchState) -> None:
        """Record a round."""
        self.work_left -= work
        done = self._rounds[-1][0] + work
        self._rounds.append((done, state.incumbent.value, state.bound))

    @property
    def is_over(self) -> bool:
        """Whether the work is used up, or the second half of it gained too little."""
        if self.work_left <= 0:
            return True
        if len(self._rounds) <= self._min_rounds:
            return False
        done, value, bound = self._rounds[-1]
        old_done, old_value, old_bound = next(
            each for each in reversed(self._rounds) if each[0] <= done / 2
        )
        gained = (value - old_value) + (old_bound - bound)
        return gained < self._min_gain_per_work * (done - old_done) * bound


def _branched_if_small(state: SearchState, run: Run, effort: Effort) -> SearchState:
    """Branch with all nodes, a fraction of a second, where that may be enough."""
    if state.problem.num_items > effort.max_items_to_branch_first:
        return state
    nodes = effort.max_nodes
    return bound_fix_and_branch(state, run, max_nodes=nodes, effort=effort)


def _with_integer_program(state: SearchState, run: Run, effort: Effort) -> SearchState:
    """Solve an integer program in a share of the remaining time, if it is small."""
    is_small = state.problem.num_edges <= effort.max_edges_for_integer_program
    is_late = run.seconds_left <= effort.min_seconds_for_integer_program
    if state.is_proved or not is_small or is_late:
        return state
    share = effort.integer_program_time_share
    last_second = run.seconds + share * run.seconds_left
    return solve_integer_program(state, run, last_second=last_second)[0]
