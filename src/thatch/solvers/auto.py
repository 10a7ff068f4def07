"""The default solver: it chooses and chains the others."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import ClassVar

from thatch.bounds.dual_bounds import certified, residual_bound
from thatch.bounds.dual_descent import dual_points
from thatch.devices import Device
from thatch.errors import InputTypeError
from thatch.problem.constraints import ALL, ConstraintKind
from thatch.problem.coverage_problem import CoverageProblem
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
from thatch.solvers.core_search import CoreSearch
from thatch.solvers.effort import Effort
from thatch.solvers.exhaustive import Exhaustive
from thatch.solvers.greedy import GeneralizedGreedy, StaticGreedy
from thatch.solvers.integer_program import concluded, solve_integer_program


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
    from thatch._kernels.gpu import Graph

    graph = Graph.of(problem.edges)
    messages = BeliefPropagation(max_iterations=effort.gpu_message_iterations)
    share = run.with_time_share(effort.messages_time_share)
    found = messages.solve_on(graph, problem, share)
    (point,) = dual_points(
        problem,
        found.selection,
        iterations=effort.gpu_descent_iterations,
        iterations_per_point=effort.gpu_descent_iterations,
        num_threads=run.num_threads,
        device=run.device,
        graph=graph,
        should_stop=lambda: run.must_stop,
    )
    bound = certified(problem, point)
    run.report(found.selection, upper_bound=bound, step="dual descent")
    was_cut_short = found.status is Status.TIME_LIMIT
    return run.result(
        found.selection,
        run.check_stop() or (found.status if was_cut_short else Status.FINISHED),
        upper_bound=bound,
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
    state = CoreSearch(run, effort).advance(state, effort.work_before_messages)
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
    search = CoreSearch(run, effort)
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
