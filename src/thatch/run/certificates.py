"""Certificates: what shows that no selection is worth more than a bound.

A certificate is a list of steps, each of which leaves fewer selections that may be
better, until there are none. `thatch.verification` follows them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thatch.arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class Prices:
    """Prices of elements and of constraints: a dual point.

    They bound what selections cover, and decide the items that no better selection can
    decide otherwise. Without prices of elements, they show that no selection keeps the
    constraints, or which items these decide.
    """

    #: float64, shape (num_elements,): what the items of an element must earn with it.
    elements: Floats
    #: float64: the price of the budget, then of further rows, in the order of
    #: `thatch.problem.constraint_rows.priced_rows`, then of the cases of splits that
    #: the steps are in; missing ones are 0.
    rows: Floats
    #: float64, shape (num_edges,), item by item: what some items pay on top of the
    #: price of an element that must be covered several times.
    edges: Floats | None = None


@dataclass(frozen=True, eq=False)
class LeaveOut:
    """Items that others replace: they cover no more, and cost no less."""

    #: int64, shape (n, 2): an item that is left out, and the one that replaces it.
    pairs: Ints


@dataclass(frozen=True, eq=False)
class Take:
    """Items without which the others leave too much uncovered."""

    items: Ints


@dataclass(frozen=True, eq=False)
class Imply:
    """Elements that are covered whenever others are, which must be."""

    #: int64, shape (n, 2): an element, and the one whose items all cover it.
    pairs: Ints


@dataclass(frozen=True, eq=False)
class TryAll:
    """Every selection of the open items is tried, in this order, at these prices."""

    order: Ints
    prices: Prices


@dataclass(frozen=True, eq=False)
class Combine:
    """All selections of each connected component are combined, at a price."""

    price: float


@dataclass(frozen=True, eq=False)
class Overlaps:
    """A bound from pairs of items that overlap: see `thatch.verification.overlaps`."""

    #: float64, shape (num_elements,).
    prices: Floats
    #: float64, shape (num_items,): the diagonal, and where the tangent is.
    diagonal: Floats
    point: Floats
    #: The price of the budget.
    price: float


@dataclass(frozen=True, eq=False)
class VertexCovers:
    """No cover of edges by vertices is cheaper: elements have two open items.

    Items that are open are vertices, in their order, and elements of two are edges.
    """

    #: int16: a tree, as `thatch._kernels.vertex_covers` writes it.
    tree: NDArray[np.int16]


@dataclass(frozen=True, eq=False)
class Eliminate:
    """No cover is cheaper, by tables: see `thatch.verification.elimination`."""

    #: The open items, in the order in which they are eliminated.
    order: Ints


@dataclass(frozen=True, eq=False)
class Branch:
    """Two cases: an item is left out, or taken."""

    item: int
    without: Sequence[Step]
    with_item: Sequence[Step]


@dataclass(frozen=True, eq=False)
class Split:
    """Two cases: at most `most` of some items are taken, or more."""

    items: Ints
    most: int
    at_most: Sequence[Step]
    more: Sequence[Step]


@dataclass(frozen=True, eq=False)
class ShardPrices:
    """Prices of elements in shards, which are in files, and of the budget."""

    #: The prices of the elements of a shard, by its number.
    of_shard: Callable[[int], Floats]
    budget: float


#: Branches, splits and trials are the last of their steps.
Step = (
    Prices
    | LeaveOut
    | Take
    | Imply
    | TryAll
    | Combine
    | Overlaps
    | VertexCovers
    | Eliminate
    | Branch
    | Split
)


@dataclass(frozen=True, eq=False)
class Certificate:
    """Steps that show that no selection is worth more than a bound."""

    steps: Sequence[Step] = ()
    #: In place of steps, for a problem in shards.
    of_shards: ShardPrices | None = None

    def as_dict(self) -> dict[str, Any]:
        """The certificate as plain data with arrays; equal prices are listed once."""
        points: dict[int, int] = {}
        listed: list[Prices] = []

        def number(prices: Prices) -> int:
            if id(prices) not in points:
                points[id(prices)] = len(listed)
                listed.append(prices)
            return points[id(prices)]

        steps = _plain(self.steps, number)
        return {
            "points": [_plain_prices(each) for each in listed],
            "steps": steps,
        }


def _plain_prices(prices: Prices) -> dict[str, Any]:
    found = {"elements": prices.elements, "rows": prices.rows}
    return found if prices.edges is None else found | {"edges": prices.edges}


def _plain(steps: Sequence[Step], number: Any) -> list[dict[str, Any]]:
    """Steps as dictionaries, without recursion: trees may be deep."""
    root: list[dict[str, Any]] = []
    waiting = [(steps, root)]
    while waiting:
        some, found = waiting.pop()
        for step in some:
            if isinstance(step, Prices):
                found.append({"price": number(step)})
            elif isinstance(step, LeaveOut):
                found.append({"leave_out": step.pairs})
            elif isinstance(step, Take):
                found.append({"take": step.items})
            elif isinstance(step, Imply):
                found.append({"imply": step.pairs})
            elif isinstance(step, TryAll):
                found.append({"try": step.order, "at": number(step.prices)})
            elif isinstance(step, Combine):
                found.append({"combine": step.price})
            elif isinstance(step, Overlaps):
                found.append({"overlaps": _plain_overlaps(step)})
            elif isinstance(step, VertexCovers):
                found.append({"vertex_covers": step.tree})
            elif isinstance(step, Eliminate):
                found.append({"eliminate": step.order})
            elif isinstance(step, Split):
                at_most: list[dict[str, Any]] = []
                more: list[dict[str, Any]] = []
                split = {"split": step.items, "at": step.most}
                found.append({**split, "at_most": at_most, "more": more})
                waiting += [(step.at_most, at_most), (step.more, more)]
            else:
                without: list[dict[str, Any]] = []
                with_item: list[dict[str, Any]] = []
                found.append(
                    {"branch": step.item, "without": without, "with": with_item}
                )
                waiting += [(step.without, without), (step.with_item, with_item)]
    return root


def _plain_overlaps(step: Overlaps) -> dict[str, Any]:
    numbers = {"prices": step.prices, "d": step.diagonal, "x": step.point}
    return {**numbers, "price": step.price}
