"""Contents of an instance file, before they are checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from thatch.arrays import Floats
from thatch.problem.coverage_problem import CoverageProblem


@dataclass(frozen=True, eq=False)
class Contents:
    """The contents of an instance file: not yet checked, possibly without a budget.

    >>> import numpy as np
    >>> contents = Contents(np.array([[0, 0]]), np.ones(1), np.ones(1), budget=None)
    >>> contents.problem(budget=1)
    CoverageProblem(1 items, 1 elements, 1 edges, budget 1)
    """

    #: Integers, shape (num_edges, 2): item and element of each edge, from 0.
    edges: NDArray[np.integer[Any]]
    #: float64, shape (num_items,).
    costs: Floats
    #: float64, shape (num_elements,).
    weights: Floats
    #: None if the file contains none.
    budget: float | None
    item_names: tuple[str, ...] | None = None
    element_names: tuple[str, ...] | None = None
    #: Arguments of `with_constraints`.
    constraints: Mapping[str, Any] = field(default_factory=dict)

    def problem(self, *, budget: float) -> CoverageProblem:
        """Check the contents, and return the problem with a budget."""
        problem = CoverageProblem.from_edges(
            self.edges,
            costs=self.costs,
            weights=self.weights,
            budget=budget,
            item_names=self.item_names,
            element_names=self.element_names,
        )
        if not self.constraints:
            return problem
        return problem.with_constraints(**self.constraints)


#: A file of any size may describe this many elements or array entries.
ALWAYS_ALLOWED: Final = 4_000_000
#: A larger file may describe this many per entry or byte that it contains.
PER_ENTRY: Final = 10


def max_described(num_contained: int) -> int:
    """Maximum size that a file may describe, given the size that it contains.

    >>> max_described(70), max_described(10**9)
    (4000000, 10000000000)
    """
    return max(ALWAYS_ALLOWED, PER_ENTRY * num_contained)
