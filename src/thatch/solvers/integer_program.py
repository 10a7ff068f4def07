"""What is left of a search, as an integer program that HiGHS solves."""

from __future__ import annotations

from thatch.arrays import Ints
from thatch.problem.selection import Selection
from thatch.run.result import Result, Status
from thatch.run.run import Run
from thatch.solvers.branch_and_reduce import SearchState

# HiGHS may exceed the budget by its tolerance. Such a selection is forbidden, and the
# program solved again, at most this often.
_MAX_REPEATS = 100


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
