"""The optimum, proved by branch and bound."""

from __future__ import annotations

from dataclasses import dataclass

from thatch.arrays import Ints
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.result import Result, Status
from thatch.run.run import Run
from thatch.solvers.base import Solver, starting_selection
from thatch.solvers.branch_and_reduce import SearchState, bound_fix_and_branch, presolve
from thatch.solvers.effort import Effort
from thatch.solvers.local_search import LocalSearch

# HiGHS may exceed the budget by its tolerance. Such a selection is forbidden, and the
# program solved again, at most this often.
_MAX_REPEATS = 100


@dataclass(frozen=True)
class Exact:
    """Fix variables, then branch and bound; the result is never below its start.

    >>> from thatch import solve
    >>> from thatch.instances import toy
    >>> solve(toy.greedy_trap().problem, Exact())
    Result(optimal, value 16, gap 0.000%, 2 items)
    """

    #: Where the search starts: a selection, or a solver that finds one.
    start: Solver | Selection = LocalSearch(max_work=2e7)

    def solve(self, problem: CoverageProblem, run: Run) -> Result:
        """Solve until the proof is complete or the run must stop."""
        start = starting_selection(self.start, problem=problem, run=run)
        status = run.report(start, step="start")
        if status is not None:
            return run.result(start, status)
        effort = Effort()
        state = presolve(problem, start)
        state = bound_fix_and_branch(
            state, run, max_nodes=effort.max_nodes, effort=effort
        )
        status = run.report(state.incumbent, upper_bound=state.bound, step="branch")
        if not state.is_proved and status is None:
            last_second = run.seconds + run.seconds_left
            state, status = solve_integer_program(state, run, last_second=last_second)
        return concluded(state, run, status)


def solve_integer_program(
    state: SearchState, run: Run, *, last_second: float
) -> tuple[SearchState, Status | None]:
    """Let HiGHS solve the open problem until it finishes or the time is up."""
    from thatch.bounds.linear_program import LinearProgram

    watcher = _Watcher(state, run)
    program = LinearProgram(state.problem)
    for _ in range(_MAX_REPEATS):
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


def concluded(state: SearchState, run: Run, status: Status | None) -> Result:
    """Close the run with what a search has reached."""
    run.report(state.incumbent, upper_bound=state.bound, step="end")
    if state.is_proved:
        status = Status.OPTIMAL
    return run.result(
        state.incumbent, status or Status.FINISHED, upper_bound=state.bound
    )


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
