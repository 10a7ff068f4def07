"""A smaller problem of covering all elements, with the same optimum.

Items are left out that others replace, items are taken that alone cover an element, and
elements are left out that others imply: whoever covers the other one covers them. Each
of these makes the others possible again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from thatch._kernels.dominance import Dominance
from thatch.arrays import Ints, frozen
from thatch.problem.coverage_problem import CoverageProblem
from thatch.run.certificates import Imply, LeaveOut, Take

# Comparisons per edge, of elements and of items, in all.
_STEPS_PER_EDGE = 20
# Later passes end as soon as one of them finds less than this share, or the first
# passes have done it all.
_LEAST_SHARE, _MOST_PASSES = 1e-4, 100


@dataclass(frozen=True, eq=False)
class Reduction:
    """A problem, a smaller one, and the mapping between them."""

    #: The smaller problem; its budget has no meaning.
    problem: CoverageProblem
    #: int64, shape (num_items,): index of each item in the original, ascending.
    items: Ints
    #: int64, original items that are taken, ascending.
    taken: Ints
    #: int64, one per original element: its number in the smaller problem, or -1.
    elements: Ints
    #: What was found in each pass: items taken; pairs of elements, of which the second
    #: implies the first; pairs of items, of which the second replaces the first.
    passes: tuple[tuple[Ints, Ints, Ints], ...]

    @classmethod
    def of(cls, problem: CoverageProblem) -> Reduction:
        """Reduce a problem whose elements must all be covered.

        No item of it replaces another one yet.

        >>> problem = CoverageProblem.from_sets([{0, 1, 2}, {2, 3}, {1, 3, 4}])
        >>> Reduction.of(problem).taken
        array([0, 2])
        """
        edges = problem.edges
        dominance = Dominance(problem.costs, edges)
        passes: list[tuple[Ints, Ints, Ints]] = []
        max_steps = _STEPS_PER_EDGE * edges.num_edges
        while len(passes) < _MOST_PASSES:
            left = max_steps - dominance.num_steps
            found = (
                np.array(sorted(dominance.take()), dtype=np.int64),
                _pairs(dominance.imply(left)),
                _pairs(dominance.leave_out(left)),
            )
            size = sum(len(each) for each in found)
            if size:
                passes.append(found)
            if size <= _LEAST_SHARE * problem.num_items:
                break
        has_items, has_elements = dominance.left
        items = np.flatnonzero(has_items)
        smaller, is_left = edges.restricted_to(items, has_elements != 0)
        none = np.zeros(0, dtype=np.int64)
        return cls(
            CoverageProblem(
                frozen(problem.costs[items]),
                frozen(problem.weights[is_left]),
                problem.budget,
                smaller,
            ),
            items,
            np.sort(np.concatenate([none, *(taken for taken, _, _ in passes)])),
            np.where(is_left, np.cumsum(is_left) - 1, -1),
            tuple(passes),
        )

    def steps(self, items: Ints, elements: Ints) -> Iterator[Take | Imply | LeaveOut]:
        """What was found as steps of a certificate, in the numbers of another problem.

        Parameters
        ----------
        items
            The number there of each item.
        elements
            For each element there its number here, or -1.
        """
        inside = np.flatnonzero(elements >= 0)
        first = np.zeros(self.elements.size, dtype=np.int64)
        first[elements[inside[::-1]]] = inside[::-1]
        for taken, implied, replaced in self.passes:
            if len(taken):
                yield Take(items[taken])
            if len(implied):
                by = np.full(self.elements.size, -1)
                by[implied[:, 0]] = first[implied[:, 1]]
                # Elements that were merged are implied together.
                other = by[elements[inside]]
                pairs = np.column_stack([inside, other])
                yield Imply(pairs[other >= 0])
            if len(replaced):
                yield LeaveOut(items[replaced])


def _pairs(found: list[tuple[int, int]]) -> Ints:
    return np.array(found, dtype=np.int64).reshape(-1, 2)
