"""Swaps of items that cover what is hard to cover: see `thatch._kernels.swaps`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from thatch._kernels.swaps import Swaps
from thatch.arrays import Floats
from thatch.problem.edges import Edges

#: What weights grow by unless a search asks for another share of the first ones; faster
#: growth suits large full covers only (docs/decisions/covering.md).
GROWTH = 1 / 16


def swaps_of(
    costs: Floats,
    weights: Floats,
    edges: Edges,
    marks: NDArray[np.int8],
    worth: Floats,
    *,
    seed: int,
    budget: float,
    growth: float = GROWTH,
) -> Swaps:
    """Swaps that start from the marked items, and will mark the best ones found.

    The worth of elements is what they weigh in the search at first, and by a share of
    it, their growth, they get heavier.
    """
    first, growths = weights_and_growths(worth, growth)
    return Swaps(
        costs,
        weights,
        edges,
        marks,
        budget=budget,
        bits=first_bits(seed),
        y=first,
        growth=growths,
    )


def weights_and_growths(worth: Floats, growth: float) -> tuple[Floats, Floats]:
    """First weights of elements, and what each grows by: no sum of them is rounded.

    >>> weights_and_growths(np.array([0.0, 1.0, 2.0]), 0.25)
    (array([ 0., 64., 128.]), array([ 0., 16., 32.]))
    """
    mean = float(worth.mean()) if worth.any() else 1.0
    first: Floats = np.maximum(worth > 0, np.rint(64.0 * worth / mean))
    return first, np.minimum(first, np.maximum(1.0, np.rint(growth * first)))


def first_bits(seed: int) -> int:
    """The first state of a kernel's random numbers, which is never 0."""
    return int(np.random.PCG64(seed).random_raw()) | 1
