"""Constructors of problems: from sets, matrices and graphs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Self

from numpy.typing import ArrayLike

from thatch.errors import InputError
from thatch.problem.inputs import (
    aligned_or_ones,
    bipartite_nodes,
    elements_and_weights,
    items_and_covers,
    matrix_edges,
    names_of,
)

if TYPE_CHECKING:
    import networkx
    import scipy.sparse

    from thatch.problem.inputs import Sets, Values


class ProblemConstructors:
    """Ways to build a problem; all of them end in `from_edges`."""

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
    ) -> Self:
        """Problem from (item, element) pairs, which count from 0."""
        raise NotImplementedError  # pragma: no cover

    @classmethod
    def from_sets(
        cls, sets: Sets, *, budget: float, costs: Values = None, weights: Values = None
    ) -> Self:
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

        >>> from thatch import CoverageProblem
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
    ) -> Self:
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

        >>> from thatch import CoverageProblem
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
    def from_networkx(cls, graph: networkx.Graph, *, budget: float) -> Self:
        """Problem from a graph whose nodes have ``bipartite=0`` (item) or 1 (element).

        Costs and weights are the node attributes ``cost`` and ``weight``; default: 1.

        >>> from thatch import CoverageProblem
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
