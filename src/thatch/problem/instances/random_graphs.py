"""Random problems; the same seed gives the same problem on every machine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from thatch._kernels import graph as kernel
from thatch.arrays import Floats, Ints
from thatch.errors import InputError
from thatch.options import require_integer
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.instances.randomness import (
    Constant,
    Randomness,
    Rule,
    UniformIntegers,
)

# Bits per coordinate of a point: squared distances are exact on every machine.
_COORDINATE_BITS = 21


class _RandomGraph(ABC):
    """Base class of all: a number of items and elements, and rules for the rest."""

    num_items: int
    num_elements: int
    costs: Rule
    weights: Rule

    def problem(self, *, budget: float, seed: int) -> CoverageProblem:
        """Draw one problem."""
        randomness = Randomness(seed)
        items, elements = self._ends(randomness)
        item_degrees = np.bincount(items, minlength=self.num_items)
        element_degrees = np.bincount(elements, minlength=self.num_elements)
        return CoverageProblem.from_edges(
            np.column_stack([items, elements]),
            costs=self.costs(randomness, item_degrees),
            weights=self.weights(randomness, element_degrees),
            budget=budget,
        )

    @abstractmethod
    def _ends(self, randomness: Randomness) -> tuple[Ints, Ints]:
        """Draw the item and the element of each edge."""

    def _require_sizes(self) -> None:
        for name in ("num_items", "num_elements"):
            count = getattr(self, name)
            require_integer(name, count, hint="Pass 100, for example.")
            if count >= 2**31:
                raise InputError(
                    f"{name} is {count}; it must be below 2^31.",
                    hint="Use a smaller graph.",
                )


@dataclass(frozen=True)
class BiregularGraph(_RandomGraph):
    """Random graphs in which all items have one degree, and all elements another.

    No edge is repeated. With the default costs and weights this is the ensemble of the
    paper's Fig. 2.

    >>> graph = BiregularGraph(
    ...     num_items=100, num_elements=300, item_degree=9, element_degree=3
    ... )
    >>> graph.problem(budget=100, seed=0)
    CoverageProblem(100 items, 300 elements, 900 edges, budget 100)
    """

    num_items: int
    num_elements: int
    item_degree: int
    element_degree: int
    costs: Rule = UniformIntegers()
    weights: Rule = UniformIntegers()

    def __post_init__(self) -> None:
        self._require_sizes()
        for name in ("item_degree", "element_degree"):
            require_integer(name, getattr(self, name), hint="Pass 3, for example.")
        edges_of_items = self.num_items * self.item_degree
        edges_of_elements = self.num_elements * self.element_degree
        if edges_of_items != edges_of_elements:
            raise InputError(
                f"num_items x item_degree is {edges_of_items}, but num_elements x "
                f"element_degree is {edges_of_elements}; they must be equal.",
                hint="100 items of degree 9 fit 300 elements of degree 3.",
            )
        if self.item_degree > self.num_elements:
            raise InputError(
                f"item_degree is {self.item_degree}; it must be at most num_elements, "
                f"which is {self.num_elements}.",
                hint="An item covers an element at most once.",
            )

    def _ends(self, randomness: Randomness) -> tuple[Ints, Ints]:
        if 2 * self.item_degree > self.num_elements:
            # In the complement, which is sparser, switches can remove all repetitions.
            degree = self.num_elements - self.item_degree
            missing = _biregular_rows(
                self.num_items, self.num_elements, degree, randomness
            )
            is_edge = np.ones((self.num_items, self.num_elements), dtype=bool)
            np.put_along_axis(is_edge, missing, False, axis=1)
            items, elements = np.nonzero(is_edge)
            return items, elements
        rows = _biregular_rows(
            self.num_items, self.num_elements, self.item_degree, randomness
        )
        return np.repeat(np.arange(self.num_items), self.item_degree), rows.ravel()


@dataclass(frozen=True)
class ErdosRenyiGraph(_RandomGraph):
    """Every item covers every element with the same probability.

    >>> graph = ErdosRenyiGraph(num_items=50, num_elements=80, probability=0.1)
    >>> graph.problem(budget=20, seed=0).num_edges
    355
    """

    num_items: int
    num_elements: int
    probability: float
    costs: Rule = UniformIntegers()
    weights: Rule = UniformIntegers()

    def __post_init__(self) -> None:
        self._require_sizes()
        if not 0 <= self.probability <= 1:
            raise InputError(
                f"probability is {self.probability}; it must be between 0 and 1.",
                hint="The mean degree of an item is probability x elements.",
            )

    def _ends(self, randomness: Randomness) -> tuple[Ints, Ints]:
        cells = self.num_items * self.num_elements
        chosen = _bernoulli_positions(cells, self.probability, randomness)
        return np.divmod(chosen, max(1, self.num_elements))


@dataclass(frozen=True)
class PowerLawGraph(_RandomGraph):
    """Random graphs with power-law degrees: few hubs and many leaves on both sides.

    Edges are drawn one by one until there are enough: the k-th item or element is drawn
    with probability proportional to k^(-1 / (exponent - 1)), and repeated edges are
    discarded. The degrees follow a power law with the given exponent.

    >>> graph = PowerLawGraph(num_items=100, num_elements=300, mean_item_degree=9)
    >>> graph.problem(budget=100, seed=0).num_edges
    900
    """

    num_items: int
    num_elements: int
    mean_item_degree: float
    exponent: float = 2.5
    costs: Rule = UniformIntegers()
    weights: Rule = UniformIntegers()

    def __post_init__(self) -> None:
        self._require_sizes()
        if not self.exponent > 2:
            raise InputError(
                f"exponent is {self.exponent}; it must exceed 2.",
                hint="At 2 or below, the largest hub would have most edges.",
            )
        if not 0 <= self.mean_item_degree <= self.num_elements:
            raise InputError(
                f"mean_item_degree is {self.mean_item_degree}; it must be between 0 "
                f"and num_elements, which is {self.num_elements}.",
                hint="An item covers an element at most once.",
            )

    def _ends(self, randomness: Randomness) -> tuple[Ints, Ints]:
        num_edges = round(self.num_items * self.mean_item_degree)
        cells = np.zeros(0, dtype=np.int64)
        # Rounds of drawing edges of a power-law graph until enough are distinct.
        for _ in range(50):
            items = _by_rank(self.num_items, self.exponent, num_edges, randomness)
            elements = _by_rank(self.num_elements, self.exponent, num_edges, randomness)
            drawn = np.concatenate([cells, items * self.num_elements + elements])
            first = np.sort(np.unique(drawn, return_index=True)[1])
            cells = drawn[first[:num_edges]]
            if cells.size == num_edges:
                break
        else:
            raise InputError(
                f"mean_item_degree {self.mean_item_degree} is too large for "
                f"{self.num_elements} elements: hubs have too few distinct edges.",
                hint="Use a lower degree, or a higher exponent.",
            )
        return np.divmod(cells, max(1, self.num_elements))


@dataclass(frozen=True)
class GeometricGraph(_RandomGraph):
    """Covering location: sites cover the points within a radius.

    Items are sites and elements are points, both uniform in the unit square. An item
    covers the elements whose distance is at most the radius. Every site costs 1 unless
    stated otherwise.

    >>> graph = GeometricGraph(num_items=200, num_elements=200, radius=0.1)
    >>> graph.problem(budget=10, seed=0)
    CoverageProblem(200 items, 200 elements, 1181 edges, budget 10)
    """

    num_items: int
    num_elements: int
    radius: float
    costs: Rule = Constant()
    weights: Rule = UniformIntegers()

    def __post_init__(self) -> None:
        self._require_sizes()
        if not 0 <= self.radius <= 2:
            raise InputError(
                f"radius is {self.radius}; it must be between 0 and 2.",
                hint="The square has sides of length 1.",
            )

    def _ends(self, randomness: Randomness) -> tuple[Ints, Ints]:
        sites = _points(self.num_items, randomness)
        points = _points(self.num_elements, randomness)
        pairs = cKDTree(sites).sparse_distance_matrix(
            cKDTree(points),
            np.floor(self.radius * 2.0**_COORDINATE_BITS),
            output_type="ndarray",
        )
        return pairs["i"], pairs["j"]


def _biregular_rows(
    num_items: int, num_elements: int, degree: int, randomness: Randomness
) -> Ints:
    """Elements of each item, one row per item; requires degree <= num_elements / 2.

    Edge ends are joined at random. Then each repeated edge (i, a) is switched with a
    random edge (j, b) to (i, b), (j, a), if neither exists. There is at least one such
    edge: more than degree x element_degree edges avoid the elements of i, and fewer
    than that touch the items of a. These repairs favor some graphs over others, which
    random switches afterwards correct.
    """
    num_edges = num_items * degree
    if num_edges == 0:
        return np.zeros((num_items, 0), dtype=np.int64)
    ends = np.repeat(np.arange(num_elements), num_edges // num_elements)
    rows = ends[randomness.permutation(num_edges)].reshape(num_items, degree)
    for i, k in _repeats(rows):
        while True:
            j, m = divmod(int(randomness.raw(1)[0] % np.uint64(num_edges)), degree)
            if rows[j, m] not in rows[i] and rows[i, k] not in rows[j]:
                rows[i, k], rows[j, m] = rows[j, m], rows[i, k]
                break
    # Large graphs have few repeated edges, and need fewer random switches.
    max_random_switches = 100_000
    attempts = max(num_edges, min(10 * num_edges, max_random_switches))
    kernel.switch(rows, randomness.raw(2 * attempts).reshape(attempts, 2))
    return rows


def _repeats(rows: Ints) -> list[tuple[int, int]]:
    """Positions of entries that occur earlier in the same row."""
    order = np.argsort(rows, axis=1, kind="stable")
    ordered = np.take_along_axis(rows, order, axis=1)
    row, position = np.nonzero(ordered[:, 1:] == ordered[:, :-1])
    return list(zip(row.tolist(), order[row, position + 1].tolist(), strict=True))


def _bernoulli_positions(size: int, probability: float, randomness: Randomness) -> Ints:
    """Positions below size, each drawn with the probability, in linear time."""
    if probability >= 1.0:
        return np.arange(size, dtype=np.int64)
    if probability <= 0.0 or size == 0:
        return np.zeros(0, dtype=np.int64)
    positions = []
    last = -1
    batch = int(size * probability) + 64
    while last < size:
        # The distance to the next success is geometric.
        waits = np.log1p(-randomness.reals(batch)) / np.log1p(-probability)
        steps = 1 + np.floor(np.minimum(waits, float(size))).astype(np.int64)
        found = last + np.cumsum(steps)
        positions.append(found)
        last = int(found[-1])
    joined = np.concatenate(positions)
    return joined[joined < size]


def _by_rank(size: int, exponent: float, draws: int, randomness: Randomness) -> Ints:
    if size == 0 or draws == 0:
        return np.zeros(0, dtype=np.int64)
    shares = np.arange(1, size + 1, dtype=np.float64) ** (-1.0 / (exponent - 1.0))
    sums = np.cumsum(shares)
    drawn = np.searchsorted(sums, randomness.reals(draws) * sums[-1], side="right")
    return np.asarray(np.minimum(drawn, size - 1), dtype=np.int64)


def _points(size: int, randomness: Randomness) -> Floats:
    """Points of a square as integer coordinates below 2^_COORDINATE_BITS."""
    bits = randomness.raw(2 * size) >> np.uint64(64 - _COORDINATE_BITS)
    return bits.astype(np.float64).reshape(size, 2)
