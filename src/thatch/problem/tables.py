"""Tables of callers: lists of edges, matrices in data frames, and distances."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from thatch.arrays import Floats, Ints, distinct, numbered
from thatch.errors import InputError, InputTypeError
from thatch.problem.frames import Frame, matrix_in, read_frame
from thatch.problem.inputs import MatrixEdges, matrix_edges, read_matrix
from thatch.problem.reach import radii_of

if TYPE_CHECKING:
    from thatch.problem.inputs import Values


@dataclass(frozen=True, eq=False)
class Table:
    """Edges with labels, costs and weights; None where they are left out."""

    edges: MatrixEdges
    costs: Values
    weights: Values


def read_table(
    values: Any, *, item: Any, element: Any, cost: str | Values, weight: str | Values
) -> Table:
    """Read a list of edges, or, without the column of elements, a matrix."""
    frame = read_frame("the frame", values)
    if frame is None or frame.is_series:
        raise InputTypeError(
            f"frame is {type(values).__name__}; it must be a data frame.",
            hint="For arrays, use from_edges or from_matrix. Collect lazy frames.",
        )
    if element is not None:
        return _listed(frame, item, element, cost, weight)
    if isinstance(weight, str):
        raise InputError(
            f"weight is {weight!r}, but the elements of a matrix are columns and have "
            "no entries for it.",
            hint="Pass weights by label, or name the columns item and element of a "
            "list of edges.",
        )
    others = []
    if isinstance(cost, str):
        others = [cost]
        cost = frame.numbers_of(cost)
    matrix = matrix_in(frame, rows=item, without=others)
    return Table(matrix_edges(matrix, None, None, nonzero_covers=True), cost, weight)


def _listed(
    frame: Frame, item: Any, element: Any, cost: str | Values, weight: str | Values
) -> Table:
    """Edges, costs and weights in a list of edges."""
    if item is None:
        raise InputError(
            f"element is {element!r}, but item is missing.",
            hint="Name both columns of a list of edges.",
        )
    item_of, items = _numbered_column(frame, item, "item")
    element_of, elements = _numbered_column(frame, element, "element")
    _require_different(item_of, element_of, items, elements)
    edges = MatrixEdges(np.column_stack([item_of, element_of]), items, elements)
    if isinstance(cost, str):
        cost = _value_of_each(frame, cost, "item", item_of, items)
    if isinstance(weight, str):
        weight = _value_of_each(frame, weight, "element", element_of, elements)
    return Table(edges, cost, weight)


def _numbered_column(
    frame: Frame, column: Any, owner: str
) -> tuple[Ints, Sequence[Hashable]]:
    """A number for each row, and the labels that they number.

    Integers are numbered in their order, other labels by first appearance.
    """
    is_missing = frame.is_missing(column)
    if is_missing.any():
        row = int(np.argmax(is_missing))
        raise InputError(
            f"row {row} of {frame.name} has no {owner} in column {column!r}.",
            hint="Drop the rows with missing labels.",
        )
    integers = frame.integers_of(column)
    if integers is None:
        values = frame.values_of(column)
        for row, value in enumerate(values):
            if not isinstance(value, Hashable):
                raise InputTypeError(
                    f"row {row} of {frame.name} has the {owner} {value!r:.60}; labels "
                    "must be strings or numbers.",
                    hint="Use strings or numbers as labels.",
                )
        return numbered(values), list(dict.fromkeys(values))
    labels = distinct(integers)
    is_range = labels.size == 0 or (labels[0] == 0 and labels[-1] == labels.size - 1)
    return (
        np.searchsorted(labels, integers),
        range(labels.size) if is_range else labels.tolist(),
    )


def _require_different(
    item_of: Ints,
    element_of: Ints,
    items: Sequence[Hashable],
    elements: Sequence[Hashable],
) -> None:
    pairs = item_of * max(1, len(elements)) + element_of
    order = np.argsort(pairs, kind="stable")
    is_repeat = pairs[order[1:]] == pairs[order[:-1]]
    if is_repeat.any():
        row = int(order[1:][is_repeat].min())
        raise InputError(
            f"row {row} repeats the edge from item {items[item_of[row]]!r} to element "
            f"{elements[element_of[row]]!r}.",
            hint="Keep one row per edge: frame.drop_duplicates() in pandas, "
            "frame.unique() in polars.",
        )


def _value_of_each(
    frame: Frame, column: str, owner: str, numbers: Ints, labels: Sequence[Hashable]
) -> Floats:
    """The value of each item or element, which all of its rows must repeat."""
    values = frame.numbers_of(column)
    is_missing = np.isnan(values)
    if is_missing.any():
        row = int(np.argmax(is_missing))
        raise InputError(
            f"row {row} of {frame.name} has no number in column {column!r}.",
            hint="Fill in the missing numbers, or drop the rows.",
        )
    each = np.empty(len(labels))
    each[numbers[::-1]] = values[::-1]
    is_other = values != each[numbers]
    if is_other.any():
        row = int(np.argmax(is_other))
        first = int(np.argmax(numbers == numbers[row]))
        raise InputError(
            f"{owner} {labels[numbers[row]]!r} has {column} {values[first]} in row "
            f"{first} and {values[row]} in row {row}; it must have one.",
            hint="Correct one of the rows, or add them up first.",
        )
    return each


def edges_within_distance(
    matrix: Any,
    radius: Any,
    item_names: Sequence[str] | None,
    element_names: Sequence[str] | None,
) -> MatrixEdges:
    """Edges where the distance is at most the radius, with the labels of a frame.

    In a sparse matrix, only stored entries are distances.
    """
    import scipy.sparse

    matrix, items, elements = read_matrix(matrix, item_names, element_names)
    radii = radii_of(radius, items)
    if scipy.sparse.issparse(matrix):
        entries = scipy.sparse.coo_array(matrix)
        _require_distances(entries.data, entries.row, entries.col, items, elements)
        is_near = entries.data <= radii[entries.row]
        ends = np.column_stack([entries.row[is_near], entries.col[is_near]])
        return MatrixEdges(ends, items, elements)
    is_bad = ~(matrix >= 0)
    if is_bad.any():
        row, column = np.nonzero(is_bad)
        _require_distances(matrix[is_bad], row, column, items, elements)
    return MatrixEdges(np.argwhere(matrix <= radii[:, None]), items, elements)


def _require_distances(
    distances: np.ndarray,
    rows: np.ndarray,
    columns: np.ndarray,
    items: Sequence[Hashable],
    elements: Sequence[Hashable],
) -> None:
    """Require distances that are not negative; infinite ones are out of reach."""
    is_bad = ~(distances >= 0)
    if is_bad.any():
        e = int(np.argmax(is_bad))
        raise InputError(
            f"the distance at row {items[rows[e]]!r}, column {elements[columns[e]]!r} "
            f"is {distances[e]}; distances must be 0 or more.",
            hint="Write inf where there is no connection.",
        )
