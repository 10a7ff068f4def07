"""The default solver: it chooses and chains the others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import ClassVar

from thatch.machine.devices import Device
from thatch.problem.constraints import ALL, ConstraintKind
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.result import Result, Status
from thatch.run.run import Run
from thatch.solvers.belief_propagation.algorithm import BeliefPropagation
from thatch.solvers.belief_propagation.loop import solved
from thatch.solvers.bounds.dual_bounds import certified, residual_point
from thatch.solvers.branch_and_reduce import (
    bound_and_fix,
    bound_fix_and_branch,
    compared_exactly,
    solve_small,
)
from thatch.solvers.certifying import certificate_of
from thatch.solvers.components import solve_by_components
from thatch.solvers.core_search import CoreSearch
from thatch.solvers.effort import Effort
from thatch.solvers.exhaustive import Exhaustive
from thatch.solvers.explorers import Climb, explored
from thatch.solvers.greedy import GeneralizedGreedy, StaticGreedy
from thatch.solvers.integer_programming import (
    solve_constrained,
    solve_integer_program,
)
from thatch.solvers.search_state import SearchState


@dataclass(frozen=True)
class Auto:
    """Presolve, search, bound, fix and branch in turn, until a proof or the time limit.

    Without a time limit it ends when more search gains little: after hundredths of a
    second on a text, within half a minute on a million edges.

    >>> from thatch import solve
    >>> from thatch.problem.instances import toy
    >>> solve(toy.greedy_trap().problem)
    Result(optimal, value 16, gap 0.000%, 2 items)
    """

    #: How much work each step may take: an `Effort`, or the name of a preset.
    effort: Effort | str = Effort()

    accepts: ClassVar[frozenset[ConstraintKind]] = ALL

    def __post_init__(self) -> None:
        object.__setattr__(self, "effort", Effort.of(self.effort))

    def solve_constrained(self, problem: CoverageProblem, run: Run) -> Result:
        """Solve a problem with constraints that need an integer program."""
        return solve_constrained(problem, run)

    def solve(self, problem: CoverageProblem, run: Run) -> Result:
        """Chain the solvers, keeping the best selection and the lowest bound."""
        effort: Effort = self.effort  # type: ignore[assignment]
        if problem.num_items <= effort.max_items_exhaustive:
            return Exhaustive().solve(problem, run)
        if (
            run.device is Device.GPU
            and problem.num_items > effort.max_items_to_search_on_gpu
        ):
            return _solved_on_gpu(problem, run, effort)
        incumbent = _greedy_selection(problem, run, effort)
        seconds = effort.step_seconds_per_edge * problem.num_edges
        group, _ = problem.group_limits
        seconds += effort.certificate.seconds_per_grouped_item * group.size
        if run.must_stop or run.seconds_left < seconds:
            return run.result(incumbent, run.check_stop() or Status.TIME_LIMIT)
        point = residual_point(problem, incumbent)
        bound = certified(problem, point)
        if incumbent.is_proved_by(bound):
            run.report(incumbent, upper_bound=bound, step="residual bound")
            result = run.result(incumbent, Status.FINISHED)
            return result.with_bound(bound, certificate_of(point))
        state = _presolved(problem, incumbent, run, effort)
        state = _with_first_steps(state, run, effort)
        state = _searched(state, run, effort)
        state = compared_exactly(state, run, effort)
        return state.result(run, run.check_stop())


def _solved_on_gpu(problem: CoverageProblem, run: Run, effort: Effort) -> Result:
    """Belief propagation and a bound: what the processor could add takes longer."""
    from thatch._kernels.gpu import Graph

    steps = effort.gpu_descent_iterations
    messages = BeliefPropagation(max_iterations=effort.gpu_message_iterations)
    graph = Graph.of(problem.edges)
    backend = messages.in_memory(problem, run, graph=graph)
    share = effort.messages_time_share
    plan = replace(messages.plan, descent_steps=steps, messages_time_share=share)
    return solved(backend, plan, run)


def _greedy_selection(problem: CoverageProblem, run: Run, effort: Effort) -> Selection:
    """A first selection: g-greedy, or the static order if time is short."""
    seconds = effort.greedy_seconds(problem.num_items, problem.num_edges)
    solver = StaticGreedy() if run.seconds_left < seconds else GeneralizedGreedy()
    return solver.solve(problem, run).selection


def _presolved(
    problem: CoverageProblem, incumbent: Selection, run: Run, effort: Effort
) -> SearchState:
    """The first state: presolved, unless that would take too long."""
    if effort.has_time_to_presolve(problem.num_edges, run.seconds_left):
        return SearchState.presolved(problem, incumbent)
    return SearchState.unreduced(problem, incumbent)


def _with_first_steps(state: SearchState, run: Run, effort: Effort) -> SearchState:
    """The steps that suit the size of the problem, before the search."""
    components = solve_by_components(state.problem, run, effort)
    if components is not None:
        state = state.improved_by(components.selection)
        assert components.certificate is not None
        state = state.bounded_by(components.upper_bound, *components.certificate.steps)
        return state if state.is_proved else _without_rounding(state, run, effort)
    num_edges = state.problem.num_edges
    has_messages_first = num_edges > effort.min_edges_for_messages_first
    if not has_messages_first and num_edges <= effort.min_edges_for_messages:
        is_small = state.problem.num_items <= effort.max_items_to_branch_first
        return solve_small(state, run, effort) if is_small else state
    if not has_messages_first:
        # A little of everything comes first: that may prove the incumbent.
        state = _after_round(
            state,
            CoreSearch(run, effort),
            run,
            effort,
            work=effort.work_before_messages,
            nodes=effort.nodes_before_messages,
            is_quick=True,
        )
        if state.is_settled or run.must_stop:
            return state
    has_many = num_edges > effort.many_edges_for_messages
    messages = BeliefPropagation(
        max_iterations=effort.message_iterations_many_edges
        if has_many
        else effort.message_iterations
    )
    share = run.with_time_share(effort.messages_time_share)
    state = state.improved_by(messages.solve(state.problem, share).selection)
    run.report(state.incumbent, step="bp")
    return state


def _without_rounding(state: SearchState, run: Run, effort: Effort) -> SearchState:
    """The state without the error of its rounded bound, if that is quickly excluded."""
    unbounded = replace(state, bound=inf)
    nodes = effort.first_nodes
    found = bound_fix_and_branch(
        unbounded, run, max_nodes=nodes, effort=effort, is_quick=True
    )
    return found if found.bound <= state.bound else state


def _after_round(
    state: SearchState,
    search: CoreSearch,
    run: Run,
    effort: Effort,
    *,
    work: float,
    nodes: int,
    is_quick: bool = False,
) -> SearchState:
    """One round: search; then bound, fix and branch, in a share of the time left."""
    state = state.improved_by(search.advance(state, work))
    if not is_quick:
        run = run.with_time_share(effort.bound_time_share)
    return bound_fix_and_branch(
        state, run, max_nodes=nodes, effort=effort, is_quick=is_quick
    )


def _searched(state: SearchState, run: Run, effort: Effort) -> SearchState:
    """Rounds with more work each time; in the end, branch or solve a program."""
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
    min_rounds = 1 if has_many_items else effort.min_rounds
    history = _SearchHistory(state, effort, min_rounds=min_rounds)
    while not state.is_settled and not run.must_stop:
        nodes = int(min(work / effort.work_per_node, effort.max_nodes))
        state = _after_round(state, search, run, effort, work=work, nodes=nodes)
        history.add(work, state)
        if run.seconds_left == inf and history.is_over:
            return _branched_if_small(state, run, effort)
        limit = run.seconds + run.seconds_left
        is_late = run.seconds > effort.time_before_split * limit
        has_clusters = _has_clusters(state.problem, effort)
        is_due = history.work_left <= 0 or (is_late and has_clusters)
        if is_due and not has_tried_integer_program:
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

    def __init__(self, start: SearchState, effort: Effort, *, min_rounds: int) -> None:
        #: Work until the search ends in any case.
        self.work_left = effort.total_work.at(start.problem.num_edges)
        self._min_rounds = min_rounds
        self._min_gain_per_work = effort.min_gain_per_work
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
    has_clusters = _has_clusters(state.problem, effort)
    most = effort.max_edges_for_integer_program
    is_small = has_clusters or state.problem.num_edges <= most
    is_late = run.seconds_left <= effort.min_seconds_for_integer_program
    if state.is_settled or not is_small or is_late:
        return state
    share = effort.integer_program_time_share
    if has_clusters:
        share = effort.split_time_share
        state = _climbed(state, run, effort)
    last_second = run.seconds + share * run.seconds_left
    return solve_integer_program(state, run, last_second=last_second)[0]


def _climbed(state: SearchState, run: Run, effort: Effort) -> SearchState:
    """Climb for a while: few items are exchanged quickly, and a tree needs the best."""
    share = run.with_time_share(effort.climb_time_share)
    climb = Climb(state.problem, state.start, seed=run.seed)
    per_check = effort.work_per_check
    return state.improved_by(explored(climb, inf, share, work_per_check=per_check))


def _has_clusters(problem: CoverageProblem, effort: Effort) -> bool:
    """Whether few items cover many elements, each of which has many of them."""
    return (
        problem.num_items <= effort.max_items_to_split
        and effort.min_degree_to_split * problem.num_elements <= problem.num_edges
        and problem.num_edges <= effort.max_edges_to_split
    )
