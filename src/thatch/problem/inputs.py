"""Sets, matrices, graphs and mappings of callers, converted to plain lists."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from thatch.arrays import Floats, numbers
from thatch.errors import InputError, InputTypeError
from thatch.problem.frames import (
    LabeledMatrix,
    labeled_matrix,
    labeled_values,
    values_in_frame,
)

if TYPE_CHECKING:
    Sets = Iterable[Iterable[Hashable]] | Mapping[Any, Iterable[Hashable]]
    #: One number each, in order or by label.
    Values = ArrayLike | Mapping[Any, float] | None


def edge_ends(edges: ArrayLike | Iterable[tuple[int, int]]) -> np.ndarray:
    """An array of two columns: the item and the element of each edge."""
    frame = values_in_frame(edges)
    given = edges if frame is None else frame
    try:
        ends = np.asarray(given if isinstance(given, np.ndarray) else list(given))  # type: ignore[arg-type]
    except (ValueError, TypeError):
        ends = np.zeros(1)
    if ends.size == 0:
        return np.zeros((0, 2), dtype=np.int64)
    if ends.ndim != 2 or ends.shape[1] != 2:
        raise InputError(
            f"edges is {edges!r:.60}; it must be a list of (item, element) pairs.",
            hint="Pass one item and one element per edge.",
        )
    return ends


def items_and_covers(sets: Sets) -> tuple[Sequence[Any], list[list[Hashable]]]:
    """Items by name, or a range, and what each covers, in a reproducible order."""
    if values_in_frame(sets) is not None:
        raise InputTypeError(
            "sets is a data frame; it must be a list, a mapping or a series of sets.",
            hint="For a matrix of zeros and ones, use from_matrix.",
        )
    by_label = labeled_values("sets", sets)
    if by_label is not None:
        sets = by_label
    if isinstance(sets, Mapping):
        items: Sequence[Any] = list(sets)
        contents = list(sets.values())
    elif not isinstance(sets, str | bytes) and isinstance(sets, Iterable):
        contents = list(sets)
        items = range(len(contents))
    else:
        raise InputTypeError(
            f"sets is {sets!r}; it must be a list or a mapping of sets.",
            hint='Write [{"a", "b"}, {"b"}], for example.',
        )
    return items, [
        _sorted_elements(item, covered)
        for item, covered in zip(items, contents, strict=True)
    ]


def _sorted_elements(item: Hashable, covered: Iterable[Hashable]) -> list[Hashable]:
    if isinstance(covered, str | bytes) or not isinstance(covered, Iterable):
        raise InputTypeError(
            f"item {item!r} covers {covered!r}; it must be a set or a list.",
            hint="Wrap it in a list.",
        )
    # The order of a set of strings differs from run to run; that of elements must not.
    is_set = isinstance(covered, set | frozenset)
    elements = sorted(covered, key=repr) if is_set else list(covered)
    for element in elements:
        if not isinstance(element, Hashable):
            raise InputTypeError(
                f"item {item!r} covers {element!r}, which cannot be a set member.",
                hint="Use strings or numbers for elements.",
            )
    return elements


def elements_and_weights(
    covers: list[list[Hashable]], weights: Values, *, name: str = "weights"
) -> tuple[Sequence[Hashable], ArrayLike]:
    """Elements by name, or a range, and their weights; `name` is for errors."""
    by_label = labeled_values(name, weights)
    if by_label is not None:
        return list(by_label), list(by_label.values())
    if weights is None:
        elements = list(dict.fromkeys(e for covered in covers for e in covered))
        return elements, np.ones(len(elements))
    weights = numbers(name, weights)  # type: ignore[arg-type]
    return range(weights.size), weights


def aligned(
    name: str, values: Values, owner: str, labels: Sequence[Hashable] | None
) -> Floats:
    """One value per label, in the order of the labels.

    Values with labels are put in this order, whatever theirs is; others are taken as
    they come. Without labels to align with, owners are numbered from 0.
    """
    by_label = labeled_values(name, values)
    if by_label is None:
        return numbers(name, values)  # type: ignore[arg-type]
    if labels is None:
        labels = range(len(by_label))
    elif not any(isinstance(label, str) for label in by_label):
        # Names are the text of labels: those of a frame may have been numbers.
        by_name: dict[Any, Any] = {str(key): value for key, value in by_label.items()}
        by_label = by_name if set(labels) & set(by_name) else by_label
    for label in labels:
        if label not in by_label:
            raise InputError(
                f"{name} has no entry for {owner} {label!r}.",
                hint=f"Add it, or pass {name} without labels, one per {owner} in "
                "order.",
            )
    if len(by_label) > len(labels):
        known = set(labels)
        unknown = next(label for label in by_label if label not in known)
        raise InputError(
            f"{name} has an entry for {unknown!r}, which is not an {owner}.",
            hint="Check the spelling, or remove it.",
        )
    return numbers(name, [by_label[label] for label in labels])


def aligned_or_ones(
    name: str, values: Values, owner: str, labels: Sequence[Hashable]
) -> Floats:
    """One value per label, in the order of the labels; default: 1 each."""
    if values is None:
        return np.ones(len(labels))
    found = aligned(name, values, owner, labels)
    require_length(name, found.size, owner, len(labels))
    return found


def names_of(labels: Sequence[Any]) -> list[str] | None:
    """Text for every label; quotes distinguish labels that look alike.

    A range is the numbering itself: what it numbers has no names.
    """
    if isinstance(labels, range):
        return None
    names = [str(label) for label in labels]
    return names if len(set(names)) == len(names) else [repr(label) for label in labels]


@dataclass(frozen=True, eq=False)
class MatrixEdges:
    """The edges in a matrix, and the labels of its rows and columns."""

    #: int64, shape (num_edges, 2): item and element of each edge.
    ends: np.ndarray
    #: One label per item, and one per element; ranges where the matrix has none.
    items: Sequence[Hashable]
    elements: Sequence[Hashable]


def matrix_edges(
    matrix: Any,
    item_names: Sequence[str] | None,
    element_names: Sequence[str] | None,
    *,
    nonzero_covers: bool,
) -> MatrixEdges:
    """Read the edges of a matrix: dense, sparse or in a data frame.

    Items and elements are labeled by the frame or by the names given.
    """
    import scipy.sparse

    matrix, items, elements = read_matrix(matrix, item_names, element_names)
    entries = scipy.sparse.coo_array(matrix)
    _require_zeros_and_ones(entries, items, elements, nonzero_covers=nonzero_covers)
    entries.sum_duplicates()
    entries.eliminate_zeros()
    return MatrixEdges(np.column_stack([entries.row, entries.col]), items, elements)


def read_matrix(
    matrix: Any, item_names: Sequence[str] | None, element_names: Sequence[str] | None
) -> tuple[Any, Sequence[Hashable], Sequence[Hashable]]:
    """A matrix, dense or sparse, and the labels of its rows and columns."""
    import scipy.sparse

    labeled = matrix if isinstance(matrix, LabeledMatrix) else labeled_matrix(matrix)
    rows = columns = None
    if labeled is not None:
        matrix, rows, columns = labeled.values, labeled.rows, labeled.columns
    if scipy.sparse.issparse(matrix):
        matrix = _require_two_dimensions(matrix)
    else:
        matrix = _dense_matrix(matrix)
    items = _names_or_labels("item_names", item_names, rows, matrix.shape[0])
    elements = _names_or_labels(
        "element_names", element_names, columns, matrix.shape[1]
    )
    return matrix, items, elements


def _names_or_labels(
    name: str,
    names: Sequence[str] | None,
    labels: Sequence[Hashable] | None,
    count: int,
) -> Sequence[Hashable]:
    """The labels of a frame, or the names given, or a range; never two of them."""
    if labels is None or isinstance(labels, range):
        return range(count) if names is None else list(names)
    if names is not None and list(names) != list(labels):
        raise InputError(
            f"{name} is {list(names)!r:.60}, but the frame has labels.",
            hint=f"Leave {name} out, or rename the labels of the frame.",
        )
    return labels


def _require_zeros_and_ones(
    entries: Any,
    items: Sequence[Hashable],
    elements: Sequence[Hashable],
    *,
    nonzero_covers: bool,
) -> None:
    is_bad = ~np.isfinite(entries.data)
    wanted, hint = "finite", "Put 1 where the item covers the element, 0 elsewhere."
    if not nonzero_covers and not is_bad.any():
        is_bad = (entries.data != 0) & (entries.data != 1)
        wanted = "0 or 1"
        hint = (
            "Pass matrix <= radius for a matrix of distances, or nonzero_covers=True "
            "if every nonzero entry means that the item covers the element."
        )
    if is_bad.any():
        e = int(np.argmax(is_bad))
        raise InputError(
            f"the matrix has {entries.data[e]} at row {items[entries.row[e]]!r}, "
            f"column {elements[entries.col[e]]!r}; entries must be {wanted}.",
            hint=hint,
        )


def _dense_matrix(matrix: ArrayLike) -> np.ndarray:
    """A matrix of numbers."""
    try:
        dense = np.asarray(matrix)
    except ValueError:
        raise InputError(
            "the rows of the matrix differ in length.",
            hint="Pass one row per item, with one entry per element.",
        ) from None
    _require_two_dimensions(dense)
    if dense.dtype.kind not in "biuf":
        raise InputTypeError(
            f"the matrix has entries of type {dense.dtype}; they must be numbers.",
            hint="Pass a matrix of numbers.",
        )
    return dense


def _require_two_dimensions(matrix: Any) -> Any:
    """Return the matrix, dense or sparse, if it has rows and columns."""
    if len(matrix.shape) != 2:
        raise InputError(
            f"the matrix has {len(matrix.shape)} dimensions; it must have 2.",
            hint="Pass one row per item, with one entry per element.",
        )
    return matrix


def require_length(name: str, length: int, owner: str, count: int) -> None:
    """Require one value per owner."""
    if length != count:
        raise InputError(
            f"expected one {name.removesuffix('s')} per {owner}, got {length} {name} "
            f"for {count} {owner}s.",
            hint=f"Pass exactly {count} {name}.",
        )


def require_names(name: str, names: Sequence[str]) -> None:
    """Require names that are text and differ."""
    seen: set[str] = set()
    for label in names:
        if not isinstance(label, str):
            raise InputTypeError(
                f"{label!r} is among the {name}; they must be strings.",
                hint="Write it in quotes.",
            )
        if label in seen:
            raise InputError(
                f"{label!r} is repeated among the {name}.", hint="Rename one of them."
            )
        if not label.isascii() and _has_lone_surrogate(label):
            raise InputError(
                f"{label!r} among the {name} contains half of a surrogate pair.",
                hint="Write the character itself.",
            )
        seen.add(label)


def _has_lone_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)
