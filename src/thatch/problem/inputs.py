"""Sets, matrices, graphs and mappings of callers, converted to plain lists."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from thatch.arrays import numbers
from thatch.errors import InputError, InputTypeError

if TYPE_CHECKING:
    Sets = Iterable[Iterable[Hashable]] | Mapping[Any, Iterable[Hashable]]
    #: One number each, in order or by name.
    Values = ArrayLike | Mapping[Any, float] | None


def edge_ends(edges: ArrayLike | Iterable[tuple[int, int]]) -> np.ndarray:
    """An array of two columns: the item and the element of each edge."""
    try:
        ends = np.asarray(edges if isinstance(edges, np.ndarray) else list(edges))  # type: ignore[arg-type]
    except (ValueError, TypeError):
        ends = np.zeros(1)
    if ends.size == 0:
        return np.zeros((0, 2), dtype=np.int64)
    if ends.ndim != 2 or ends.shape[1] != 2:
        raise InputError(
            "edges must be a list of (item, element) pairs.",
            hint="Pass one item and one element per edge.",
        )
    return ends


def items_and_covers(sets: Sets) -> tuple[list[Any], list[list[Hashable]]]:
    """Items by name or index, and what each covers, in a reproducible order."""
    if isinstance(sets, Mapping):
        items: list[Any] = list(sets)
        contents = list(sets.values())
    elif isinstance(sets, Iterable) and not isinstance(sets, str | bytes):
        contents = list(sets)
        items = list(range(len(contents)))
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
    covers: list[list[Hashable]], weights: Values
) -> tuple[list[Hashable], ArrayLike]:
    """Elements by name or index, and their weights."""
    weights = _labeled(weights)
    if isinstance(weights, Mapping):
        return list(weights), list(weights.values())
    if weights is None:
        elements = list(dict.fromkeys(e for covered in covers for e in covered))
        return elements, np.ones(len(elements))
    weights = numbers("weights", weights)
    return list(range(weights.size)), weights


def item_costs(items: list[Any], costs: Values) -> ArrayLike:
    """One cost per item, in the order of the items; default: 1 each."""
    costs = _labeled(costs)
    if costs is None:
        return np.ones(len(items))
    if not isinstance(costs, Mapping):
        return values_for("costs", costs, "item", len(items))
    for item in items:
        if item not in costs:
            raise InputError(
                f"costs has no entry for item {item!r}.",
                hint="Add its cost.",
            )
    if len(costs) > len(items):
        unknown = next(name for name in costs if name not in set(items))
        raise InputError(
            f"costs has an entry for {unknown!r}, which is not an item.",
            hint="Check the spelling, or remove it.",
        )
    return [costs[item] for item in items]


def values_for(name: str, values: ArrayLike, owner: str, count: int) -> ArrayLike:
    """The values, checked to be one per owner."""
    values = numbers(name, values)
    require_length(name, values.size, owner, count)
    return values


def names_of(labels: Sequence[Any]) -> list[str]:
    """Text for every label; quotes distinguish labels that look alike."""
    names = [str(label) for label in labels]
    return names if len(set(names)) == len(names) else [repr(label) for label in labels]


def dense_matrix(matrix: ArrayLike) -> np.ndarray:
    """A matrix of numbers."""
    try:
        dense = np.asarray(matrix)
    except ValueError:
        raise InputError(
            "the rows of the matrix differ in length.",
            hint="Pass one row per item, with one entry per element.",
        ) from None
    require_two_dimensions(dense)
    if dense.dtype.kind not in "biuf":
        raise InputTypeError(
            f"the matrix has entries of type {dense.dtype}; they must be numbers.",
            hint="Put 1 where the item covers the element, 0 elsewhere.",
        )
    return dense


def require_two_dimensions(matrix: Any) -> Any:
    """Return the matrix, dense or sparse, if it has rows and columns."""
    if len(matrix.shape) != 2:
        raise InputError(
            f"the matrix has {len(matrix.shape)} dimensions; it must have 2.",
            hint="Pass one row per item, with one entry per element.",
        )
    return matrix


def _labeled(values: Values) -> Values:
    """A pandas Series as a mapping from its labels, whose order may differ."""
    to_dict = getattr(values, "to_dict", None)
    return dict(to_dict()) if callable(to_dict) else values


def bipartite_nodes(graph: Any) -> tuple[list[Any], list[Any], list[tuple[int, int]]]:
    """Items, elements and edges of a networkx graph."""
    if not (hasattr(graph, "nodes") and hasattr(graph, "edges")):
        raise InputTypeError(
            f"graph is {graph!r}; it must be a networkx graph.",
            hint="For lists of edges there is from_edges.",
        )
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
