"""Sets, matrices and mappings as people pass them, made into plain lists."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from thatch.arrays import numbers
from thatch.errors import InputError, InputTypeError

if TYPE_CHECKING:
    Sets = Iterable[Iterable[Hashable]] | Mapping[Any, Iterable[Hashable]]
    #: A number each, in order or by name.
    Values = ArrayLike | Mapping[Any, float] | None


def edge_ends(edges: ArrayLike | Iterable[tuple[int, int]]) -> np.ndarray:
    """Two columns, an item and an element an edge."""
    try:
        ends = np.asarray(edges if isinstance(edges, np.ndarray) else list(edges))  # type: ignore[arg-type]
    except (ValueError, TypeError):
        ends = np.zeros(1)
    if ends.size == 0:
        return np.zeros((0, 2), dtype=np.int64)
    if ends.ndim != 2 or ends.shape[1] != 2:
        raise InputError(
            "edges must be (item, element) pairs, got something of another shape.",
            hint="Give one item number and one element number an edge.",
        )
    return ends


def items_and_covers(sets: Sets) -> tuple[list[Any], list[list[Hashable]]]:
    """Items by name or number, and what each covers, in an order that never changes."""
    if isinstance(sets, Mapping):
        items: list[Any] = list(sets)
        contents = list(sets.values())
    elif isinstance(sets, Iterable) and not isinstance(sets, str | bytes):
        contents = list(sets)
        items = list(range(len(contents)))
    else:
        raise InputTypeError(
            f"sets must be a list or a mapping of sets, got {sets!r}.",
            hint='Write [{"a", "b"}, {"b"}], for example.',
        )
    return items, [
        _in_fixed_order(item, covered)
        for item, covered in zip(items, contents, strict=True)
    ]


def _in_fixed_order(item: Hashable, covered: Iterable[Hashable]) -> list[Hashable]:
    if isinstance(covered, str | bytes) or not isinstance(covered, Iterable):
        raise InputTypeError(
            f"sets must hold a set for every item, got {covered!r} at item {item!r}.",
            hint="Wrap it in a list.",
        )
    # Python shuffles sets of strings from run to run; the numbering must not follow.
    is_set = isinstance(covered, set | frozenset)
    elements = sorted(covered, key=repr) if is_set else list(covered)
    for element in elements:
        if not isinstance(element, Hashable):
            raise InputTypeError(
                f"sets must hold names or numbers, got {element!r} at item {item!r}.",
                hint="Use strings or numbers for elements.",
            )
    return elements


def elements_and_weights(
    covers: list[list[Hashable]], weights: Values
) -> tuple[list[Hashable], ArrayLike]:
    """Elements by name or number, and their weights."""
    weights = _labelled(weights)
    if isinstance(weights, Mapping):
        return list(weights), list(weights.values())
    if weights is None:
        elements = list(dict.fromkeys(e for covered in covers for e in covered))
        return elements, np.ones(len(elements))
    weights = numbers("weights", weights)
    return list(range(weights.size)), weights


def item_costs(items: list[Any], costs: Values) -> ArrayLike:
    """One cost an item, in the items' order; 1 each unless given."""
    costs = _labelled(costs)
    if costs is None:
        return np.ones(len(items))
    if not isinstance(costs, Mapping):
        return values_for("costs", costs, "item", len(items))
    for item in items:
        if item not in costs:
            raise InputError(
                f"costs must name every item, got none for {item!r}.",
                hint="Give it a cost.",
            )
    if len(costs) > len(items):
        stranger = next(name for name in costs if name not in set(items))
        raise InputError(
            f"costs must name items only, got {stranger!r}.",
            hint="Check its spelling, or remove it.",
        )
    return [costs[item] for item in items]


def values_for(name: str, values: ArrayLike, owner: str, count: int) -> ArrayLike:
    """The values, once there is one for each owner."""
    values = numbers(name, values)
    if values.size != count:
        raise InputError(
            f"{name} must be one an {owner}, got {values.size} for {count} {owner}s.",
            hint=f"Give every {owner} exactly one.",
        )
    return values


def names_of(labels: Sequence[Any]) -> list[str]:
    """Text for every label; labels that look alike are told apart by their quotes."""
    names = [str(label) for label in labels]
    return names if len(set(names)) == len(names) else [repr(label) for label in labels]


def dense_matrix(matrix: ArrayLike) -> np.ndarray:
    """A matrix of numbers."""
    try:
        dense = np.asarray(matrix)
    except ValueError:
        raise InputError(
            "matrix must be rectangular, got rows of different lengths.",
            hint="Give every item a row with one entry an element.",
        ) from None
    require_two_dimensions(dense)
    if dense.dtype.kind not in "biuf":
        raise InputTypeError(
            f"matrix must hold numbers, got entries of type {dense.dtype}.",
            hint="Put 1 where the item covers the element, 0 elsewhere.",
        )
    return dense


def require_two_dimensions(matrix: Any) -> Any:
    """The matrix, dense or sparse, if it has rows and columns."""
    if len(matrix.shape) != 2:
        raise InputError(
            f"matrix must have two dimensions, got {len(matrix.shape)}.",
            hint="Give every item a row with one entry an element.",
        )
    return matrix


def _labelled(values: Values) -> Values:
    """A pandas Series by its labels: its order may be another one."""
    to_dict = getattr(values, "to_dict", None)
    return dict(to_dict()) if callable(to_dict) else values
