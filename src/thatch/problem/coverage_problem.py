"""The problem: items that cost, elements that weigh, and a budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import floor
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from thatch.arrays import (
    Flags,
    Floats,
    Ints,
    exact_sum,
    frozen,
    is_frozen,
    number,
    numbers,
    require_finite_and_not_negative,
)
from thatch.errors import InputError, InputTypeError
from thatch.problem.edges import Edges
from thatch.problem.inputs import (
    dense_matrix,
    edge_ends,
    elements_and_weights,
    item_costs,
    items_and_covers,
    names_of,
    require_two_dimensions,
    values_for,
)

if TYPE_CHECKING:
    import networkx
    import scipy.sparse

    from thatch.problem.inputs import Sets, Values
    from thatch.problem.restriction import Restriction


@dataclass(frozen=True, eq=False)
class CoverageProblem:
    """Choose items within the budget so that the covered weight is largest.

    Everything is checked here, once; the arrays are read-only.

    >>> problem = CoverageProblem.from_sets(
    ...     {"north": {"a", "b"}, "south": {"b", "c"}},
    ...     budget=1,
    ...     weights={"a": 3, "b": 1, "c": 1},
    ... )
    >>> problem.num_items, problem.num_elements, problem.num_edges
    (2, 3, 4)
    """

    #: float64, one an item, finite and >= 0.
    costs: Floats
    #: float64, one an element, finite and >= 0.
    weights: Floats
    #: The most total cost allowed, finite and >= 0.
    budget: float
    #: Which item covers which element.
    edges: Edges
    #: What the items are called, if they have names.
    item_names: tuple[str, ...] | None = None
    #: What the elements are called, if they have names.
    element_names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        # Frozen means that nobody else's array, and no later write, changes a problem.
        for name in ("costs", "weights"):
            values = getattr(self, name)
            if not (is_frozen(values) and values.dtype == np.float64):
                object.__setattr__(self, name, numbers(name, values))
        if not (np.isfinite(self.budget) and self.budget >= 0):
            raise InputError(
                f"budget must be finite and >= 0, got {self.budget}.",
                hint="Pass the most total cost you allow.",
            )
        for owner, name, values, names, count in (
            ("item", "costs", self.costs, self.item_names, self.edges.num_items),
            (
                "element",
                "weights",
                self.weights,
                self.element_names,
                self.edges.num_elements,
            ),
        ):
            _require_length(name, len(values), owner, count)
            if names is not None:
                _require_length(f"{owner} names", len(names), owner, count)
                _require_names(f"{owner} names", names)
            require_finite_and_not_negative(name, values, owner, names)
            with np.errstate(over="ignore"):
                total = float(values.sum())
            if not np.isfinite(total):
                raise InputError(
                    f"{name} must have a finite sum, got one above "
                    f"{np.finfo(float).max:.2g}.",
                    hint=f"Measure {name} in a larger unit.",
                )

    @classmethod
    def from_edges(
        cls,
        edges: ArrayLike | Iterable[tuple[int, int]],
        *,
        costs: ArrayLike,
        weights: ArrayLike,
        budget: float,
        item_names: Sequence[str] | None = None,
        element_names: Sequence[str] | None = None,
    ) -> CoverageProblem:
        """Problem from (item, element) pairs, numbered from 0.

        >>> CoverageProblem.from_edges(
        ...     [(0, 0), (1, 0), (1, 1)], costs=[1, 2], weights=[5, 1], budget=2
        ... ).num_edges
        3
        """
        costs, weights = numbers("costs", costs), numbers("weights", weights)
        ends = edge_ends(edges)
        return cls(
            costs,
            weights,
            number("budget", budget),
            Edges.between(
                ends[:, 0],
                ends[:, 1],
                num_items=costs.size,
                num_elements=weights.size,
            ),
            None if item_names is None else tuple(item_names),
            None if element_names is None else tuple(element_names),
        )

    @classmethod
    def from_sets(
        cls, sets: Sets, *, budget: float, costs: Values = None, weights: Values = None
    ) -> CoverageProblem:
        """Problem from what each item covers.

        Parameters
        ----------
        sets
            A list of sets, or a mapping from an item's name to its set.
        budget
            The most total cost allowed.
        costs
            One an item, in order or by name; 1 each unless given.
        weights
            By element, for sets of anything; or a list, for sets of element numbers;
            1 each unless given.

        >>> problem = CoverageProblem.from_sets(
        ...     [{0, 1}, {1, 2}], budget=1, weights=[3, 1, 1]
        ... )
        >>> problem.weights
        array([3., 1., 1.])
        """
        items, covers = items_and_covers(sets)
        elements, element_weights = elements_and_weights(covers, weights)
        number_of = {element: a for a, element in enumerate(elements)}
        ends: list[tuple[int, int]] = []
        for i, covered in enumerate(covers):
            for element in covered:
                if element not in number_of:
                    raise InputError(
                        f"sets must hold elements that have a weight, got {element!r} "
                        f"in item {items[i]!r}.",
                        hint="Give it a weight, or leave weights out.",
                    )
                ends.append((i, number_of[element]))
        is_numbered = isinstance(weights, Sequence | np.ndarray)
        return cls.from_edges(
            ends,
            costs=item_costs(items, costs),
            weights=element_weights,
            budget=budget,
            item_names=names_of(items) if isinstance(sets, Mapping) else None,
            element_names=None if is_numbered else names_of(elements),
        )

    @classmethod
    def from_matrix(
        cls,
        matrix: scipy.sparse.sparray | scipy.sparse.spmatrix | ArrayLike,
        *,
        budget: float,
        costs: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        item_names: Sequence[str] | None = None,
        element_names: Sequence[str] | None = None,
    ) -> CoverageProblem:
        """Problem from a matrix, a row an item, a column an element.

        An entry other than 0 means that the item covers the element. Costs and weights
        are 1 each unless given.

        >>> import scipy.sparse
        >>> matrix = scipy.sparse.csr_array([[1, 1, 0], [0, 1, 1]])
        >>> CoverageProblem.from_matrix(matrix, budget=1).edges.items_of(1)
        array([0, 1], dtype=int32)
        """
        import scipy.sparse

        if scipy.sparse.issparse(matrix):
            matrix = require_two_dimensions(matrix)
        else:
            matrix = dense_matrix(matrix)
        entries = scipy.sparse.coo_array(matrix)
        is_bad = ~np.isfinite(entries.data)
        if is_bad.any():
            e = int(np.argmax(is_bad))
            raise InputError(
                f"matrix must hold finite numbers, got {entries.data[e]} at row "
                f"{entries.row[e]}, column {entries.col[e]}.",
                hint="Put 1 where the item covers the element, 0 elsewhere.",
            )
        entries.sum_duplicates()
        entries.eliminate_zeros()
        num_items, num_elements = entries.shape
        costs = np.ones(num_items) if costs is None else costs
        weights = np.ones(num_elements) if weights is None else weights
        return cls.from_edges(
            np.column_stack([entries.row, entries.col]),
            costs=values_for("costs", costs, "item", num_items),
            weights=values_for("weights", weights, "element", num_elements),
            budget=budget,
            item_names=item_names,
            element_names=element_names,
        )

    @classmethod
    def from_networkx(cls, graph: networkx.Graph, *, budget: float) -> CoverageProblem:
        """Problem from a bipartite graph whose nodes say ``bipartite=0`` (items) or 1.

        The node attributes ``cost`` and ``weight`` are read, 1 where there is none.

        >>> import networkx
        >>> graph = networkx.Graph([("s1", "w1"), ("s1", "w2"), ("s2", "w2")])
        >>> networkx.set_node_attributes(
        ...     graph, {"s1": 0, "s2": 0, "w1": 1, "w2": 1}, "bipartite"
        ... )
        >>> CoverageProblem.from_networkx(graph, budget=1).item_names
        ('s1', 's2')
        """
        if not (hasattr(graph, "nodes") and hasattr(graph, "edges")):
            raise InputTypeError(
                f"graph must be a networkx graph, got {graph!r}.",
                hint="For lists of edges there is from_edges.",
            )
        sides: dict[int, list[Any]] = {0: [], 1: []}
        for node, side in graph.nodes(data="bipartite"):
            if side not in sides:
                raise InputError(
                    f"nodes must say bipartite=0 (item) or 1 (element), got {side!r} "
                    f"at node {node!r}.",
                    hint="Set the attribute on every node.",
                )
            sides[side].append(node)
        numbered = [{node: k for k, node in enumerate(sides[side])} for side in (0, 1)]
        ends = []
        for one, other in graph.edges():
            item, element = (one, other) if one in numbered[0] else (other, one)
            if item not in numbered[0] or element not in numbered[1]:
                raise InputError(
                    "edges must join an item and an element, got an edge from "
                    f"{one!r} to {other!r}.",
                    hint="Check the attribute bipartite of both.",
                )
            ends.append((numbered[0][item], numbered[1][element]))
        return cls.from_edges(
            ends,
            costs=[graph.nodes[node].get("cost", 1.0) for node in sides[0]],
            weights=[graph.nodes[node].get("weight", 1.0) for node in sides[1]],
            budget=budget,
            item_names=names_of(sides[0]),
            element_names=names_of(sides[1]),
        )

    def with_budget(self, budget: float) -> CoverageProblem:
        """Return the same problem under another budget."""
        return replace(self, budget=number("budget", budget))

    def with_costs(self, costs: ArrayLike) -> CoverageProblem:
        """Return the same problem with other costs."""
        return replace(self, costs=numbers("costs", costs))

    def restricted_to(self, items: Ints, taken: Ints | None = None) -> Restriction:
        """Return the problem of choosing among some items when others are taken.

        Parameters
        ----------
        items
            The items that may be chosen, sorted.
        taken
            The items that are taken already, sorted: what they cover counts no more,
            and what they cost is spent.

        >>> problem = CoverageProblem.from_sets([{0, 1}, {1, 2}, {2, 3}], budget=2)
        >>> smaller = problem.restricted_to(np.array([1, 2]), np.array([0])).problem
        >>> smaller.weights, smaller.budget
        (array([1., 1.]), 1.0)
        """
        from thatch.problem.restriction import Restriction

        none = np.zeros(0, dtype=np.int64)
        return Restriction.of(self, items, none if taken is None else taken)

    @property
    def num_items(self) -> int:
        """How many items there are."""
        return self.edges.num_items

    @property
    def num_elements(self) -> int:
        """How many elements there are."""
        return self.edges.num_elements

    @property
    def num_edges(self) -> int:
        """How many edges there are."""
        return self.edges.num_edges

    @cached_property
    def has_integer_weights(self) -> bool:
        """Whether every weight is an integer and their sum is one exactly."""
        is_whole = bool((self.weights == np.floor(self.weights)).all())
        return is_whole and float(self.weights.sum()) < 2.0**53

    @cached_property
    def mean_and_largest_weight(self) -> tuple[float, float]:
        """Mean and largest of the weights above 0; 1 and 0 if there are none."""
        above = self.weights[self.weights > 0]
        return float(above.mean()) if above.size else 1.0, float(above.max(initial=0.0))

    @cached_property
    def affordable_items(self) -> Ints:
        """Items that the budget can pay for one by one, ascending."""
        return np.flatnonzero(self.costs <= self.budget)

    @cached_property
    def reachable_elements(self) -> Flags:
        """Elements that an affordable item covers: bool, one an element."""
        edges = self.edges
        is_affordable = self.costs <= self.budget
        if is_affordable.all():
            return frozen(edges.element_degrees > 0)
        ends = np.repeat(np.arange(edges.num_elements), edges.element_degrees)
        reached = np.zeros(edges.num_elements, dtype=bool)
        reached[ends[is_affordable[edges.element_items]]] = True
        return frozen(reached)

    @cached_property
    def reachable_weight(self) -> float:
        """Weight that all affordable items together cover: no value is above it."""
        return self.weight_of(self.reachable_elements)

    @cached_property
    def has_exact_costs(self) -> bool:
        """Whether costs can be added up in any order without rounding."""
        is_whole = bool((self.costs == np.floor(self.costs)).all())
        return is_whole and float(self.costs.sum()) < 2.0**53

    def rounded_bound(self, bound: float) -> float:
        """Round down an upper bound on a value, where values are whole numbers."""
        is_whole = self.has_integer_weights and bound < 2.0**53
        return float(floor(bound)) if is_whole else bound

    def weight_of(self, covered: np.ndarray) -> float:
        """Total weight of the marked elements, rounded once."""
        weights = self.weights[covered]
        return float(weights.sum()) if self.has_integer_weights else exact_sum(weights)

    def item_label(self, i: int) -> str | int:
        """Name of item i, or its number where items have no names."""
        return i if self.item_names is None else self.item_names[i]

    def __repr__(self) -> str:
        return (
            f"CoverageProblem({self.num_items} items, {self.num_elements} elements, "
            f"{self.num_edges} edges, budget {self.budget:g})"
        )


def _require_length(name: str, length: int, owner: str, count: int) -> None:
    if length != count:
        raise InputError(
            f"{name} must be one an {owner}, got {length} for {count} {owner}s.",
            hint=f"Give every {owner} exactly one.",
        )


def _require_names(name: str, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for label in names:
        if not isinstance(label, str):
            raise InputTypeError(
                f"{name} must be text, got {label!r}.", hint="Write it in quotes."
            )
        if label in seen:
            raise InputError(
                f"{name} must differ, got {label!r} twice.", hint="Rename one of them."
            )
        if not label.isascii() and _has_half_a_character(label):
            raise InputError(
                f"{name} must be Unicode text, got {label!r}.",
                hint="It holds half of a surrogate pair; write the character itself.",
            )
        seen.add(label)


def _has_half_a_character(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)
