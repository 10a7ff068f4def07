"""Local search: exchange items as long as the selection improves."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import ClassVar

from thatch.arrays import number
from thatch.errors import InputError
from thatch.options import require_integer
from thatch.problem.constraints import LIMITS, ConstraintKind
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.result import Result, Status
from thatch.run.run import Run
from thatch.solvers.base import Solver, starting_selection
from thatch.solvers.explorers import Climb
from thatch.solvers.greedy import GeneralizedGreedy


@dataclass(frozen=True)
class LocalSearch:
    """Climb by exchanges, perturb, climb again, and relink the best selections found.

    >>> from thatch import solve
    >>> from thatch.problem.instances import toy
    >>> solve(toy.greedy_trap().problem, LocalSearch()).selection.value
    16.0
    """

    #: Where the search starts: a selection, or a solver that finds one.
    start: Solver | Selection = GeneralizedGreedy()
    #: Maximum number of rounds of perturbing and climbing.
    max_rounds: int = 1000
    #: Maximum number of items and edges to look at, each in a nanosecond or two.
    max_work: float = inf

    accepts: ClassVar[frozenset[ConstraintKind]] = LIMITS

    def __post_init__(self) -> None:
        hint = "Pass 1 or more."
        require_integer("max_rounds", self.max_rounds, least=1, hint=hint)
        if not number("max_work", self.max_work) >= 1:
            raise InputError(
                f"max_work is {self.max_work}; it must be at least 1.", hint=hint
            )

    def solve(self, problem: CoverageProblem, run: Run) -> Result:
        """Search until all rounds are done or the run must stop."""
        start = starting_selection(self.start, problem=problem, run=run)
        search = Climb(problem, start, seed=run.seed)
        rounds_left, work_left = self.max_rounds, self.max_work
        status = run.check_stop()
        while status is None and rounds_left > 0 and work_left > 0:
            # Work is counted in items and edges looked at. At most this much between
            # two reports: a tenth of a second.
            rounds, work = search.climb(rounds_left, min(20_000_000, work_left))
            rounds_left -= rounds
            work_left -= work
            status = run.report(search.best, step="local search")
        return run.result(search.best, status or Status.FINISHED)
