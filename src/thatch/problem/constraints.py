"""Constraints on selections, besides the budget."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from thatch.arrays import Floats, Indices, Ints, distinct, exact_sum, frozen
from thatch.machine.caching import cached_property


class ConstraintKind(enum.Enum):
    """What a constraint limits, as solvers and messages name it."""

    REQUIRED = "required items"
    FORBIDDEN = "forbidden items"
    AT_MOST = "at most k items per group"
    AT_LEAST = "at least k items per group"
    BUDGETS = "several budgets"
    DEMANDS = "demands"
    PREREQUISITES = "prerequisites"
    CONFLICTS = "conflicts"


#: Constraints that leave a smaller problem without them: any solver keeps these.
DECIDED = frozenset({ConstraintKind.REQUIRED, ConstraintKind.FORBIDDEN})
#: Constraints that fast solvers keep.
LIMITS = frozenset({ConstraintKind.AT_MOST})
#: All of them, for solvers with an integer program.
ALL = frozenset(ConstraintKind)


def _no_items() -> Ints:
    return frozen(np.zeros(0, dtype=np.int64))


def _no_pairs() -> Ints:
    return frozen(np.zeros((0, 2), dtype=np.int64))


@dataclass(frozen=True, eq=False)
class Groups:
    """Items in groups, with limits on how many of each group are chosen.

    Items that are in no group form the last one, which has no limits.
    """

    #: int32, shape (num_items,): the group of each item.
    group: Indices
    #: int32, shape (num_groups,): how many items of a group may be chosen.
    at_most: Indices
    #: int32, shape (num_groups,): how many must be chosen.
    at_least: Indices
    #: One name per group but the last.
    names: tuple[str, ...] = ()

    @property
    def has_at_most(self) -> bool:
        """Whether a group has an upper limit that its size does not imply."""
        return bool((self.at_most < self.sizes).any())

    @property
    def has_at_least(self) -> bool:
        """Whether a group has a lower limit."""
        return bool((self.at_least > 0).any())

    @cached_property
    def sizes(self) -> Ints:
        """How many items each group has."""
        return self.counts(np.arange(self.group.size))

    def counts(self, items: Ints) -> Ints:
        """How many of the items each group has: int64, shape (num_groups,)."""
        return np.bincount(self.group[items], minlength=self.at_most.size)

    def restricted_to(self, items: Ints, taken: Ints) -> Groups:
        """The groups of some items, when others are taken."""
        spent = self.counts(taken)
        return Groups(
            frozen(self.group[items]),
            frozen(np.maximum(self.at_most - spent, 0).astype(np.int32)),
            frozen(np.maximum(self.at_least - spent, 0).astype(np.int32)),
            self.names,
        )


@dataclass(frozen=True, eq=False)
class Budget:
    """A further budget: what the chosen items may cost in another unit."""

    name: str
    #: float64, shape (num_items,): finite and non-negative.
    costs: Floats
    limit: float


@dataclass(frozen=True, eq=False)
class Constraints:
    """What a selection must meet besides the budget; see `with_constraints`.

    >>> from thatch import CoverageProblem
    >>> problem = CoverageProblem.from_sets([{0}, {0, 1}, {2}], budget=2)
    >>> constrained = problem.with_constraints(required=[0], conflicts=[(1, 2)])
    >>> [kind.value for kind in constrained.constraints.kinds]
    ['required items', 'conflicts']
    """

    #: int64: items that every selection contains, ascending.
    required: Ints = field(default_factory=_no_items)
    #: int64: items that no selection contains, ascending.
    forbidden: Ints = field(default_factory=_no_items)
    #: Limits per group, if there are any.
    groups: Groups | None = None
    #: Further budgets.
    budgets: tuple[Budget, ...] = ()
    #: int32, shape (num_elements,): how many chosen items must cover an element
    #: before it counts; None if one is enough for all.
    demands: Indices | None = None
    #: int64, shape (n, 2): an item, and another that it needs.
    prerequisites: Ints = field(default_factory=_no_pairs)
    #: int64, shape (n, 2): two items that exclude each other.
    conflicts: Ints = field(default_factory=_no_pairs)

    @cached_property
    def kinds(self) -> tuple[ConstraintKind, ...]:
        """Which kinds of constraints there are."""
        groups, kind = self.groups, ConstraintKind
        is_used = {
            kind.REQUIRED: self.required.size > 0,
            kind.FORBIDDEN: self.forbidden.size > 0,
            kind.AT_MOST: groups is not None and groups.has_at_most,
            kind.AT_LEAST: groups is not None and groups.has_at_least,
            kind.BUDGETS: bool(self.budgets),
            kind.DEMANDS: self.demands is not None,
            kind.PREREQUISITES: len(self.prerequisites) > 0,
            kind.CONFLICTS: len(self.conflicts) > 0,
        }
        return tuple(each for each, used in is_used.items() if used)

    def violations(self, items: Ints, labels: Sequence[str | int]) -> Iterator[str]:
        """Say which constraints the items violate.

        Parameters
        ----------
        items
            The chosen items, ascending.
        labels
            One name or index per item of the problem.
        """
        for i in np.setdiff1d(self.required, items).tolist():
            yield f"it lacks the required item {labels[i]!r}"
        for i in np.intersect1d(self.forbidden, items).tolist():
            yield f"it contains the forbidden item {labels[i]!r}"
        if self.groups is not None:
            yield from _group_violations(self.groups, items)
        for budget in self.budgets:
            cost = exact_sum(budget.costs[items])
            if cost > budget.limit:
                yield f"its {budget.name} is {cost:g}, which exceeds {budget.limit:g}"
        is_chosen = np.zeros(len(labels), dtype=bool)
        is_chosen[items] = True
        one, other = self.prerequisites.T
        for i, j in self.prerequisites[is_chosen[one] & ~is_chosen[other]].tolist():
            yield f"{labels[i]!r} needs {labels[j]!r}, which it lacks"
        one, other = self.conflicts.T
        for i, j in self.conflicts[is_chosen[one] & is_chosen[other]].tolist():
            yield f"{labels[i]!r} and {labels[j]!r} exclude each other"


def _group_violations(groups: Groups, items: Ints) -> Iterator[str]:
    counts = groups.counts(items)
    for g in np.flatnonzero(counts > groups.at_most).tolist():
        yield (
            f"it has {counts[g]} items of group {groups.names[g]!r}, which exceeds "
            f"{groups.at_most[g]}"
        )
    for g in np.flatnonzero(counts < groups.at_least).tolist():
        yield (
            f"it has {counts[g]} items of group {groups.names[g]!r}, fewer than "
            f"{groups.at_least[g]}"
        )


def with_decided(
    constraints: Constraints | None,
    *,
    required: Ints | None = None,
    forbidden: Ints | None = None,
) -> Constraints:
    """The constraints with further required and forbidden items.

    >>> with_decided(None, required=np.array([2])).required
    array([2])
    """
    former = Constraints() if constraints is None else constraints
    none = _no_items()
    return replace(
        former,
        required=frozen(
            distinct(former.required, none if required is None else required)
        ),
        forbidden=frozen(
            distinct(former.forbidden, none if forbidden is None else forbidden)
        ),
    )
