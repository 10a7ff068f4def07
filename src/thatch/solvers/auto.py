"""The solver for those who do not want to choose one."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from thatch.bounds.dual_bounds import dual_bound
from thatch.bounds.dual_descent import DualDescent
from thatch.devices import Device
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.result import Result, Status
from thatch.run.run import Run
from thatch.solvers.belief_propagation import BeliefPropagation
from thatch.solvers.branch_and_reduce import MOST_NODES, Narrowing
from thatch.solvers.components import solve_by_components
from thatch.solvers.exact import conclusion, integer_program
from thatch.solvers.exhaustive import Exhaustive
from thatch.solvers.greedy import GeneralizedGreedy, StaticGreedy
from thatch.solvers.recombination_search import RecombinationSearch

# Seconds an edge, roughly, on a slow core.
_GREEDY, _PREPARING = 6e-7, 1.5e-6
# Above so many edges, messages find a better start than climbing does; up to so many
# more, a climb and a bound are tried before them: on a text they mostly suffice.
_EDGES_FOR_MESSAGES, _EDGES_FOR_MESSAGES_FIRST = 5_000, 20_000
# Above so many, fewer iterations must do; the others would improve little.
_MANY_EDGES = 500_000
# Steps to a bound on a GPU: a hundred more would take a thousandth off the gap.
_LOOKS_AT_CHARGES, _CHARGES_A_LOOK = 10, 20
# Messages stop at this share of the time, so that some is left for a bound.
_SHARE_OF_MESSAGES = 0.5
# So few items are settled before they are searched: bounds and a branch mostly suffice.
_ITEMS_TO_SETTLE_FIRST, _NODES_TO_SETTLE_FIRST = 60, 30_000
# So few items are tried in every combination.
_FEW_ITEMS = 14
# Climbing looks at all items for every exchange: with more, minutes bring nothing.
_MOST_ITEMS_TO_SEARCH = 30_000
# Items and edges looked at by the first climb, and by all if there is no time limit:
# a factor times a power of the edges, within limits.
_FIRST_WORK, _FIRST_POWER, _FIRST_LIMITS = 20.0, 1.5, (1.5e6, 6e7)
_FIRST_LOOK = 3e6
_ALL_WORK, _ALL_POWER, _ALL_LIMITS = 20.0, 1.8, (4e6, 4e9)
# A decision of a branch takes as long as looking at so many items.
_WORK_A_NODE = 30
# An integer program of more edges, or in less time, is not tried.
_MOST_EDGES_TO_PROGRAM = 200_000
_LEAST_SECONDS_TO_PROGRAM = 0.5


@dataclass(frozen=True)
class Auto:
    """Reduce, search, bound and settle in turn, until a proof or the end of the time.

    Without a time limit it ends when searching further has become unlikely to help:
    after hundredths of a second on a text, after minutes on a million items.

    >>> from thatch import solve
    >>> from thatch.instances import toy
    >>> solve(toy.greedy_trap().problem)
    Result(optimal, value 16, gap 0.000%, 2 items)
    """

    def solve(self, problem: CoverageProblem, run: Run) -> Result:
        """Chain the solvers, keeping the best selection."""
        if problem.num_items <= _FEW_ITEMS:
            return Exhaustive().solve(problem, run)
        is_searched = problem.num_items <= _MOST_ITEMS_TO_SEARCH
        if run.device is Device.GPU and not is_searched:
            return _on_gpu_alone(problem, run)
        best = _first(problem, run)
        status = run.check_stop()
        if status is not None or run.seconds_left < _PREPARING * problem.num_edges:
            return run.result(best, status or Status.TIME_LIMIT)
        narrowing = Narrowing(problem, best)
        apart = solve_by_components(narrowing.problem, run)
        if apart is not None:
            narrowing.offer(apart.selection)
            narrowing.tighten(apart.upper_bound)
        elif narrowing.problem.num_edges > _EDGES_FOR_MESSAGES_FIRST:
            _pass_messages(narrowing, run)
        elif narrowing.problem.num_edges > _EDGES_FOR_MESSAGES:
            _look_first(narrowing, run)
        elif narrowing.problem.num_items <= _ITEMS_TO_SETTLE_FIRST:
            narrowing.settle(run, _NODES_TO_SETTLE_FIRST)
            narrowing.narrow(run)
            narrowing.branch(_NODES_TO_SETTLE_FIRST)
        _search(narrowing, run)
        return conclusion(narrowing, run, run.check_stop())


def _on_gpu_alone(problem: CoverageProblem, run: Run) -> Result:
    """Messages and a bound: what the processor could add takes longer than both."""
    messages = BeliefPropagation(max_iterations=100)
    found = messages.solve(problem, run.with_time_share(_SHARE_OF_MESSAGES))
    multipliers = DualDescent(problem, found.selection, device=run.device)
    for _ in range(_LOOKS_AT_CHARGES):
        if run.check_stop() is None:
            multipliers.improve(_CHARGES_A_LOOK)
    bound = dual_bound(problem, multipliers.values)
    run.report(found.selection, upper_bound=bound, step="charges")
    is_cut_short = found.status is Status.TIME_LIMIT
    return run.result(
        found.selection,
        run.check_stop() or (found.status if is_cut_short else Status.FINISHED),
        upper_bound=bound,
        beliefs=found.beliefs,
    )


def _first(problem: CoverageProblem, run: Run) -> Selection:
    """A selection at once: g-greedy, or the static order where time is short."""
    is_short = run.seconds_left < _GREEDY * problem.num_edges
    solver = StaticGreedy() if is_short else GeneralizedGreedy()
    return solver.solve(problem, run).selection


def _pass_messages(narrowing: Narrowing, run: Run) -> None:
    is_large = narrowing.problem.num_edges > _MANY_EDGES
    messages = BeliefPropagation(max_iterations=60 if is_large else 150)
    found = messages.solve(narrowing.problem, run.with_time_share(_SHARE_OF_MESSAGES))
    narrowing.offer(found.selection)
    run.report(narrowing.best, step="bp")


def _look_first(narrowing: Narrowing, run: Run) -> None:
    """Climb and bound; pass messages where that proves nothing."""
    search = _new_search(narrowing, run.seed)
    search.go_on(_FIRST_LOOK, run)
    narrowing.offer(search.best)
    narrowing.narrow(run)
    narrowing.branch(int(_FIRST_LOOK / _WORK_A_NODE))
    if not narrowing.is_proved and run.check_stop() is None:
        _pass_messages(narrowing, run)


def _search(narrowing: Narrowing, run: Run) -> None:
    """Search, settle and branch, more each time; then let a program decide."""
    work, work_left = _work(narrowing.problem.num_edges)
    searches = [_new_search(narrowing, run.seed)]
    while not narrowing.is_proved and run.check_stop() is None:
        if searches[-1].problem is not narrowing.problem:
            searches.append(_new_search(narrowing, run.seed + len(searches)))
        is_searched = narrowing.problem.num_items <= _MOST_ITEMS_TO_SEARCH
        if is_searched:
            searches[-1].go_on(work, run)
            narrowing.offer(searches[-1].best)
        narrowing.narrow(run)
        narrowing.branch(int(min(work / _WORK_A_NODE, MOST_NODES)))
        work_left -= work if is_searched else inf
        if work_left <= 0:
            if run.seconds_left == inf or not is_searched:
                return
            is_small = narrowing.problem.num_edges <= _MOST_EDGES_TO_PROGRAM
            if is_small and run.seconds_left > _LEAST_SECONDS_TO_PROGRAM:
                last_second = run.seconds + 0.5 * run.seconds_left
                integer_program(narrowing, run, last_second=last_second)
            work_left = inf
        work = min(2.0 * work, _FIRST_LIMITS[1])


def _new_search(narrowing: Narrowing, seed: int) -> RecombinationSearch:
    return RecombinationSearch(narrowing.problem, narrowing.start, seed=seed)


def _work(num_edges: int) -> tuple[float, float]:
    first = _clipped(_FIRST_WORK * num_edges**_FIRST_POWER, _FIRST_LIMITS)
    return first, _clipped(_ALL_WORK * num_edges**_ALL_POWER, _ALL_LIMITS)


def _clipped(value: float, limits: tuple[float, float]) -> float:
    return min(max(value, limits[0]), limits[1])
