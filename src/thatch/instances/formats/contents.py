"""What an instance file holds, before anyone has said which budget counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thatch.arrays import Floats
from thatch.problem.coverage_problem import CoverageProblem


@dataclass(frozen=True, eq=False)
class Contents:
    """A problem as its file tells it: not yet checked, and perhaps without a budget.

    >>> import numpy as np
    >>> contents = Contents(np.array([[0, 0]]), np.ones(1), np.ones(1), budget=None)
    >>> contents.problem(budget=1)
    CoverageProblem(1 items, 1 elements, 1 edges, budget 1)
    """

    #: Whole numbers from 0, a row an edge: its item and its element.
    edges: NDArray[np.integer[Any]]
    #: float64, one an item.
    costs: Floats
    #: float64, one an element.
    weights: Floats
    #: None where the file holds none.
    budget: float | None
    item_names: tuple[str, ...] | None = None
    element_names: tuple[str, ...] | None = None

    def problem(self, *, budget: float) -> CoverageProblem:
        """Return the problem, checked, under a budget."""
        return CoverageProblem.from_edges(
            self.edges,
            costs=self.costs,
            weights=self.weights,
            budget=budget,
            item_names=self.item_names,
            element_names=self.element_names,
        )
