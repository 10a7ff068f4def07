"""Constraints as callers give them: by name or index, checked and converted."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from thatch.arrays import (
    Flags,
    Floats,
    Indices,
    Ints,
    frozen,
    number,
    require_finite_and_not_negative,
    require_finite_sum,
)
from thatch.errors import InputError, InputTypeError
from thatch.problem.constraints import Budget, Constraints, Groups
from thatch.problem.inputs import aligned, require_length

if TYPE_CHECKING:
    from thatch.problem.inputs import Values

    #: An item or element, by name or index.
    Label = str | int
    #: Members per group, or one group per item.
    GroupInput = Mapping[Any, Iterable[Label]] | Sequence[Hashable]
    #: A limit for all groups, or one per group.
    LimitInput = int | Mapping[Any, int]
    #: Costs and limit of each further budget, by name.
    BudgetInput = Mapping[str, tuple[Any, float]]


class ConstraintReader:
    """Reads the constraints of one problem.

    Parameters
    ----------
    num_items, num_elements
        The size of the problem.
    item_names, element_names
        Their names, if they have any.
    """

    def __init__(
        self,
        num_items: int,
        num_elements: int,
        item_names: Sequence[str] | None,
        element_names: Sequence[str] | None,
    ) -> None:
        self._num_items = num_items
        self._num_elements = num_elements
        self._item_names = item_names
        self._element_names = element_names
        self._number_of = {name: i for i, name in enumerate(item_names or ())}

    def require_consistent(self, constraints: Constraints) -> None:
        """Require that no item is both required and forbidden."""
        both = np.intersect1d(constraints.required, constraints.forbidden)
        if both.size:
            raise InputError(
                f"item {self._label(int(both[0]))!r} is both required and forbidden.",
                hint="Remove it from one of the lists.",
            )

    def _label(self, i: int) -> str | int:
        return i if self._item_names is None else self._item_names[i]

    def _item(self, name: str, label: object) -> int:
        """The index of an item that is given by name or index."""
        if isinstance(label, str):
            if label in self._number_of:
                return self._number_of[label]
            hint = "Check the spelling."
            if self._item_names is None:
                hint = "Items have no names: pass their indices, which start at 0."
            raise InputError(
                f"{name} contains {label!r}, which is not an item.", hint=hint
            )
        if isinstance(label, bool | np.bool_) or not isinstance(
            label, int | np.integer
        ):
            raise InputTypeError(
                f"{name} contains {label!r}; it must be a list of names or indices.",
                hint="For a mask, pass numpy.flatnonzero(mask).",
            )
        if not 0 <= label < self._num_items:
            raise InputError(
                f"{name} contains item {label}, which does not exist; the problem has "
                f"{self._num_items} items.",
                hint="Check the numbering: it starts at 0.",
            )
        return int(label)

    def items(self, name: str, labels: Iterable[Label]) -> Ints:
        """Indices of items that are given by name or index, ascending."""
        if isinstance(labels, str | bytes) or not isinstance(labels, Iterable):
            raise InputTypeError(
                f"{name} is {labels!r}; it must be a list of names or indices.",
                hint="Write it in brackets.",
            )
        found = {self._item(name, label) for label in labels}
        return frozen(np.array(sorted(found), dtype=np.int64))

    def pairs(self, name: str, pairs: Iterable[tuple[Label, Label]]) -> Ints:
        """Pairs of items that are given by name or index: shape (num_pairs, 2)."""
        if isinstance(pairs, Mapping):
            pairs = list(pairs.items())
        found: list[tuple[int, int]] = []
        given: Iterable[Any] = pairs
        for pair in given:
            try:
                one, other = pair
                is_text = isinstance(pair, str)  # two letters are no pair of names
            except (TypeError, ValueError):
                is_text = True
            if is_text:
                raise InputTypeError(
                    f"{name} contains {pair!r}; it must be a list of pairs of items.",
                    hint="Write (one, other) for each.",
                )
            ends = self._item(name, one), self._item(name, other)
            if ends[0] == ends[1]:
                raise InputError(
                    f"{name} pairs item {one!r} with itself.", hint="Remove the pair."
                )
            found.append(ends)
        return frozen(np.array(sorted(set(found)), dtype=np.int64).reshape(-1, 2))

    def groups(
        self,
        groups: GroupInput | None,
        at_most: LimitInput | None,
        at_least: LimitInput | None,
    ) -> Groups | None:
        """Groups that are given as one per item or by their members, with limits."""
        limits = {"at_most": at_most, "at_least": at_least}
        given = [name for name, limit in limits.items() if limit is not None]
        if groups is None:
            if given:
                raise InputError(
                    f"{given[0]} is {limits[given[0]]!r}, but there are no groups.",
                    hint="Pass groups, one per item or as a mapping.",
                )
            return None
        if not given:
            raise InputError(
                "groups have no limit.", hint="Pass at_most, at_least or both."
            )
        if not isinstance(groups, Mapping) and hasattr(groups, "tolist"):
            groups = groups.tolist()
        names, group = self._numbered_groups(groups)
        sizes = np.bincount(group, minlength=len(names) + 1)
        most = _limits("at_most", at_most, names, default=sizes)
        least = _limits("at_least", at_least, names, default=np.zeros_like(sizes))
        for g in np.flatnonzero(least > np.minimum(most, sizes)).tolist():
            reason = f"it has {sizes[g]} items"
            if most[g] < sizes[g]:
                reason = f"at most {most[g]} are allowed"
            raise InputError(
                f"group {names[g]!r} must have at least {least[g]} items, but "
                f"{reason}.",
                hint="Correct one of the limits.",
            )
        return Groups(frozen(group), frozen(most), frozen(least), tuple(names))

    def _numbered_groups(self, groups: GroupInput) -> tuple[list[str], Indices]:
        """Names of the groups, and the number of each item's group."""
        if isinstance(groups, str | bytes) or not isinstance(
            groups, Mapping | Sequence | np.ndarray
        ):
            raise InputTypeError(
                f"groups is {groups!r}; it must be a list with one group per item, or "
                "a mapping from groups to items.",
                hint='Write {"north": [0, 1]}, for example.',
            )
        members: dict[str, list[int]] = {}
        if isinstance(groups, Mapping):
            for name, items in groups.items():
                if str(name) in members:
                    raise InputError(
                        f"two groups are called {str(name)!r}.", hint="Rename one."
                    )
                members[str(name)] = self.items(f"group {name!r}", items).tolist()
        else:
            require_length("groups", len(groups), "item", self._num_items)
            for i, name in enumerate(groups):
                # A missing value of a data frame is not equal to itself.
                if name is not None and name == name:
                    members.setdefault(str(name), []).append(i)
        group = np.full(self._num_items, len(members), dtype=np.int32)
        names = list(members)
        for g, items in enumerate(members.values()):
            for i in items:
                if group[i] < len(members):
                    raise InputError(
                        f"item {self._label(i)!r} is in groups {names[group[i]]!r} and "
                        f"{names[g]!r}; an item belongs to one group.",
                        hint="Use budgets for overlapping groups: cost 1 per member.",
                    )
                group[i] = g
        return names, group

    def budgets(self, budgets: BudgetInput | None) -> tuple[Budget, ...]:
        """Budgets that are given by name, with costs and a limit."""
        if budgets is None:
            return ()
        if not isinstance(budgets, Mapping):
            raise InputTypeError(
                f"budgets is {budgets!r:.60}; it must be a mapping from names to costs "
                "and limits.",
                hint='Write {"staff": ([2, 1, 3], 4)}, for example.',
            )
        found: list[Budget] = []
        for name, pair in budgets.items():
            try:
                values, most = pair
            except (TypeError, ValueError):
                raise InputTypeError(
                    f"budget {name!r} is {pair!r:.60}; it must be costs and a limit.",
                    hint="Write (costs, limit).",
                ) from None
            owner = f"costs of {name!r}"
            costs: Floats = aligned(owner, values, "item", self._item_names)
            require_length(owner, costs.size, "item", self._num_items)
            require_finite_and_not_negative(owner, costs, "item", self._item_names)
            limit = number(f"limit of {name!r}", most)
            if not (isfinite(limit) and limit >= 0):
                raise InputError(
                    f"the limit of {name!r} is {limit}; it must be finite and "
                    "non-negative.",
                    hint="Leave the budget out if it has no limit.",
                )
            require_finite_sum(owner, costs)
            if any(each.name == str(name) for each in found):
                raise InputError(
                    f"two budgets are called {str(name)!r}.", hint="Rename one."
                )
            found.append(Budget(str(name), costs, limit))
        return tuple(found)

    def demands(self, demands: int | Values) -> Indices | None:
        """How often elements must be covered; None if once."""
        if demands is None:
            return None
        if isinstance(demands, int | np.integer) and not isinstance(demands, bool):
            values = np.full(self._num_elements, float(demands))
        elif isinstance(demands, Mapping):
            # Elements that are not named count when covered once.
            names = self._element_names
            labels = range(self._num_elements) if names is None else names
            by_label: dict[Any, Any] = dict.fromkeys(labels, 1)
            for label, demand in demands.items():
                by_label[label if names is None else str(label)] = demand
            values = aligned("demands", by_label, "element", names)
        else:
            values = aligned("demands", demands, "element", self._element_names)
        require_length("demands", values.size, "element", self._num_elements)
        is_bad: Flags = ~((values >= 1) & (values == np.floor(values)))
        is_bad |= values > np.iinfo(np.int32).max
        if is_bad.any():
            place = int(np.argmax(is_bad))
            label = self._element_names[place] if self._element_names else place
            raise InputError(
                f"demands[{label!r}] is {values[place]:g}; demands must be integers of "
                "1 or more.",
                hint="An element of demand k counts when k chosen items cover it.",
            )
        if (values == 1).all():
            return None
        return frozen(values.astype(np.int32))


def _limits(
    name: str, given: LimitInput | None, groups: Sequence[str], *, default: Ints
) -> Indices:
    """One limit per group; the last group, items without one, has the default."""
    limits = default.copy()
    if isinstance(given, Mapping):
        number_of = {group: g for g, group in enumerate(groups)}
        for group, limit in given.items():
            if str(group) not in number_of:
                raise InputError(
                    f"{name} has an entry for {group!r}, which is not a group.",
                    hint="Check the spelling, or remove it.",
                )
            limits[number_of[str(group)]] = _limit(f"{name}[{group!r}]", limit)
    elif given is not None:
        limits[:-1] = _limit(name, given)
    return limits.astype(np.int32)


def _limit(name: str, limit: object) -> int:
    value = number(name, limit)
    if not (value >= 0 and value == np.floor(value) and value <= 2**31 - 1):
        raise InputError(
            f"{name} is {limit!r}; it must be an integer of 0 or more.",
            hint="Leave the group out if it has no limit.",
        )
    return int(value)
