"""Exhaustive search: every selection is tried."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thatch._kernels.gains import Enumeration
from thatch.errors import InputError
from thatch.options import require_integer
from thatch.problem.constraints import LIMITS, ConstraintKind
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.certificates import Certificate, TryAll
from thatch.run.result import Result, Status
from thatch.run.run import Run
from thatch.solvers.bounds.dual_descent import descended_point
from thatch.solvers.certifying import prices_of
from thatch.solvers.greedy import item_weights


@dataclass(frozen=True)
class Exhaustive:
    """Try every selection of a small problem; the result is the optimum.

    >>> from thatch import solve
    >>> from thatch.problem.instances import toy
    >>> solve(toy.greedy_trap().problem, Exhaustive())
    Result(optimal, value 16, gap 0.000%, 2 items)
    """

    #: Maximum number of items: each one more doubles the work.
    max_items: int = 30

    accepts: ClassVar[frozenset[ConstraintKind]] = LIMITS

    def __post_init__(self) -> None:
        require_integer("max_items", self.max_items, hint="Leave it out for 30.")

    def solve(self, problem: CoverageProblem, run: Run) -> Result:
        """Search the tree of selections, items of the largest weight first."""
        if problem.num_items > self.max_items:
            raise InputError(
                f"the problem has {problem.num_items} items; exhaustive accepts at "
                f"most {self.max_items}.",
                hint="Use the solver exact.",
            )
        status = None
        for selection, is_finished in _walk(problem):
            if is_finished:
                break
            status = run.report(selection, step="exhaustive")
            if status is not None:
                return run.result(selection, status)
        run.report(selection, upper_bound=selection.bound, step="exhaustive")
        return run.result(
            selection,
            Status.OPTIMAL,
            upper_bound=selection.bound,
            certificate=_certificate(selection),
        )


def _certificate(best: Selection) -> Certificate:
    """All selections, with prices that exclude most of them."""
    # Enough for so few items.
    point = descended_point(best.problem, best, iterations=50)
    order = np.argsort(-np.abs(point.reduced_profits), kind="stable")
    return Certificate((TryAll(order, prices_of(point)),))


def _walk(problem: CoverageProblem) -> Iterator[tuple[Selection, bool]]:
    """Yield the best selection every few million steps, and whether it is the last."""
    order = np.argsort(-item_weights(problem), kind="stable")
    reach = [
        Selection.of(problem, order[depth:]).value for depth in range(order.size + 1)
    ]
    best = np.zeros(problem.num_items, dtype=np.int8)
    group, at_most = problem.group_limits
    search = Enumeration(
        problem.costs,
        problem.weights,
        problem.edges,
        (group, at_most.copy()),
        best,
        budget=problem.budget,
        order=order,
        reach=np.array(reach),
    )
    is_finished = False
    while not is_finished:
        # About a fifth of a second.
        is_finished = search.search(5_000_000)
        yield Selection.of(problem, np.flatnonzero(best)), is_finished
