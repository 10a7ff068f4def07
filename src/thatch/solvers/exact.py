"""The optimum, proved by branch and bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thatch.problem.constraints import ALL, ConstraintKind
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.result import Result
from thatch.run.run import Run
from thatch.solvers.base import Solver, starting_selection
from thatch.solvers.branch_and_reduce import bound_fix_and_branch
from thatch.solvers.effort import Effort
from thatch.solvers.integer_programming import (
    solve_constrained,
    solve_integer_program,
)
from thatch.solvers.local_search import LocalSearch
from thatch.solvers.search_state import SearchState


@dataclass(frozen=True)
class Exact:
    """Fix variables, then branch and bound; the result is never below its start.

    >>> from thatch import solve
    >>> from thatch.problem.instances import toy
    >>> solve(toy.greedy_trap().problem, Exact())
    Result(optimal, value 16, gap 0.000%, 2 items)
    """

    #: Where the search starts: a selection, or a solver that finds one.
    start: Solver | Selection = LocalSearch(max_work=2e7)

    accepts: ClassVar[frozenset[ConstraintKind]] = ALL

    def solve_constrained(self, problem: CoverageProblem, run: Run) -> Result:
        """Solve a problem with constraints that need an integer program."""
        given = self.start if isinstance(self.start, Selection) else None
        if given is not None:
            given = starting_selection(given, problem=problem, run=run)
        return solve_constrained(problem, run, start=given)

    def solve(self, problem: CoverageProblem, run: Run) -> Result:
        """Solve until the proof is complete or the run must stop."""
        start = starting_selection(self.start, problem=problem, run=run)
        status = run.report(start, step="start")
        if status is not None:
            return run.result(start, status)
        effort = Effort()
        if effort.has_time_to_presolve(problem.num_edges, run.seconds_left):
            state = SearchState.presolved(problem, start)
        else:
            state = SearchState.unreduced(problem, start)
        state = bound_fix_and_branch(
            state, run, max_nodes=effort.max_nodes, effort=effort
        )
        status = run.report(state.incumbent, upper_bound=state.bound, step="branch")
        if not state.is_settled and status is None:
            last_second = run.seconds + run.seconds_left
            state, status = solve_integer_program(state, run, last_second=last_second)
        return state.result(run, status)
