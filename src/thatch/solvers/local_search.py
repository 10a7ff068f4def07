"""Local search: a good selection made better, for as long as there is time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thatch._kernels.search import Search
from thatch.errors import InputError
from thatch.problem import CoverageProblem
from thatch.result import Result, Status
from thatch.run import Run
from thatch.selection import Selection
from thatch.solvers.base import Solver, starting_selection
from thatch.solvers.greedy import GeneralizedGreedy

# Items looked at between two reports, at the most: about a fifth of a second.
_WORK_A_REPORT = 100_000_000


@dataclass(frozen=True)
class LocalSearch:
    """Drop an item and refill the budget while that helps; kick, and climb again.

    >>> from thatch import solve
    >>> from thatch.instances import toy
    >>> solve(toy.greedy_trap().problem, LocalSearch()).selection.value
    16.0
    """

    #: Where the search begins: a selection, or a solver that finds one.
    start: Solver | Selection = GeneralizedGreedy()
    #: How often to kick and climb, within what the run allows.
    max_rounds: int = 1000
    #: Rounds between two reports.
    rounds_a_report: int = 20

    def __post_init__(self) -> None:
        for name in ("max_rounds", "rounds_a_report"):
            if getattr(self, name) < 1:
                raise InputError(
                    f"{name} must be >= 1, got {getattr(self, name)}.",
                    hint="Pass 1 or more.",
                )

    def solve(self, problem: CoverageProblem, run: Run) -> Result:
        """Search until the rounds are over or the run must stop."""
        best = starting_selection(self.start, problem=problem, run=run)
        marks = np.zeros(problem.num_items, dtype=np.int8)
        marks[best.items] = 1
        search = _search(problem, run.seed, marks)
        status = run.ask()
        rounds_left = self.max_rounds
        while status is None and rounds_left > 0:
            rounds = min(self.rounds_a_report, rounds_left)
            rounds_left -= max(1, search.search(rounds, _WORK_A_REPORT))
            found = Selection.of(problem, np.flatnonzero(marks))
            if found.is_feasible and found.value > best.value:
                best = found
            status = run.report(best, step="local search")
        return run.result(best, status or Status.FINISHED)


def _search(problem: CoverageProblem, seed: int, marks: np.ndarray) -> Search:
    edges = problem.edges
    is_whole = bool((problem.costs == np.floor(problem.costs)).all())
    # Costs that are not whole are summed with some rounding: stay clear of the budget.
    budget = problem.budget if is_whole else problem.budget * (1.0 - 1e-12)
    bits = np.random.PCG64(seed).random_raw()
    return Search(
        problem.costs,
        problem.weights,
        edges.item_start,
        edges.item_elements,
        edges.element_start,
        edges.element_items,
        budget,
        1e-12 * float(problem.weights.sum()),
        int(bits) | 1,
        marks,
    )
