"""Ensembles: random problems given by laws of degrees, costs and weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, inf

import numpy as np

from thatch.arrays import Floats, Ints, frozen, number
from thatch.errors import InputError, InputTypeError
from thatch.options import require_integer
from thatch.problem.edges import Edges
from thatch.problem.instances.randomness import Randomness, Rule, UniformIntegers


@dataclass(frozen=True)
class Poisson:
    """Degrees of graphs in which every edge is there with the same probability.

    >>> Poisson(2.0).probabilities[:3].round(3)
    array([0.135, 0.271, 0.271])
    """

    mean: float

    def __post_init__(self) -> None:
        if not 0 < number("mean", self.mean) <= 500:
            raise InputError(
                f"mean is {self.mean}; it must be positive and at most 500.",
                hint="Pass 3, for example.",
            )

    @property
    def probabilities(self) -> Floats:
        """Of the degrees 0, 1, 2, ...: float64."""
        found, term, left = [], exp(-self.mean), 1.0
        # Degrees of a Poisson law that are less likely than this together are left out.
        while left > 1e-12:
            found.append(term)
            left -= term
            term *= self.mean / len(found)
            if term == 0.0 and len(found) > self.mean:
                break
        probabilities: Floats = np.array(found) / sum(found)
        return probabilities


#: A degree that all have, a Poisson law, or the probability of each degree.
DegreeLaw = int | Poisson | Mapping[int, float]


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Random problems in the limit of many items.

    The defaults are the ensemble of the paper's Fig. 2. Items are joined to elements at
    random; only the laws of the degrees on both sides are given.

    >>> ensemble = Ensemble()
    >>> ensemble.elements_per_item
    3.0
    >>> Ensemble(item_degrees=Poisson(4.0), element_degrees={1: 0.5, 3: 0.5})
    Ensemble(degrees of mean 4 and 2)
    """

    item_degrees: DegreeLaw = 9
    element_degrees: DegreeLaw = 3
    costs: Rule = UniformIntegers()
    weights: Rule = UniformIntegers()

    def __post_init__(self) -> None:
        for name in ("item_degrees", "element_degrees"):
            law = _probabilities(name, getattr(self, name))
            if not law @ np.arange(law.size) > 0:
                raise InputError(
                    f"{name} has mean 0; it must be positive.",
                    hint="Pass 3, for example.",
                )
        for name in ("costs", "weights"):
            if not callable(getattr(self, name)):
                raise InputTypeError(
                    f"{name} is {getattr(self, name)!r}; it must be a law.",
                    hint="Pass Constant(5.0) or UniformIntegers(1, 10), for example.",
                )

    @property
    def elements_per_item(self) -> float:
        """Number of elements divided by that of items."""
        return _mean(self.item_degrees) / _mean(self.element_degrees)

    def sample(self, num_items: int) -> Sample:
        """Degrees of a graph with this many items.

        >>> Ensemble().sample(100).num_elements
        300
        """
        hint = "Pass 10000, for example."
        require_integer("num_items", num_items, least=1, hint=hint)
        num_elements = max(1, round(num_items * self.elements_per_item))
        items = _degrees(_probabilities("item_degrees", self.item_degrees), num_items)
        law = _probabilities("element_degrees", self.element_degrees)
        elements = _degrees(law, num_elements)
        _equalize(items, elements)
        return Sample(frozen(items), frozen(elements))

    def __repr__(self) -> str:
        means = (_mean(law) for law in (self.item_degrees, self.element_degrees))
        return "Ensemble(degrees of mean {:g} and {:g})".format(*means)


@dataclass(frozen=True, eq=False)
class Sample:
    """Degrees of the items and elements of one graph, whose edges are drawn again."""

    #: int64, shape (num_items,).
    item_degrees: Ints
    #: int64, shape (num_elements,).
    element_degrees: Ints

    @property
    def num_items(self) -> int:
        """How many items there are."""
        return self.item_degrees.size

    @property
    def num_elements(self) -> int:
        """How many elements there are."""
        return self.element_degrees.size

    def joined(self, randomness: Randomness) -> Edges:
        """Join the ends of edges at random.

        Some edges may be repeated: in a large graph, their share vanishes.
        """
        item_start = np.append(0, np.cumsum(self.item_degrees))
        element_start = np.append(0, np.cumsum(self.element_degrees))
        num_edges = int(item_start[-1])
        item_edges = randomness.shuffled(num_edges)
        item_of = np.repeat(
            np.arange(self.num_items, dtype=np.int32), self.item_degrees
        )
        element_of = np.repeat(
            np.arange(self.num_elements, dtype=np.int32), self.element_degrees
        )
        element_items = np.empty(num_edges, dtype=np.int32)
        element_items[item_edges] = item_of
        return Edges(
            item_start=item_start,
            item_elements=element_of[item_edges],
            item_edges=item_edges,
            element_start=element_start,
            element_items=element_items,
        )


def _probabilities(name: str, law: DegreeLaw) -> Floats:
    """Probabilities of the degrees 0, 1, 2, ... under a law."""
    if isinstance(law, Poisson):
        return law.probabilities
    if isinstance(law, Mapping):
        for degree, probability in law.items():
            require_integer(f"a degree of {name}", degree, hint="Degrees count edges.")
            if not 0 <= number(f"a probability of {name}", probability) < inf:
                raise InputError(
                    f"the probability of degree {degree} in {name} is {probability}; "
                    "it must be non-negative.",
                    hint="Leave the degree out.",
                )
        found: Floats = np.zeros(max(law, default=0) + 1)
        for degree, probability in law.items():
            found[degree] = probability
        # Probabilities of a law of degrees may sum to 1 with this error.
        if abs(found.sum() - 1.0) > 1e-9:
            raise InputError(
                f"the probabilities of {name} sum to {found.sum():g}; they must sum "
                "to 1.",
                hint="Divide each of them by their sum.",
            )
        found /= found.sum()
        return found
    require_integer(name, law, hint="Pass 3, Poisson(3.0), or {2: 0.5, 4: 0.5}.")
    found = np.zeros(law + 1)
    found[law] = 1.0
    return found


def _mean(law: DegreeLaw) -> float:
    probabilities = _probabilities("degrees", law)
    return float(probabilities @ np.arange(probabilities.size))


def _degrees(probabilities: Floats, count: int) -> Ints:
    """Degrees in the proportions of a law: their mean has no statistical error."""
    shares = (np.arange(count) + 0.5) / count
    found = np.searchsorted(np.cumsum(probabilities), shares, side="left")
    return np.asarray(np.minimum(found, probabilities.size - 1), dtype=np.int64)


def _equalize(items: Ints, elements: Ints) -> None:
    """Add ends of edges to the side that has fewer of them, in place."""
    missing = int(items.sum() - elements.sum())
    fewer = elements if missing > 0 else items
    # Spread over all degrees: they are in ascending order.
    np.add.at(fewer, np.linspace(0, fewer.size - 1, abs(missing)).astype(np.int64), 1)
