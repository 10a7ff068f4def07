"""The optimum, proved by branch and bound."""

from __future__ import annotations

from dataclasses import dataclass

from thatch.arrays import Ints
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.result import Result, Status
from thatch.run.run import Run
from thatch.solvers.base import Solver, starting_selection
from thatch.solvers.branch_and_reduce import MOST_NODES, Narrowing
from thatch.solvers.local_search import LocalSearch

# A selection that HiGHS lets pass the budget by its tolerance is forbidden, and the
# search repeated, so often at most.
_MOST_REPEATS = 100


@dataclass(frozen=True)
class Exact:
    """Settle what bounds can settle, then branch; never below where it starts.

    >>> from thatch import solve
    >>> from thatch.instances import toy
    >>> solve(toy.greedy_trap().problem, Exact())
    Result(optimal, value 16, gap 0.000%, 2 items)
    """

    #: Where the search begins: a selection, or a solver that finds one.
    start: Solver | Selection = LocalSearch(max_work=2e7)

    def solve(self, problem: CoverageProblem, run: Run) -> Result:
        """Solve until the proof is complete or the run must stop."""
        start = starting_selection(self.start, problem=problem, run=run)
        status = run.report(start, step="start")
        if status is not None:
            return run.result(start, status)
        narrowing = Narrowing(problem, start)
        narrowing.narrow(run)
        narrowing.branch(MOST_NODES)
        status = run.report(narrowing.best, upper_bound=narrowing.bound, step="branch")
        if not narrowing.is_proved and status is None:
            last_second = run.seconds + run.seconds_left
            status = integer_program(narrowing, run, last_second=last_second)
        return conclusion(narrowing, run, status)


def integer_program(
    narrowing: Narrowing, run: Run, *, last_second: float
) -> Status | None:
    """Let HiGHS decide what is left, until it has or the last second is reached."""
    from thatch.bounds.linear_program import LinearModel

    watcher = _Watcher(narrowing, run)
    model = LinearModel(narrowing.problem)
    for _ in range(_MOST_REPEATS):
        items, bound = model.solve(
            start=narrowing.start,
            seed=run.seed,
            max_seconds=max(0.0, last_second - run.seconds),
            watch=watcher.watch,
        )
        found = Selection.of(narrowing.problem, items)
        narrowing.offer(found)
        narrowing.tighten(bound)
        if watcher.status is not None:
            return watcher.status
        if run.seconds >= last_second:
            return Status.TIME_LIMIT
        if len(found) == 0 or narrowing.restored(found).is_feasible:
            break
        model.forbid(items)
    return None


def conclusion(narrowing: Narrowing, run: Run, status: Status | None) -> Result:
    """The answer that a narrowed problem has come to."""
    run.report(narrowing.best, upper_bound=narrowing.bound, step="end")
    if narrowing.is_proved:
        status = Status.OPTIMAL
    return run.result(
        narrowing.best, status or Status.FINISHED, upper_bound=narrowing.bound
    )


class _Watcher:
    """Hears of every better selection that HiGHS meets, and stops it in time."""

    def __init__(self, narrowing: Narrowing, run: Run) -> None:
        self.status: Status | None = None
        self._narrowing = narrowing
        self._run = run

    def watch(self, items: Ints | None, bound: float) -> bool:
        narrowing = self._narrowing
        if items is not None and narrowing.offer(
            Selection.of(narrowing.problem, items)
        ):
            narrowing.tighten(bound)
            status = self._run.report(
                narrowing.best, upper_bound=narrowing.bound, step="branch and bound"
            )
        else:
            status = self._run.check_stop()
        self.status = self.status or status
        return self.status is not None
