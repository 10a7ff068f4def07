"""The optimum, proved by branch and bound."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from thatch.arrays import Ints
from thatch.linear_model import LinearModel
from thatch.problem import CoverageProblem
from thatch.result import Result, Status
from thatch.run import Run
from thatch.selection import Selection
from thatch.solvers.base import Solver, starting_selection
from thatch.solvers.greedy import GeneralizedGreedy

# Real weights count as proved optimal to this share of the value; whole ones exactly.
_PROOF = 1e-8
# A selection that HiGHS lets pass the budget by its tolerance is forbidden, and the
# search repeated, so often at most.
_MOST_REPEATS = 100


@dataclass(frozen=True)
class Exact:
    """Solve the integer program with HiGHS, from a start that it never falls below.

    >>> from thatch import solve
    >>> from thatch.instances import toy
    >>> solve(toy.greedy_trap().problem, Exact())
    Result(optimal, value 16, gap 0.000%, 2 items)
    """

    #: Where the search begins: a selection, or a solver that finds one.
    start: Solver | Selection = GeneralizedGreedy()
    #: How long to search, within what time the run has.
    max_seconds: float = inf

    def solve(self, problem: CoverageProblem, run: Run) -> Result:
        """Solve until the proof is complete or the run must stop."""
        start = starting_selection(self.start, problem=problem, run=run)
        search = _Search(problem, run, start)
        if search.status is not None:
            return run.result(start, search.status)
        last_second = run.seconds + min(self.max_seconds, run.seconds_left)
        model = LinearModel(problem)
        for _ in range(_MOST_REPEATS):
            items, bound = model.solve(
                start=search.best,
                seed=run.seed,
                max_seconds=max(0.0, last_second - run.seconds),
                watch=search.watch,
            )
            search.offer(items)
            search.tighten(bound)
            is_over = search.status is not None or run.seconds >= last_second
            if is_over or Selection.of(problem, items).is_feasible:
                break
            model.forbid(items)
        return search.result(is_over=is_over)


class _Search:
    """The best selection and bound so far, and whether the run must stop."""

    def __init__(self, problem: CoverageProblem, run: Run, start: Selection) -> None:
        self.problem = problem
        self.best = start
        self.bound = inf
        self.run = run
        self.status = run.report(start, step="start")

    def offer(self, items: Ints) -> bool:
        found = Selection.of(self.problem, items)
        is_better = found.is_feasible and found.value > self.best.value
        self.best = found if is_better else self.best
        return is_better

    def tighten(self, bound: float) -> None:
        bound = self.problem.rounded_bound(bound)
        self.bound = min(self.bound, max(bound, self.best.value))

    def watch(self, items: Ints | None, bound: float) -> bool:
        if items is not None and self.offer(items):
            self.tighten(bound)
            status = self.run.report(
                self.best, upper_bound=self.bound, step="branch and bound"
            )
        else:
            status = self.run.ask()
        self.status = self.status or status
        return self.status is not None

    def result(self, *, is_over: bool) -> Result:
        slack = 0.0 if self.problem.has_whole_weights else _PROOF * self.best.value
        if self.bound <= self.best.value + slack:
            status = Status.OPTIMAL
        elif self.status is not None:
            status = self.status
        else:
            status = Status.TIME_LIMIT if is_over else Status.FINISHED
        self.run.report(self.best, upper_bound=self.bound, step="end")
        return self.run.result(self.best, status, upper_bound=self.bound)
