"""Selections: sets of items, and what they cover."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from thatch._kernels import graph as kernel
from thatch.arrays import (
    Flags,
    Floats,
    Indices,
    Ints,
    distinct,
    exact_sum,
    frozen,
    is_frozen,
    sums_by,
)
from thatch.errors import InputError, InputTypeError
from thatch.machine.caching import cached_property
from thatch.problem.coverage_problem import CoverageProblem


@dataclass(frozen=True, eq=False)
class Selection:
    """An immutable set of items of a problem.

    >>> from thatch.problem.instances import toy
    >>> selection = Selection.of(toy.greedy_trap().problem, [0, 2])
    >>> selection.value, selection.cost, selection.is_feasible
    (13.0, 2.0, True)
    """

    problem: CoverageProblem
    #: int64, shape (num_chosen,): the chosen items, ascending.
    items: Ints

    @classmethod
    def of(
        cls, problem: CoverageProblem, items: ArrayLike | Iterable[int]
    ) -> Selection:
        """Selection of the given items, by index or name, in any order.

        >>> from thatch.problem.instances import toy
        >>> Selection.of(toy.greedy_trap().problem, []).value
        0.0
        """
        chosen = np.asarray(
            items if isinstance(items, np.ndarray) else list(items)  # type: ignore[arg-type]
        )
        if chosen.dtype.kind == "U" and problem.item_names is not None:
            chosen = _indices_of(chosen.tolist(), problem.item_names)
        ordered = np.sort(_integers(chosen))
        is_repeated = ordered[1:] == ordered[:-1]
        if is_repeated.any():
            raise InputError(
                f"item {ordered[1:][is_repeated][0]} is repeated.",
                hint="Remove the duplicate.",
            )
        return cls(problem, frozen(ordered))

    def __post_init__(self) -> None:
        # A copy, so that no later write to the caller's array changes the selection.
        items = self.items
        if not (is_frozen(items) and items.dtype == np.int64):
            items = frozen(_integers(items))
            object.__setattr__(self, "items", items)
        is_behind = items[1:] <= items[:-1]
        if is_behind.any():
            raise InputError(
                f"items must be unique and sorted; {items[1:][is_behind][0]} is "
                "repeated or out of order.",
                hint="Remove the duplicate; Selection.of accepts any order.",
            )
        if items.size and not 0 <= items[0] <= items[-1] < self.problem.num_items:
            bad = items[0] if items[0] < 0 else items[-1]
            raise InputError(
                f"item {bad} does not exist; the problem has {self.problem.num_items} "
                "items.",
                hint="Check that the selection belongs to this problem.",
            )

    @cached_property
    def cover_counts(self) -> Indices:
        """How many chosen items cover each element: int32, shape (num_elements,)."""
        edges = self.problem.edges
        counts = np.zeros(edges.num_elements, dtype=np.int32)
        kernel.count_covers(self.items, edges.item_start, edges.item_elements, counts)
        frozen(counts)
        return counts

    @cached_property
    def covered(self) -> Flags:
        """Which elements are covered: bool, shape (num_elements,)."""
        is_covered = self.cover_counts >= self._demands
        frozen(is_covered)
        return is_covered

    @cached_property
    def value(self) -> float:
        """Total weight covered."""
        return self.problem.weight_of(self.covered)

    def is_better_than(self, other: Selection) -> bool:
        """Whether it covers more, by exact sums."""
        if self.value != other.value or self.problem.has_integer_weights:
            return self.value > other.value
        gained = self.problem.weights[self.covered & ~other.covered]
        lost = self.problem.weights[other.covered & ~self.covered]
        return exact_sum(np.concatenate([gained, -lost])) > 0

    @cached_property
    def bound(self) -> float:
        """The smallest double that is at least the weight covered: the value, or next.

        It is the lowest upper bound of an optimal selection.
        """
        return self.problem.bound_of(self.covered)

    def is_proved_by(self, bound: float) -> bool:
        """Whether an upper bound shows that no selection covers more, by exact sums.

        The bound of the selection itself does so only if it covers all: another one may
        have the same bound, and be worth a little more.
        """
        if bound <= self.value:
            return True
        is_left = ~self.covered & self.problem.reachable_elements
        return bound <= self.bound and not self.problem.weights[is_left].any()

    @cached_property
    def cost(self) -> float:
        """Total cost of the chosen items."""
        return exact_sum(self.problem.costs[self.items])

    @property
    def is_feasible(self) -> bool:
        """Whether it is within the budget and meets every constraint."""
        if self.cost > self.problem.budget:
            return False
        return self.problem.constraints is None or not any(self.violations)

    @property
    def violations(self) -> Iterator[str]:
        """What it violates, as parts of a sentence; nothing if it is feasible."""
        problem = self.problem
        if self.cost > problem.budget:
            yield f"it costs {self.cost!r}, which exceeds the budget {problem.budget!r}"
        if problem.constraints is not None:
            names = problem.item_names or range(problem.num_items)
            yield from problem.constraints.violations(self.items, names)

    @cached_property
    def coverages(self) -> Floats:
        """Weight that each chosen item covers: float64, shape (num_chosen,)."""
        return self._sums_over_elements(self.problem.weights)

    @cached_property
    def contributions(self) -> Floats:
        """Weight that only each chosen item covers: float64, shape (num_chosen,)."""
        # Of an element that is covered just as often as it must be, every item counts.
        is_tight = self.cover_counts == self._demands
        return self._sums_over_elements(np.where(is_tight, self.problem.weights, 0.0))

    def _sums_over_elements(self, values: Floats) -> Floats:
        edges = self.problem.edges
        elements = edges.item_elements[edges.positions_of(self.items)]
        rows = np.repeat(np.arange(len(self)), edges.item_degrees[self.items])
        return frozen(sums_by(rows, values[elements], len(self)))

    @property
    def _demands(self) -> Indices | int:
        """How many items must cover an element before it counts."""
        constraints = self.problem.constraints
        demands = None if constraints is None else constraints.demands
        return 1 if demands is None else demands

    @property
    def labels(self) -> list[str | int]:
        """Names of the chosen items, or their indices if items have no names."""
        return [self.problem.item_label(i) for i in self.items.tolist()]

    def without_redundant_items(self) -> Selection:
        """Return the selection without items whose elements others cover, last first.

        >>> from thatch import CoverageProblem
        >>> problem = CoverageProblem.from_sets([{0, 1}, {1}, {1, 2}], budget=3)
        >>> Selection.of(problem, [0, 1, 2]).without_redundant_items().items
        array([0, 2])
        """
        edges, weights = self.problem.edges, self.problem.weights
        # An element without weight needs no item.
        needed_at = np.where(weights > 0, self._demands, -1).astype(np.int32)
        is_kept = np.ones(len(self), dtype=np.int8)
        kernel.drop_redundant(
            self.items,
            edges.item_start,
            edges.item_elements,
            needed_at,
            self.cover_counts.copy(),
            is_kept,
        )
        return (
            self if is_kept.all() else Selection(self.problem, self.items[is_kept > 0])
        )

    def __len__(self) -> int:
        return self.items.size

    def __repr__(self) -> str:
        return f"Selection({len(self)} items, value {self.value:g}, cost {self.cost:g})"


def _integers(items: ArrayLike) -> Ints:
    """An int64 copy of a list of indices."""
    indices = np.array(items)
    if indices.size == 0:
        return np.zeros(0, dtype=np.int64)
    if indices.ndim != 1 or indices.dtype.kind not in "iu":
        raise InputTypeError(
            f"items has {indices.ndim} dimensions of type {indices.dtype}; it must be "
            "a list of indices or names.",
            hint="For a mask, pass numpy.flatnonzero(mask).",
        )
    return indices.astype(np.int64)


def _indices_of(names: list[str], item_names: tuple[str, ...]) -> Ints:
    number_of = {name: i for i, name in enumerate(item_names)}
    for name in names:
        if name not in number_of:
            raise InputError(
                f"no item is named {name!r}.",
                hint="Check the spelling.",
            )
    return np.array([number_of[name] for name in names], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Restriction:
    """The problem of choosing among some items when others are taken.

    >>> from thatch import CoverageProblem
    >>> problem = CoverageProblem.from_sets([{0, 1}, {1, 2}, {2, 3}], budget=2)
    >>> restriction = Restriction.of(problem, np.array([1, 2]), np.array([0]))
    >>> restriction.restored(Selection.of(restriction.problem, [1])).items
    array([0, 2])
    """

    original: CoverageProblem
    #: The smaller problem; see `CoverageProblem.restricted_to`.
    problem: CoverageProblem
    #: int64, shape (num_items,): index of each item in the original, ascending.
    items: Ints
    #: int64, original items that every selection takes, ascending.
    taken: Ints

    @classmethod
    def of(cls, original: CoverageProblem, items: Ints, taken: Ints) -> Restriction:
        """Restrict a problem; both lists of items must be sorted and disjoint."""
        smaller = original.restricted_to(items, taken)
        return cls(original, smaller, frozen(items.copy()), frozen(taken.copy()))

    def restored(self, selection: Selection) -> Selection:
        """Selection of the original problem: the taken items and these."""
        chosen = self.items[selection.items]
        return Selection(self.original, distinct(chosen, self.taken))

    def reduced(self, selection: Selection) -> Selection | None:
        """The free items of an original selection, or None if they do not fit."""
        inside = np.flatnonzero(np.isin(self.items, selection.items))
        found = Selection(self.problem, inside)
        return found if found.is_feasible else None

    @property
    def base_value(self) -> float:
        """Weight that the taken items cover."""
        return Selection(self.original, self.taken).value
