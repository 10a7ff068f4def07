"""A search on one problem that is continued, and that learns from others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from thatch.arrays import Ints
from thatch.bounds.dual_descent import first_order_bound
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.restriction import Restriction
from thatch.problem.selection import Selection
from thatch.run.result import Result, Status
from thatch.run.run import Run
from thatch.solvers.branch_and_reduce import (
    SearchState,
    bound_and_fix,
    bound_fix_and_branch,
    presolve,
)
from thatch.solvers.core_search import CoreSearch
from thatch.solvers.effort import Effort
from thatch.solvers.greedy import complete_by_gain

# The last bound of a problem that was not proved.
_LAST_ITERATIONS = 1000


class Improving:
    """The best selection of one problem so far, with a bound.

    Parameters
    ----------
    problem
        The problem: its constraints are at most limits per group.
    start
        Items to start from; they are completed greedily.
    run
        Its time limit and seed.
    effort
        The limits of every step.
    """

    def __init__(
        self, problem: CoverageProblem, start: Ints, run: Run, effort: Effort
    ) -> None:
        self.problem = problem
        self._run = run
        self._effort = effort
        first = complete_by_gain(problem, start, divisors=problem.costs)
        self._state = self._begun(first)
        self._search = CoreSearch(run, effort)

    @property
    def best(self) -> Selection:
        """The best selection so far."""
        return self._state.incumbent

    @property
    def bound(self) -> float:
        """No selection is worth more than this."""
        return self._state.bound

    @property
    def is_proved(self) -> bool:
        """Whether the best selection is as good as the bound."""
        return self._state.is_proved

    def advance(self, work: float) -> None:
        """Search, bound and branch for some work."""
        if self.is_proved or self._run.must_stop:
            return
        state = self._search.advance(self._state, work)
        nodes = int(min(work / self._effort.work_per_node, self._effort.max_nodes))
        self._state = bound_fix_and_branch(
            state, self._run, max_nodes=nodes, effort=self._effort
        )

    def learn(self, items: Ints) -> None:
        """Combine the best selection with other items, those of another problem."""
        if self.is_proved or self._run.must_stop:
            return
        best = self.best
        is_other = np.zeros(self.problem.num_items, dtype=bool)
        is_other[items] = True
        is_own = np.zeros(self.problem.num_items, dtype=bool)
        is_own[best.items] = True
        both, one = np.flatnonzero(is_own & is_other), np.flatnonzero(is_own ^ is_other)
        restriction = Restriction.of(self.problem, one, both)
        inside = restriction.reduced(best)
        if inside is None or one.size == 0:
            return
        found = bound_fix_and_branch(
            presolve(restriction.problem, inside),
            self._run.unreported(),
            max_nodes=self._effort.nodes_per_combination,
            effort=self._effort,
        )
        self.offer(restriction.restored(found.incumbent))

    def offer(self, found: Selection) -> None:
        """Continue from a selection if it is better."""
        if found.is_feasible and found.value > self.best.value:
            bound = self.bound
            self._state = self._begun(found)
            self.bound_by(bound)
            self._search = CoreSearch(self._run, self._effort)

    def bound_by(self, bound: float) -> None:
        """Lower the bound, if this one is lower."""
        lower = max(min(bound, self.bound), self.best.value)
        self._state = replace(self._state, bound=lower)

    def result(self, *, is_cut_short: bool) -> Result:
        """The result, with one more bound if nothing is proved."""
        if not self.is_proved and not self._run.must_stop:
            self.bound_by(
                first_order_bound(
                    self.problem,
                    start=self.best,
                    iterations=_LAST_ITERATIONS,
                    num_threads=self._run.num_threads,
                    should_stop=lambda: self._run.must_stop,
                )
            )
        status = Status.TIME_LIMIT if is_cut_short else Status.FINISHED
        status = Status.OPTIMAL if self.is_proved else status
        self._run.report(self.best, upper_bound=self.bound, step="plan")
        return self._run.result(self.best, status, upper_bound=self.bound)

    def _begun(self, start: Selection) -> SearchState:
        return bound_and_fix(presolve(self.problem, start), self._run, self._effort)
