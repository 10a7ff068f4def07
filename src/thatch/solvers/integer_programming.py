"""Integer programs: what is left of a search, and problems whose constraints need one.

Required and forbidden items alone leave a smaller problem, and limits per group are
kept by solvers that accept them. All other constraints become rows of an integer
program, which starts from a selection that keeps them.
"""

from __future__ import annotations

import numpy as np

from thatch.arrays import Ints
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.result import Result, Status
from thatch.run.run import Run
from thatch.solvers.bounds.dual_descent import first_order_bound
from thatch.solvers.branch_and_reduce import SearchState
from thatch.solvers.greedy import item_weights, ranking
from thatch.solvers.highs.coverage_program import LinearProgram
from thatch.solvers.highs.feasibility import feasible_items
from thatch.solvers.highs.programs import MAX_REPEATS


def solve_integer_program(
    state: SearchState, run: Run, *, last_second: float
) -> tuple[SearchState, Status | None]:
    """Let HiGHS solve the open problem until it finishes or the time is up."""
    watcher = _Watcher(state, run)
    program = LinearProgram(state.problem)
    for _ in range(MAX_REPEATS):
        answer = program.solve(
            start=watcher.state.start,
            seed=run.seed,
            max_seconds=max(0.0, last_second - run.seconds),
            watch=watcher.watch,
        )
        if answer is None:
            return watcher.state, watcher.status or run.check_stop()
        items, bound = answer
        found = Selection.of(state.problem, items)
        watcher.state = watcher.state.improved_by(found).bounded_by(bound)
        if watcher.status is not None or run.seconds >= last_second:
            return watcher.state, watcher.status or run.check_stop()
        if len(found) == 0 or state.restored(found).is_feasible:
            break
        program.forbid(items)
    return watcher.state, None


class _Watcher:
    """Follows HiGHS: records every better selection, and stops it in time."""

    def __init__(self, state: SearchState, run: Run) -> None:
        self.state = state
        self.status: Status | None = None
        self._run = run

    def watch(self, items: Ints | None, bound: float) -> bool:
        """Called by `LinearProgram.solve`; True stops it."""
        better = self.state
        if items is not None:
            better = self.state.improved_by(Selection.of(self.state.problem, items))
        has_improved = better is not self.state
        self.state = better.bounded_by(bound)
        if has_improved:
            status = self._run.report(
                self.state.incumbent,
                upper_bound=self.state.bound,
                step="integer program",
            )
        else:
            # Bounds come as the clock goes: in the trace, runs would differ.
            status = self._run.check_stop(upper_bound=self.state.bound)
        self.status = self.status or status
        return self.status is not None


def solve_constrained(
    problem: CoverageProblem, run: Run, *, start: Selection | None = None
) -> Result:
    """Solve a problem with any constraints by an integer program.

    Parameters
    ----------
    problem
        The problem.
    run
        Every better selection is reported to it.
    start
        A feasible selection to start from, if there is one.

    Raises
    ------
    InfeasibleError
        If no selection keeps the constraints.
    NoTimeError
        If none was found within the time limit.
    """
    first = _feasible_start(problem, run) if start is None else start
    start = _completed(first, run)
    status = run.report(start, step="feasible start")
    bound = _relaxed_bound(problem, start, run)
    state = SearchState(problem, start, problem, start).bounded_by(bound)
    if state.is_proved or status is not None:
        return state.result(run, status)
    last_second = run.seconds + run.seconds_left
    state, status = solve_integer_program(state, run, last_second=last_second)
    return state.result(run, status)


def _feasible_start(problem: CoverageProblem, run: Run) -> Selection:
    """The least that the constraints ask for, or what an integer program finds."""
    least = Selection(problem, _least_items(problem))
    if least.is_feasible:
        return least
    merits = item_weights(problem)
    items = feasible_items(problem, merits, max_seconds=run.seconds_left)
    return Selection(problem, items)


def _least_items(problem: CoverageProblem) -> Ints:
    """Required items, the cheapest ones of groups, and all prerequisites of these."""
    constraints = problem.constraints
    if constraints is None:
        return np.zeros(0, dtype=np.int64)
    chosen = set(constraints.required.tolist())
    left_out = set(constraints.forbidden.tolist())
    groups = constraints.groups
    if groups is not None:
        missing = groups.at_least - groups.counts(constraints.required)
        for i in np.argsort(problem.costs, kind="stable").tolist():
            is_open = i not in chosen and i not in left_out
            if is_open and missing[groups.group[i]] > 0:
                chosen.add(i)
                missing[groups.group[i]] -= 1
    needs: dict[int, list[int]] = {}
    for one, other in constraints.prerequisites.tolist():
        needs.setdefault(one, []).append(other)
    waiting = list(chosen)
    while waiting:
        for other in needs.get(waiting.pop(), ()):
            if other not in chosen:
                chosen.add(other)
                waiting.append(other)
    return np.array(sorted(chosen), dtype=np.int64)


def _completed(start: Selection, run: Run, *, max_tries: int = 2000) -> Selection:
    """The selection with items added while it stays feasible, best first."""
    problem = start.problem
    merits = item_weights(problem)
    merits[start.items] = 0.0
    largest = largest_value = start
    for i in ranking(problem, merits)[:max_tries].tolist():
        if merits[i] <= 0.0 or run.must_stop:
            break
        larger = Selection(problem, np.sort(np.append(largest.items, i)))
        if _met(larger) > _met(largest) and larger.is_feasible:
            largest = larger
            if largest.value > largest_value.value:
                largest_value = largest
    return largest_value


def _met(selection: Selection) -> float:
    """Weight of the elements, each as far as its demand is met."""
    constraints = selection.problem.constraints
    demands = None if constraints is None else constraints.demands
    if demands is None:
        return selection.value
    shares = np.minimum(selection.cover_counts / demands, 1.0)
    return float(selection.problem.weights @ shares)


def _relaxed_bound(problem: CoverageProblem, start: Selection, run: Run) -> float:
    """A bound that only knows the budget and the limits per group."""
    return first_order_bound(
        problem,
        start=start,
        num_threads=run.num_threads,
        should_stop=lambda: run.must_stop,
    )
