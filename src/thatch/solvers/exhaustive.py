"""Every selection, tried."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thatch._kernels import gains as kernel
from thatch.errors import InputError
from thatch.problem import CoverageProblem
from thatch.result import Result, Status
from thatch.run import Run
from thatch.selection import Selection
from thatch.solvers.greedy import Marks, item_weights, marked_within_budget


@dataclass(frozen=True)
class Exhaustive:
    """Try every selection of a small problem; the answer is the optimum.

    >>> from thatch import solve
    >>> from thatch.instances import toy
    >>> solve(toy.greedy_trap().problem, Exhaustive())
    Result(optimal, value 16, gap 0.000%, 2 items)
    """

    #: Refuse more items than this: each one doubles the work.
    max_items: int = 30

    def solve(self, problem: CoverageProblem, run: Run) -> Result:
        """Walk the tree of selections, heaviest items first."""
        if problem.num_items > self.max_items:
            raise InputError(
                f"exhaustive takes at most {self.max_items} items, "
                f"got {problem.num_items}.",
                hint="Use the solver exact.",
            )
        order = np.argsort(-item_weights(problem), kind="stable")
        depth = order.size + 1
        edges = problem.edges
        reach = [Selection.of(problem, order[d:]).value for d in range(depth)]

        def mark(budget: float, best: Marks) -> None:
            kernel.best_of_all(
                order,
                problem.costs,
                budget,
                problem.weights,
                edges.item_start,
                edges.item_elements,
                np.array(reach),
                np.zeros(problem.num_elements, dtype=np.int32),
                np.zeros((depth, 4)),
                np.zeros(depth, dtype=np.int8),
                best,
            )

        selection = marked_within_budget(problem, mark)
        run.report(selection, upper_bound=selection.value)
        return run.result(selection, Status.OPTIMAL, upper_bound=selection.value)
