"""The optimum, proved by branch and bound."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, inf

from thatch.arrays import Ints
from thatch.linear_model import LinearModel
from thatch.problem import CoverageProblem
from thatch.result import Result, Status
from thatch.run import Run
from thatch.selection import Selection
from thatch.solvers.base import Solver, starting_selection
from thatch.solvers.greedy import GeneralizedGreedy

# HiGHS proves its bounds up to this share of the largest number in its model.
_TOLERANCE = 1e-9


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

    def solve(self, problem: CoverageProblem, run: Run) -> Result:
        """Solve until the proof is complete or the run must stop."""
        search = _Search(problem, run, starting_selection(self.start, problem, run))
        model = LinearModel(problem)
        while True:
            items, bound = model.solve(
                start=search.best,
                seed=run.seed,
                max_seconds=run.seconds_left,
                watch=search.watch,
            )
            search.offer(items)
            search.tighten(bound)
            if search.status is not None or search.is_proved:
                break
            if Selection.of(problem, items).is_feasible:
                break
            # HiGHS lets a cost pass the budget by its tolerance; we do not.
            model.forbid(items)
        return search.result()


class _Search:
    """The best selection and bound so far, and whether the run must stop."""

    def __init__(self, problem: CoverageProblem, run: Run, start: Selection) -> None:
        self.problem = problem
        self.best = start
        self.bound = inf
        self.run = run
        self.status = run.report(start, step="start")

    @property
    def is_proved(self) -> bool:
        return self.bound <= self.best.value * (1.0 + 2.0 * _TOLERANCE)

    def offer(self, items: Ints) -> bool:
        found = Selection.of(self.problem, items)
        is_better = found.is_feasible and found.value > self.best.value
        self.best = found if is_better else self.best
        return is_better

    def tighten(self, bound: float) -> None:
        bound += _TOLERANCE * abs(bound)
        if self.problem.has_whole_weights and bound < inf:
            bound = float(floor(bound))
        self.bound = min(self.bound, max(bound, self.best.value))

    def watch(self, items: Ints | None, bound: float) -> bool:
        if items is not None:
            self.tighten(bound)
            if self.offer(items) and self.status is None:
                self.status = self.run.report(
                    self.best, upper_bound=self.bound, step="branch and bound"
                )
        return self.status is not None

    def result(self) -> Result:
        if self.is_proved:
            status = Status.OPTIMAL
        elif self.status is not None:
            status = self.status
        else:
            status = (
                Status.TIME_LIMIT if self.run.seconds_left <= 0 else Status.FINISHED
            )
        self.run.report(self.best, upper_bound=self.bound, step="end")
        return self.run.result(self.best, status, upper_bound=self.bound)
