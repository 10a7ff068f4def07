"""Constructors of problems from graphs and families of sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from thatch.arrays import Ints
from thatch.errors import InputError, InputTypeError
from thatch.options import require_integer
from thatch.problem.constructors import ProblemConstructors
from thatch.problem.inputs import (
    aligned_or_ones,
    elements_and_weights,
    items_and_covers,
    names_of,
)

if TYPE_CHECKING:
    import networkx
    import scipy.sparse

    from thatch.problem.inputs import Sets, Values


class GraphConstructors(ProblemConstructors):
    """Base class of `CoverageProblem`: constructors from graphs."""

    @classmethod
    def from_networkx(
        cls, graph: networkx.Graph, *, budget: float | None = None
    ) -> Self:
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
        items, elements, ends = _bipartite_nodes(graph)
        return cls.from_edges(
            ends,
            costs=[graph.nodes[node].get("cost", 1.0) for node in items],
            weights=[graph.nodes[node].get("weight", 1.0) for node in elements],
            budget=budget,
            item_names=names_of(items),
            element_names=names_of(elements),
        )

    @classmethod
    def dominating_set(
        cls,
        graph: networkx.Graph | scipy.sparse.sparray | scipy.sparse.spmatrix,
        *,
        distance: int = 1,
        budget: float | None = None,
        costs: Values = None,
        weights: Values = None,
    ) -> Self:
        """Problem whose items and elements are the nodes of a graph.

        A node covers itself and all nodes within the distance. So `cover` finds the
        smallest dominating set, and `solve` the nodes that dominate the most.

        Parameters
        ----------
        graph
            A networkx graph, or a sparse matrix with an entry for every edge. Edges
            with a direction are followed: a node covers those that it leads to.
        distance
            How many edges away a covered node may be.
        budget
            Maximum total cost. Default: none.
        costs, weights
            One per node: in order, or by name in a mapping or series. Default: the node
            attributes ``cost`` and ``weight`` of a networkx graph, or 1 each.

        >>> import networkx
        >>> from thatch import CoverageProblem, cover
        >>> path = networkx.path_graph(["a", "b", "c", "d", "e", "f"])
        >>> cover(CoverageProblem.dominating_set(path)).selection.labels
        ['b', 'e']
        >>> cover(CoverageProblem.dominating_set(path, distance=3)).cost
        1.0
        """
        require_integer("distance", distance, hint="Pass 1 for neighbors.")
        nodes, ends = _nodes_and_edges(graph)
        attributes = {"cost": costs, "weight": weights}
        for name, given in attributes.items():
            if given is None and hasattr(graph, "nodes"):
                attributes[name] = [graph.nodes[node].get(name, 1.0) for node in nodes]
        return cls.from_edges(
            _within(ends, len(nodes), distance),
            costs=aligned_or_ones("costs", attributes["cost"], "node", nodes),
            weights=aligned_or_ones("weights", attributes["weight"], "node", nodes),
            budget=budget,
            item_names=names_of(nodes),
            element_names=names_of(nodes),
        )

    @classmethod
    def hitting_set(
        cls,
        sets: Sets,
        *,
        budget: float | None = None,
        costs: Values = None,
        weights: Values = None,
    ) -> Self:
        """Problem of choosing members so that every set has one of them.

        Items are the members of the sets, and elements are the sets.

        Parameters
        ----------
        sets
            A list of sets, or a mapping or series from the names of sets to their
            members.
        budget
            Maximum total cost. Default: none.
        costs
            A mapping or series from members, or a list if members are integers from 0
            on; default: 1 each.
        weights
            One per set: in order, or by name in a mapping or series. Default: 1 each.

        >>> from thatch import CoverageProblem, cover
        >>> teams = [{"Ann", "Bo"}, {"Bo", "Cy"}, {"Cy", "Di"}]
        >>> cover(CoverageProblem.hitting_set(teams)).selection.labels
        ['Bo', 'Cy']
        """
        elements, members_of = items_and_covers(sets)
        items, item_costs = elements_and_weights(members_of, costs, name="costs")
        number_of = {item: i for i, item in enumerate(items)}
        ends: list[tuple[int, int]] = []
        for a, members in enumerate(members_of):
            for item in members:
                if item not in number_of:
                    raise InputError(
                        f"set {elements[a]!r} has {item!r}, which has no cost.",
                        hint="Add its cost, or leave costs out.",
                    )
                ends.append((number_of[item], a))
        return cls.from_edges(
            ends,
            costs=item_costs,
            weights=aligned_or_ones("weights", weights, "set", elements),
            budget=budget,
            item_names=names_of(items),
            element_names=names_of(elements),
        )


def _nodes_and_edges(graph: Any) -> tuple[Any, Ints]:
    """Nodes by name, or a range, and the edges in their directions: two columns."""
    import scipy.sparse

    if scipy.sparse.issparse(graph):
        rows, columns = graph.shape
        if rows != columns:
            raise InputError(
                f"graph has {rows} rows and {columns} columns; it must have one of "
                "both per node.",
                hint="Pass an adjacency matrix.",
            )
        entries = scipy.sparse.coo_array(graph)
        is_edge = entries.data != 0
        ends = np.column_stack([entries.row[is_edge], entries.col[is_edge]])
        return range(rows), ends.astype(np.int64)
    _require_graph(graph)
    nodes = list(graph.nodes)
    number_of = {node: i for i, node in enumerate(nodes)}
    found = [(number_of[one], number_of[other]) for one, other in graph.edges()]
    ends = np.array(found, dtype=np.int64).reshape(-1, 2)
    if not graph.is_directed():
        ends = np.concatenate([ends, ends[:, ::-1]])
    is_numbered = nodes == list(range(len(nodes)))
    return range(len(nodes)) if is_numbered else nodes, ends


def _within(ends: Ints, num_nodes: int, distance: int) -> Ints:
    """Pairs of nodes that are at most this many edges apart: two columns."""
    import scipy.sparse

    ones = np.ones(len(ends), dtype=np.bool_)
    steps = scipy.sparse.csr_array(
        (ones, (ends[:, 0], ends[:, 1])), shape=(num_nodes, num_nodes)
    )
    reached = scipy.sparse.eye_array(num_nodes, dtype=np.bool_, format="csr")
    for _ in range(distance):
        further = (reached + reached @ steps).astype(np.bool_)
        if further.nnz == reached.nnz:
            break
        reached = further
    found = reached.tocoo()
    return np.column_stack([found.row, found.col])


def _require_graph(graph: Any) -> None:
    if not (hasattr(graph, "nodes") and hasattr(graph, "edges")):
        raise InputTypeError(
            f"graph is {graph!r:.60}; it must be a networkx graph.",
            hint="For a list of edges, use from_edges.",
        )


def _bipartite_nodes(graph: Any) -> tuple[list[Any], list[Any], list[tuple[int, int]]]:
    """Items, elements and edges of a networkx graph."""
    _require_graph(graph)
    sides: dict[int, list[Any]] = {0: [], 1: []}
    for node, side in graph.nodes(data="bipartite"):
        if side not in sides:
            raise InputError(
                f"node {node!r} has bipartite={side!r}; it must be 0 (item) or 1 "
                "(element).",
                hint="Set the attribute on every node.",
            )
        sides[side].append(node)
    items, elements = ({node: k for k, node in enumerate(sides[s])} for s in (0, 1))
    ends = []
    for one, other in graph.edges():
        item, element = (one, other) if one in items else (other, one)
        if item not in items or element not in elements:
            raise InputError(
                f"the edge from {one!r} to {other!r} must connect an item and an "
                "element.",
                hint="Check the attribute bipartite of both nodes.",
            )
        ends.append((items[item], elements[element]))
    return sides[0], sides[1], ends
