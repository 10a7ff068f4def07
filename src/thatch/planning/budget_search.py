"""A search on one problem that is continued, and that learns from others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from thatch.arrays import Ints
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Restriction, Selection
from thatch.run.result import Result, Status
from thatch.run.run import Run
from thatch.solvers.branch_and_reduce import (
    bound_and_fix,
    bound_fix_and_branch,
    compared_exactly,
    improve,
    solve_restriction,
)
from thatch.solvers.core_search import CoreSearch
from thatch.solvers.effort import Effort
from thatch.solvers.greedy import complete_by_gain
from thatch.solvers.search_state import SearchState


class BudgetSearch:
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
        # Selections that were combined: the best one then, and the other.
        self._combined: set[tuple[bytes, bytes]] = set()

    def continue_in(self, run: Run) -> None:
        """Go on in another run, which has more time left."""
        self._run = self._search.run = run

    @property
    def best(self) -> Selection:
        """The best selection so far."""
        return self._state.incumbent

    def advance(self, work: float, *, is_first: bool) -> None:
        """Search for some work; at first, bound and branch as well."""
        seconds = self._effort.step_seconds_per_edge * self.problem.num_edges
        is_late = self._run.must_stop or self._run.seconds_left < seconds
        if self._state.is_settled or is_late:
            return
        before = self._state.incumbent
        found = self._search.advance(self._state, work)
        self._state = self._state.improved_by(found)
        if is_first:
            nodes = int(min(work / self._effort.work_per_node, self._effort.max_nodes))
            self._state = bound_fix_and_branch(
                self._state, self._run, max_nodes=nodes, effort=self._effort
            )
        elif self._state.incumbent is not before:
            self._state = bound_and_fix(self._state, self._run, self._effort)

    def combine_with(self, items: Ints) -> None:
        """Combine the best selection with other items, those of another problem."""
        best = self.best
        pair = (best.items.tobytes(), items.tobytes())
        if self._state.is_settled or self._run.must_stop or pair in self._combined:
            return
        self._combined.add(pair)
        is_other = np.zeros(self.problem.num_items, dtype=bool)
        is_other[items] = True
        is_own = np.zeros(self.problem.num_items, dtype=bool)
        is_own[best.items] = True
        both, one = np.flatnonzero(is_own & is_other), np.flatnonzero(is_own ^ is_other)
        found = solve_restriction(
            Restriction.of(self.problem, one, both),
            best,
            self._run,
            max_nodes=self._effort.recombination.nodes_per_combination,
            effort=self._effort,
        )
        if found is not None:
            self.offer(found[0])

    def offer(self, found: Selection) -> None:
        """Continue from a selection if it is better."""
        if found.is_feasible and found.is_better_than(self.best):
            state = _continued(self._state, found)
            if state is None:
                state = self._begun(found)
                bound = max(min(self._state.bound, state.bound), found.value)
                state = replace(state, bound=bound)
            self._state = state
            self._search = CoreSearch(self._run, self._effort)

    def result(self, *, is_cut_short: bool) -> Result:
        """The result, with one more bound if nothing is proved."""
        descent = self._state.descent
        if descent is not None:
            # How long the descent of a problem that was not proved goes on at the end.
            work = 300 * descent.work_per_iteration
            self._state = improve(self._state, self._run, work=work)
        self._state = compared_exactly(self._state, self._run, self._effort)
        status = Status.TIME_LIMIT if is_cut_short else Status.FINISHED
        status = Status.OPTIMAL if self._state.is_proved else status
        self._run.report(self.best, upper_bound=self._state.bound, step="plan")
        return self._state.result(self._run, status)

    def _begun(self, start: Selection) -> SearchState:
        num_edges, left = self.problem.num_edges, self._run.seconds_left
        if self._effort.has_time_to_presolve(num_edges, left):
            state = SearchState.presolved(self.problem, start)
        else:
            state = SearchState.unreduced(self.problem, start)
        return bound_and_fix(state, self._run, self._effort)


def _continued(state: SearchState, found: Selection) -> SearchState | None:
    """The state with a better selection, if the open problem has it."""
    inside: Selection | None = found
    for step in state.steps:
        if inside is None:
            return None
        inside = step.reduced(Selection(step.original, inside.items))
    if inside is None or state.restored(inside).value < found.value:
        return None
    return replace(state, incumbent=found, start=inside)
