"""The problem: items with costs, elements with weights, and a budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from thatch.arrays import (
    Floats,
    Ints,
    exact_sum,
    frozen,
    is_frozen,
    number,
    require_finite_and_not_negative,
    require_finite_sum,
)
from thatch.errors import InputError
from thatch.problem.constraint_inputs import ConstraintReader
from thatch.problem.constraints import DECIDED, ConstraintKind, Constraints
from thatch.problem.derived import DerivedProperties
from thatch.problem.edges import Edges
from thatch.problem.inputs import (
    aligned,
    aligned_or_ones,
    bipartite_nodes,
    edge_ends,
    elements_and_weights,
    items_and_covers,
    matrix_edges,
    names_of,
    require_length,
    require_names,
)

if TYPE_CHECKING:
    import networkx
    import scipy.sparse

    from thatch.problem.inputs import Sets, Values

# Share of the budget that is added where costs cannot be summed exactly.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class CoverageProblem(DerivedProperties):
    """Choose items within the budget so that the covered weight is largest.

    The constructor checks everything; the arrays are read-only.

    >>> problem = CoverageProblem.from_sets(
    ...     {"north": {"a", "b"}, "south": {"b", "c"}},
    ...     budget=1,
    ...     weights={"a": 3, "b": 1, "c": 1},
    ... )
    >>> problem.num_items, problem.num_elements, problem.num_edges
    (2, 3, 4)
    """

    #: float64, shape (num_items,): finite and non-negative.
    costs: Floats
    #: float64, shape (num_elements,): finite and non-negative.
    weights: Floats
    #: Maximum total cost: finite and non-negative.
    budget: float
    #: Which item covers which element.
    edges: Edges
    #: Names of the items, if they have any.
    item_names: tuple[str, ...] | None = None
    #: Names of the elements, if they have any.
    element_names: tuple[str, ...] | None = None
    #: What selections must keep besides the budget; see `with_constraints`.
    constraints: Constraints | None = None

    def __post_init__(self) -> None:
        # Copies, so that no later write to the caller's arrays changes the problem.
        for name, owner, names in (
            ("costs", "item", self.item_names),
            ("weights", "element", self.element_names),
        ):
            values = getattr(self, name)
            if not (is_frozen(values) and values.dtype == np.float64):
                object.__setattr__(self, name, aligned(name, values, owner, names))
        if not (np.isfinite(self.budget) and self.budget >= 0):
            raise InputError(
                f"budget is {self.budget}; it must be finite and non-negative.",
                hint="Pass a budget of 0 or more.",
            )
        for owner, name, values, names, count in (
            ("item", "costs", self.costs, self.item_names, self.num_items),
            ("element", "weights", self.weights, self.element_names, self.num_elements),
        ):
            require_length(name, len(values), owner, count)
            if names is not None:
                require_length(f"{owner} names", len(names), owner, count)
                require_names(f"{owner} names", names)
            require_finite_and_not_negative(name, values, owner, names)
            require_finite_sum(name, values)

    @classmethod
    def from_edges(
        cls,
        edges: ArrayLike | Iterable[tuple[int, int]],
        *,
        costs: ArrayLike | Mapping[int, float],
        weights: ArrayLike | Mapping[int, float],
        budget: float,
        item_names: Sequence[str] | None = None,
        element_names: Sequence[str] | None = None,
    ) -> CoverageProblem:
        """Problem from (item, element) pairs, which count from 0.

        Costs and weights are in order, or in a series or mapping whose labels are the
        names of the items and elements; their numbers, if they have no names.

        >>> CoverageProblem.from_edges(
        ...     [(0, 0), (1, 0), (1, 1)], costs=[1, 2], weights=[5, 1], budget=2
        ... ).num_edges
        3
        """
        costs = aligned("costs", costs, "item", item_names)
        weights = aligned("weights", weights, "element", element_names)
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
            A list of sets, or a mapping or series from the names of items to their
            sets.
        budget
            Maximum total cost.
        costs
            One per item, in order, or by name in a mapping or series; default: 1
            each.
        weights
            A mapping or series from elements, or a list if elements are integers from
            0 on; default: 1 each.

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
                        f"item {items[i]!r} covers {element!r}, which has no weight.",
                        hint="Add its weight, or leave weights out.",
                    )
                ends.append((i, number_of[element]))
        return cls.from_edges(
            ends,
            costs=aligned_or_ones("costs", costs, "item", items),
            weights=element_weights,
            budget=budget,
            item_names=names_of(items),
            element_names=names_of(elements),
        )

    @classmethod
    def from_matrix(
        cls,
        matrix: scipy.sparse.sparray | scipy.sparse.spmatrix | ArrayLike,
        *,
        budget: float,
        costs: Values = None,
        weights: Values = None,
        item_names: Sequence[str] | None = None,
        element_names: Sequence[str] | None = None,
        nonzero_covers: bool = False,
    ) -> CoverageProblem:
        """Problem from a matrix with one row per item and one column per element.

        Parameters
        ----------
        matrix
            Entries are 1 where the item covers the element, 0 elsewhere. A data frame
            keeps its labels: those of its rows are the names of the items (in polars
            and pyarrow, a column of strings is), those of its columns the names of the
            elements.
        budget
            Maximum total cost.
        costs, weights
            One per item, and one per element; default: 1 each. A mapping or a pandas
            series is aligned by label, everything else by position.
        item_names, element_names
            Names, where the matrix has none.
        nonzero_covers
            Whether every nonzero entry means that the item covers the element.
            Otherwise entries other than 0 and 1 are refused.

        >>> import scipy.sparse
        >>> matrix = scipy.sparse.csr_array([[1, 1, 0], [0, 1, 1]])
        >>> CoverageProblem.from_matrix(matrix, budget=1).edges.items_of(1)
        array([0, 1], dtype=int32)
        """
        found = matrix_edges(
            matrix, item_names, element_names, nonzero_covers=nonzero_covers
        )
        return cls.from_edges(
            found.ends,
            costs=aligned_or_ones("costs", costs, "item", found.items),
            weights=aligned_or_ones("weights", weights, "element", found.elements),
            budget=budget,
            item_names=names_of(found.items),
            element_names=names_of(found.elements),
        )

    @classmethod
    def from_networkx(cls, graph: networkx.Graph, *, budget: float) -> CoverageProblem:
        """Problem from a graph whose nodes have ``bipartite=0`` (item) or 1 (element).

        Costs and weights are the node attributes ``cost`` and ``weight``; default: 1.

        >>> import networkx
        >>> graph = networkx.Graph([("s1", "w1"), ("s1", "w2"), ("s2", "w2")])
        >>> networkx.set_node_attributes(
        ...     graph, {"s1": 0, "s2": 0, "w1": 1, "w2": 1}, "bipartite"
        ... )
        >>> CoverageProblem.from_networkx(graph, budget=1).item_names
        ('s1', 's2')
        """
        items, elements, ends = bipartite_nodes(graph)
        return cls.from_edges(
            ends,
            costs=[graph.nodes[node].get("cost", 1.0) for node in items],
            weights=[graph.nodes[node].get("weight", 1.0) for node in elements],
            budget=budget,
            item_names=names_of(items),
            element_names=names_of(elements),
        )

    def with_budget(self, budget: float) -> CoverageProblem:
        """Return the problem with another budget."""
        return replace(self, budget=number("budget", budget))

    def with_costs(self, costs: ArrayLike | Mapping[str, float]) -> CoverageProblem:
        """Return the problem with other costs, in order or by the items' names."""
        return replace(self, costs=aligned("costs", costs, "item", self.item_names))

    def with_constraints(self, **constraints: Any) -> CoverageProblem:
        """Return the problem with these constraints in place of its former ones.

        Items and elements are given by name or index.

        Parameters
        ----------
        required, forbidden
            Items that every selection contains, or none.
        groups
            One group per item (None for no group), or a mapping from groups to items.
        at_most, at_least
            How many items of a group may or must be chosen: one number for all groups,
            or one per group.
        budgets
            Further budgets by name: one cost per item, and the limit.
        demands
            How many chosen items must cover an element before it counts.
        prerequisites
            Pairs of items: the first one needs the second.
        conflicts
            Pairs of items that exclude each other.

        >>> problem = CoverageProblem.from_sets([{0, 1}, {1, 2}, {2, 3}], budget=2)
        >>> near = problem.with_constraints(groups=["a", "a", "b"], at_most=1)
        >>> near.constraints.kinds[0].value
        'at most k items per group'
        """
        sizes, names = (self.num_items, self.num_elements), self.item_names
        reader = ConstraintReader(*sizes, names, self.element_names)
        found = reader.read(**constraints)
        return replace(self, constraints=found if found.kinds else None)

    def restricted_to(
        self, items: ArrayLike, taken: ArrayLike | None = None
    ) -> CoverageProblem:
        """Return the problem of choosing among some items when others are taken.

        It has no names. `thatch.problem.restriction.Restriction` adds the way back.

        Parameters
        ----------
        items
            The items that may be chosen, sorted.
        taken
            The items that are taken already: their elements count no more, and their
            cost is spent.

        >>> problem = CoverageProblem.from_sets([{0, 1}, {1, 2}, {2, 3}], budget=2)
        >>> smaller = problem.restricted_to(np.array([1, 2]), taken=np.array([0]))
        >>> smaller.weights, smaller.budget
        (array([1., 1.]), 1.0)
        """
        items = self._indices(items)
        budget = self.budget
        is_covered = np.zeros(self.num_elements, dtype=np.bool_)
        if taken is not None:
            taken = self._indices(taken)
            is_covered[self.edges.item_elements[self.edges.positions_of(taken)]] = True
            budget -= exact_sum(self.costs[taken])
            if not self.has_exact_costs:
                # Too much rather than too little: a restored selection is checked.
                budget += _ROUNDING * self.budget
        edges, reached = self.edges.restricted_to(items, ~is_covered)
        costs, weights = frozen(self.costs[items]), frozen(self.weights[reached])
        constraints = self._restricted_constraints(items, taken)
        budget = max(0.0, budget)
        return CoverageProblem(costs, weights, budget, edges, constraints=constraints)

    def _restricted_constraints(
        self, items: Ints, taken: ArrayLike | None
    ) -> Constraints | None:
        if self.constraints is None:
            return None
        kept = DECIDED | {ConstraintKind.AT_MOST}
        for kind in self.constraints.kinds:
            if kind not in kept:
                raise InputError(
                    f"the problem has {kind.value}, which cannot be restricted.",
                    hint="Restrict the problem before adding them.",
                )
        groups = self.constraints.groups
        if groups is None:
            return None
        none = np.zeros(0, dtype=np.int64)
        smaller = groups.restricted_to(items, none if taken is None else taken)  # type: ignore[arg-type]
        return Constraints(groups=smaller) if smaller.has_at_most else None

    def _indices(self, items: ArrayLike) -> Ints:
        indices = np.asarray(items, dtype=np.int64)
        is_outside = (indices < 0) | (indices >= self.num_items)
        if is_outside.any():
            raise InputError(
                f"item {indices[is_outside][0]} does not exist; the problem has "
                f"{self.num_items} items.",
                hint="Check the numbering: it starts at 0.",
            )
        return indices

    def item_label(self, i: int) -> str | int:
        """Name of item i, or its index if items have no names."""
        return i if self.item_names is None else self.item_names[i]

    def __repr__(self) -> str:
        return (
            f"CoverageProblem({self.num_items} items, {self.num_elements} elements, "
            f"{self.num_edges} edges, budget {self.budget:g})"
        )
