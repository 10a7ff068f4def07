"""Combinatorial designs: symmetric problems whose linear relaxation is loose."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from thatch.arrays import Ints
from thatch.errors import InputError
from thatch.options import require_integer
from thatch.problem.coverage_problem import CoverageProblem


def projective_plane(order: int, *, budget: float) -> CoverageProblem:
    """Cover points of the projective plane PG(2, order) by lines.

    There are q^2 + q + 1 points and as many lines, q being the order. A line covers
    q + 1 points, and any two lines share exactly one. All costs and weights are 1.

    Parameters
    ----------
    order
        A prime number.
    budget
        How many lines may be chosen.

    >>> projective_plane(2, budget=3)
    CoverageProblem(7 items, 7 elements, 21 edges, budget 3)
    """
    require_integer("order", order, least=2, hint="Pass a prime, such as 7.")
    if any(order % divisor == 0 for divisor in range(2, int(order**0.5) + 1)):
        raise InputError(
            f"order is {order}; it must be prime.", hint="Pass 7 or 13, for example."
        )
    numbers = range(order)
    # One vector per point, and per line: the first coordinate that is not 0 is 1.
    vectors = np.array(
        [(1, a, b) for a in numbers for b in numbers]
        + [(0, 1, a) for a in numbers]
        + [(0, 0, 1)]
    )
    is_on_line = vectors @ vectors.T % order == 0
    return _unit_problem(np.argwhere(is_on_line), budget)


def steiner_triples(num_points: int, *, budget: float) -> CoverageProblem:
    """Hit the triples of a Steiner triple system by points.

    Every two points are together in exactly one triple. Items are points and elements
    are triples: a point covers the triples that contain it. All costs and weights
    are 1. If the number of points is a power of 3, the triples are the lines of an
    affine geometry: 27 and 81 points are the set cover instances stein27 and stein81,
    whose optima are 18 and 61. Other systems are those of Bose and Skolem.

    Parameters
    ----------
    num_points
        A number that leaves 1 or 3 when divided by 6; others have no system.
    budget
        How many points may be chosen.

    >>> steiner_triples(27, budget=17)
    CoverageProblem(27 items, 117 elements, 351 edges, budget 17)
    """
    require_integer("num_points", num_points, least=7, hint="Pass 27, for example.")
    if num_points % 6 not in (1, 3):
        raise InputError(
            f"num_points is {num_points}; it must be 1 or 3 modulo 6.",
            hint="Pass 27 or 45, for example.",
        )
    if num_points in (9, 27, 81, 243, 729):
        triples = _affine(num_points)
    elif num_points % 6 == 3:
        triples = _bose(num_points)
    else:
        triples = _skolem(num_points)
    elements = np.repeat(np.arange(len(triples)), 3)
    return _unit_problem(np.column_stack([triples.ravel(), elements]), budget)


def _unit_problem(edges: Ints, budget: float) -> CoverageProblem:
    num_items, num_elements = edges.max(axis=0) + 1
    return CoverageProblem.from_edges(
        edges, costs=np.ones(num_items), weights=np.ones(num_elements), budget=budget
    )


def _affine(num_points: int) -> Ints:
    """Triples of vectors over Z_3 whose sum is 0; digits to base 3 are coordinates."""
    powers = 3 ** np.arange(6)
    digits = np.arange(num_points)[:, None] // powers % 3
    first, second = np.triu_indices(num_points, k=1)
    third = (-digits[first] - digits[second]) % 3 @ powers
    is_ascending = third > second
    return np.column_stack([first, second, third])[is_ascending]


def _bose(num_points: int) -> Ints:
    """Triples on the points (x, i), numbered x + i size, of three copies of Z_size."""
    size = num_points // 3
    # x * y = (x + y) / 2, and the half of 1 is (size + 1) / 2, as size is odd.
    triples = [(x, x + size, x + 2 * size) for x in range(size)]
    for x, y in combinations(range(size), 2):
        triples += _mixed(x, y, (x + y) * (size + 1) // 2 % size, size)
    return np.array(triples)


def _skolem(num_points: int) -> Ints:
    """As `_bose`, with an even size and one point more, which is the last."""
    size = num_points // 3
    half, last = size // 2, num_points - 1
    triples = [(x, x + size, x + 2 * size) for x in range(half)]
    for i in range(3):
        after = (i + 1) % 3
        triples += [(last, x + half + i * size, x + after * size) for x in range(half)]
    for x, y in combinations(range(size), 2):
        quotient, rest = divmod((x + y) % size, 2)
        triples += _mixed(x, y, quotient + half * rest, size)
    return np.array(triples)


def _mixed(x: int, y: int, product: int, size: int) -> list[tuple[int, int, int]]:
    """Two points of each copy with their product in the next."""
    return [
        (x + i * size, y + i * size, product + (i + 1) % 3 * size) for i in range(3)
    ]
