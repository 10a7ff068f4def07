"""The problem: items with costs, elements with weights, and a budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from thatch.arrays import (
    Floats,
    Ints,
    exact_sum,
    frozen,
    is_frozen,
    number,
    require_finite_and_not_negative,
    require_finite_sum,
)
from thatch.errors import InputError
from thatch.problem import tolerances
from thatch.problem.constraint_inputs import ConstraintReader
from thatch.problem.constraints import (
    DECIDED,
    LIMITS,
    Constraints,
    with_decided,
)
from thatch.problem.derived import DerivedProperties
from thatch.problem.edges import Edges
from thatch.problem.graph_constructors import GraphConstructors
from thatch.problem.inputs import aligned, require_length, require_names
from thatch.problem.locations import Locations
from thatch.problem.notebook import problem_as_html

if TYPE_CHECKING:
    from thatch.problem.constraint_inputs import (
        BudgetInput,
        GroupInput,
        Label,
        LimitInput,
    )
    from thatch.problem.inputs import Values


@dataclass(frozen=True, eq=False)
class CoverageProblem(DerivedProperties, GraphConstructors):
    """A problem: choose items within the budget that cover the most weight.

    The constructor checks everything, and the arrays are read-only.

    >>> problem = CoverageProblem.from_sets(
    ...     {"north": {"a", "b"}, "south": {"b", "c"}},
    ...     budget=1,
    ...     weights={"a": 3, "b": 1, "c": 1},
    ... )
    >>> problem.num_items, problem.num_elements, problem.num_edges
    (2, 3, 4)
    """

    #: float64, shape (num_items,): finite and non-negative.
    costs: Floats
    #: float64, shape (num_elements,): finite and non-negative.
    weights: Floats
    #: Maximum total cost: finite and non-negative.
    budget: float
    #: Which item covers which element.
    edges: Edges
    #: Names of the items, if they have any.
    item_names: tuple[str, ...] | None = None
    #: Names of the elements, if they have any.
    element_names: tuple[str, ...] | None = None
    #: What selections must meet besides the budget; see `with_constraints`.
    constraints: Constraints | None = None
    #: Where items and elements are, if it is known; results can then be mapped.
    locations: Locations | None = None

    def __post_init__(self) -> None:
        # Copies, so that no later write to the caller's arrays changes the problem.
        for name, owner, names in (
            ("costs", "item", self.item_names),
            ("weights", "element", self.element_names),
        ):
            values = getattr(self, name)
            if not (is_frozen(values) and values.dtype == np.float64):
                object.__setattr__(self, name, aligned(name, values, owner, names))
        if not (np.isfinite(self.budget) and self.budget >= 0):
            raise InputError(
                f"budget is {self.budget}; it must be finite and non-negative.",
                hint="Pass a budget of 0 or more.",
            )
        for owner, name, values, names, count in (
            ("item", "costs", self.costs, self.item_names, self.num_items),
            ("element", "weights", self.weights, self.element_names, self.num_elements),
        ):
            require_length(name, len(values), owner, count)
            if names is not None:
                require_length(f"{owner} names", len(names), owner, count)
                require_names(f"{owner} names", names)
            require_finite_and_not_negative(name, values, owner, names)
            require_finite_sum(name, values)
        if self.locations is not None:
            self.locations.require_counts(self.num_items, self.num_elements)

    def with_budget(self, budget: float) -> CoverageProblem:
        """Return the problem with another budget."""
        return replace(self, budget=number("budget", budget))

    def with_costs(self, costs: ArrayLike | Mapping[str, float]) -> CoverageProblem:
        """Return the problem with other costs, in order or by the items' names."""
        return replace(self, costs=aligned("costs", costs, "item", self.item_names))

    def with_constraints(
        self,
        *,
        required: Iterable[Label] = (),
        forbidden: Iterable[Label] = (),
        groups: GroupInput | None = None,
        at_most: LimitInput | None = None,
        at_least: LimitInput | None = None,
        budgets: BudgetInput | None = None,
        demands: int | Values = None,
        prerequisites: Iterable[tuple[Label, Label]] = (),
        conflicts: Iterable[tuple[Label, Label]] = (),
    ) -> CoverageProblem:
        """Return the problem with these constraints instead of its previous ones.

        Items and elements are given by name or index.

        Parameters
        ----------
        required, forbidden
            Items that every selection contains, or none.
        groups
            One group per item (None for no group), or a mapping from groups to items.
        at_most, at_least
            How many items of a group may or must be chosen: one number for all groups,
            or one per group.
        budgets
            Further budgets by name: one cost per item, and the limit.
        demands
            How many chosen items must cover an element before it counts.
        prerequisites
            Pairs of items: the first one needs the second.
        conflicts
            Pairs of items that exclude each other.

        >>> problem = CoverageProblem.from_sets([{0, 1}, {1, 2}, {2, 3}], budget=2)
        >>> near = problem.with_constraints(groups=["a", "a", "b"], at_most=1)
        >>> near.constraints.kinds[0].value
        'at most k items per group'
        """
        reader = self._constraint_reader
        found = Constraints(
            required=reader.items("required", required),
            forbidden=reader.items("forbidden", forbidden),
            groups=reader.groups(groups, at_most, at_least),
            budgets=reader.budgets(budgets),
            demands=reader.demands(demands),
            prerequisites=reader.pairs("prerequisites", prerequisites),
            conflicts=reader.pairs("conflicts", conflicts),
        )
        reader.require_consistent(found)
        return replace(self, constraints=found if found.kinds else None)

    def with_decided(
        self, *, required: Iterable[Label] = (), forbidden: Iterable[Label] = ()
    ) -> CoverageProblem:
        """Return the problem with further required and forbidden items.

        >>> problem = CoverageProblem.from_sets([{0}, {1}, {2}], budget=2)
        >>> problem.with_decided(required=[0]).with_decided(
        ...     forbidden=[2]
        ... ).constraints.required
        array([0])
        """
        reader = self._constraint_reader
        inside = reader.items("required", required)
        outside = reader.items("forbidden", forbidden)
        found = with_decided(self.constraints, required=inside, forbidden=outside)
        reader.require_consistent(found)
        return replace(self, constraints=found if found.kinds else None)

    @property
    def _constraint_reader(self) -> ConstraintReader:
        return ConstraintReader(
            self.num_items, self.num_elements, self.item_names, self.element_names
        )

    def restricted_to(
        self, items: ArrayLike, taken: ArrayLike | None = None
    ) -> CoverageProblem:
        """Return the problem of choosing among some items when others are taken.

        It has no names and no locations, and of the constraints only limits per group.
        `thatch.problem.selection.Restriction` adds the way back.

        Parameters
        ----------
        items
            The items that may be chosen, sorted.
        taken
            The items that are taken already: their elements count no more, and their
            cost is spent.

        >>> problem = CoverageProblem.from_sets([{0, 1}, {1, 2}, {2, 3}], budget=2)
        >>> smaller = problem.restricted_to(np.array([1, 2]), taken=np.array([0]))
        >>> smaller.weights, smaller.budget
        (array([1., 1.]), 1.0)
        """
        items = self._indices(items)
        budget = self.budget
        is_covered = np.zeros(self.num_elements, dtype=np.bool_)
        if taken is not None:
            taken = self._indices(taken)
            is_covered[self.edges.item_elements[self.edges.positions_of(taken)]] = True
            budget -= exact_sum(self.costs[taken])
            if not self.has_exact_costs:
                # Too much rather than too little: a restored selection is checked.
                budget += tolerances.DECIMAL_SUMS * self.budget
        edges, reached = self.edges.restricted_to(items, ~is_covered)
        costs, weights = frozen(self.costs[items]), frozen(self.weights[reached])
        constraints = self._restricted_constraints(items, taken)
        budget = max(0.0, budget)
        return CoverageProblem(costs, weights, budget, edges, constraints=constraints)

    def _restricted_constraints(
        self, items: Ints, taken: ArrayLike | None
    ) -> Constraints | None:
        if self.constraints is None:
            return None
        kept = DECIDED | LIMITS
        for kind in self.constraints.kinds:
            if kind not in kept:
                raise InputError(
                    f"the problem has {kind.value}, which cannot be restricted.",
                    hint="Restrict the problem before adding them.",
                )
        groups = self.constraints.groups
        if groups is None:
            return None
        none = np.zeros(0, dtype=np.int64)
        smaller = groups.restricted_to(items, none if taken is None else taken)  # type: ignore[arg-type]
        return Constraints(groups=smaller) if smaller.has_at_most else None

    def _indices(self, items: ArrayLike) -> Ints:
        indices = np.asarray(items, dtype=np.int64)
        is_outside = (indices < 0) | (indices >= self.num_items)
        if is_outside.any():
            raise InputError(
                f"item {indices[is_outside][0]} does not exist; the problem has "
                f"{self.num_items} items.",
                hint="Check the numbering: it starts at 0.",
            )
        return indices

    def item_label(self, i: int) -> str | int:
        """Name of item i, or its index if items have no names."""
        return i if self.item_names is None else self.item_names[i]

    def __repr__(self) -> str:
        return (
            f"CoverageProblem({self.num_items} items, {self.num_elements} elements, "
            f"{self.num_edges} edges, budget {self.budget:g}{self._shown_constraints})"
        )

    @property
    def _shown_constraints(self) -> str:
        kinds = () if self.constraints is None else self.constraints.kinds
        return "".join(f", {kind.value}" for kind in kinds)

    def _repr_html_(self) -> str:
        return problem_as_html(self)
