"""Constructors of problems: from sets, matrices, tables, points and graphs."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike

from thatch.arrays import (
    exact_sum,
    number,
    require_finite_and_not_negative,
    require_finite_sum,
)
from thatch.errors import InputError
from thatch.problem.edges import Edges
from thatch.problem.inputs import (
    MatrixEdges,
    aligned,
    aligned_or_ones,
    edge_ends,
    elements_and_weights,
    items_and_covers,
    matrix_edges,
    names_of,
)

if TYPE_CHECKING:
    import scipy.sparse

    from thatch.problem.inputs import Sets, Values
    from thatch.problem.locations import Locations


class ProblemConstructors:
    """Base class of `CoverageProblem`: all ways to build one end in `from_edges`."""

    @classmethod
    def from_edges(
        cls,
        edges: ArrayLike | Iterable[tuple[int, int]],
        *,
        costs: ArrayLike | Mapping[int, float],
        weights: ArrayLike | Mapping[int, float],
        budget: float | None = None,
        item_names: Sequence[str] | None = None,
        element_names: Sequence[str] | None = None,
        locations: Locations | None = None,
    ) -> Self:
        """Problem from (item, element) pairs, numbered from 0.

        Costs and weights are in order, or in a series or mapping whose labels are the
        names of the items and elements (their numbers, if they have no names). Without
        a budget, all items together fit. With locations, results can be mapped.

        >>> from thatch import CoverageProblem
        >>> CoverageProblem.from_edges(
        ...     [(0, 0), (1, 0), (1, 1)], costs=[1, 2], weights=[5, 1], budget=2
        ... ).num_edges
        3
        """
        costs = aligned("costs", costs, "item", item_names)
        weights = aligned("weights", weights, "element", element_names)
        ends = edge_ends(edges)
        return cls(  # type: ignore[call-arg]
            costs,
            weights,
            exact_sum(costs) if budget is None else number("budget", budget),
            Edges.between(
                ends[:, 0],
                ends[:, 1],
                num_items=costs.size,
                num_elements=weights.size,
            ),
            None if item_names is None else tuple(item_names),
            None if element_names is None else tuple(element_names),
            locations=locations,
        )

    @classmethod
    def from_sets(
        cls,
        sets: Sets,
        *,
        budget: float | None = None,
        costs: Values = None,
        weights: Values = None,
    ) -> Self:
        """Problem from what each item covers.

        Parameters
        ----------
        sets
            A list of sets, or a mapping or series from the names of items to their
            sets.
        budget
            Maximum total cost. Default: none, so that all items together fit.
        costs
            One per item: in order, or by name in a mapping or series. Default: 1 each.
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
        budget: float | None = None,
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
            Maximum total cost. Default: none, so that all items together fit.
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
        return cls._from_labeled_edges(found, budget, costs, weights)

    @classmethod
    def from_dataframe(
        cls,
        frame: Any,
        *,
        budget: float | None = None,
        item: Hashable | None = None,
        element: Hashable | None = None,
        cost: str | Values = None,
        weight: str | Values = None,
    ) -> Self:
        """Problem from a data frame: a list of edges, or a matrix.

        Frames of pandas, polars, pyarrow and other packages that narwhals reads keep
        their labels as names. With ``element``, each row is an edge. Without it, each
        row is an item and each column an element, and nonzero entries mean that the
        item covers the element.

        Parameters
        ----------
        frame
            The data frame.
        budget
            Maximum total cost. Default: none, so that all items together fit.
        item
            The column of items; in a matrix, default: the index, or in polars and
            pyarrow the column of strings.
        element
            The column of elements, in a list of edges.
        cost, weight
            The column of costs and that of weights, which repeat the same number in all
            rows of an item or element; or values by label, as in `from_matrix`;
            default: 1 each.

        Raises
        ------
        InputError
            If an edge or a label is repeated or missing, or if an item has two costs or
            an element two weights.

        >>> import pandas
        >>> from thatch import CoverageProblem
        >>> frame = pandas.DataFrame(
        ...     {
        ...         "site": ["north", "north", "south"],
        ...         "town": ["Ayr", "Bly", "Bly"],
        ...         "rent": [4, 4, 3],
        ...     }
        ... )
        >>> problem = CoverageProblem.from_dataframe(
        ...     frame, item="site", element="town", cost="rent", budget=5
        ... )
        >>> problem.item_names, problem.element_names, problem.costs
        (('north', 'south'), ('Ayr', 'Bly'), array([4., 3.]))
        """
        from thatch.problem.tables import read_table

        table = read_table(frame, item=item, element=element, cost=cost, weight=weight)
        return cls._from_labeled_edges(table.edges, budget, table.costs, table.weights)

    @classmethod
    def from_points(
        cls,
        sites: Any,
        demand: Any,
        *,
        radius: float | str | Values,
        budget: float | None = None,
        metric: str | None = None,
        costs: str | Values = None,
        weights: str | Values = None,
        item_names: Sequence[str] | str | None = None,
        element_names: Sequence[str] | str | None = None,
        merge: bool = False,
    ) -> Self:
        """Problem from points: a site covers the demand points within its radius.

        Points at a distance of exactly the radius are covered. The problem keeps the
        points as its `locations`, so that results can be mapped. For the radius, costs,
        weights and names, a string is the name of a column of the frame.

        Parameters
        ----------
        sites, demand
            Arrays of shape (num_points, 2), which are (longitude, latitude) or (x, y);
            data frames with columns ``longitude`` and ``latitude``, or ``x`` and ``y``;
            or GeoPandas frames of points. Labels are kept, as in `from_matrix`.
        radius
            One for all sites, or one per site: in meters if the metric is haversine,
            otherwise in the unit of the coordinates.
        metric
            ``haversine``, great-circle distance on a sphere of radius 6,371,008.8
            meters, or ``euclidean``. Default: what the columns or the coordinate
            reference system of a frame imply; arrays need it.
        budget, costs, weights
            As in `from_matrix`.
        item_names, element_names
            Names; default: the labels of the frame.
        merge
            Whether demand points that the same sites reach become one element with
            the sum of their weights. Pairs are then never listed, so that millions of
            points take seconds. Merged elements have no names;
            `locations.element_of` has the element of each point.

        >>> from thatch import CoverageProblem
        >>> sites, homes = [(0, 0), (9, 0)], [(0, 5), (3, 4), (9, 1)]
        >>> problem = CoverageProblem.from_points(
        ...     sites, homes, radius=5, metric="euclidean", budget=1
        ... )
        >>> problem.edges.elements_of(0)
        array([0, 1], dtype=int32)
        >>> merged = CoverageProblem.from_points(
        ...     sites, homes, radius=5, metric="euclidean", budget=1, merge=True
        ... )
        >>> merged.weights, merged.locations.element_of
        (array([2., 1.]), array([0, 0, 1], dtype=int32))
        """
        from thatch.problem.merging import merged_points
        from thatch.problem.points import locations_of, read_points
        from thatch.problem.reach import ends_within_reach

        if merge and element_names is not None:
            raise InputError(
                "element_names is given, but merged points have no names.",
                hint="Leave element_names out, or leave merge out.",
            )

        places = read_points("sites", sites, metric=metric, names=item_names)
        homes = read_points("demand", demand, metric=metric, names=element_names)
        locations = locations_of(places, homes, metric=metric, radius=radius)
        weights, labels = homes.values("weights", weights), homes.labels
        if merge:
            given = aligned_or_ones("weights", weights, "element", labels)
            require_finite_and_not_negative("weights", given, "element")
            require_finite_sum("weights", given)
            merged = merged_points(locations)
            locations, ends = merged.locations, merged.ends
            weights, labels = merged.weights(given), range(merged.num_elements)
        else:
            ends = ends_within_reach(locations)
        return cls._from_labeled_edges(
            MatrixEdges(ends, places.labels, labels),
            budget,
            places.values("costs", costs),
            weights,
            locations,
        )

    @classmethod
    def from_distances(
        cls,
        matrix: scipy.sparse.sparray | scipy.sparse.spmatrix | ArrayLike,
        radius: float | Values,
        *,
        budget: float | None = None,
        costs: Values = None,
        weights: Values = None,
        item_names: Sequence[str] | None = None,
        element_names: Sequence[str] | None = None,
        locations: Locations | None = None,
    ) -> Self:
        """Problem from distances or travel times between sites and demand points.

        Parameters
        ----------
        matrix
            One row per site and one column per demand point; infinite where there is
            no connection. In a sparse matrix, only stored entries are distances. A data
            frame keeps its labels, as in `from_matrix`.
        radius
            A site covers the demand points whose distance is at most this; one for all
            sites, or one per site.
        budget, costs, weights, item_names, element_names
            As in `from_matrix`.
        locations
            Where sites and demand points are, if results are to be mapped.

        >>> from thatch import CoverageProblem
        >>> minutes = [[5, 20, 10], [30, 8, 12]]
        >>> CoverageProblem.from_distances(minutes, 10, budget=1).num_edges
        3
        """
        from thatch.problem.tables import edges_within_distance

        found = edges_within_distance(matrix, radius, item_names, element_names)
        return cls._from_labeled_edges(found, budget, costs, weights, locations)

    @classmethod
    def _from_labeled_edges(
        cls,
        found: MatrixEdges,
        budget: float | None,
        costs: Values,
        weights: Values,
        locations: Locations | None = None,
    ) -> Self:
        return cls.from_edges(
            found.ends,
            costs=aligned_or_ones("costs", costs, "item", found.items),
            weights=aligned_or_ones("weights", weights, "element", found.elements),
            budget=budget,
            item_names=names_of(found.items),
            element_names=names_of(found.elements),
            locations=locations,
        )
