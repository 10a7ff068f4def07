"""What follows from the data of a problem, computed once."""

from __future__ import annotations

from math import floor

import numpy as np

from thatch.arrays import (
    Flags,
    Floats,
    Indices,
    Ints,
    exact_sum,
    frozen,
    sum_rounded_up,
)
from thatch.machine.caching import cached_property
from thatch.problem.constraints import Constraints
from thatch.problem.edges import Edges

_NO_GROUPS: Indices = frozen(np.zeros(0, dtype=np.int32))


class DerivedProperties:
    """Base class of `CoverageProblem`: sizes, sums and flags of its data."""

    costs: Floats
    weights: Floats
    budget: float
    edges: Edges
    constraints: Constraints | None

    @property
    def num_items(self) -> int:
        """How many items there are."""
        return self.edges.num_items

    @property
    def num_elements(self) -> int:
        """How many elements there are."""
        return self.edges.num_elements

    @property
    def num_edges(self) -> int:
        """How many edges there are."""
        return self.edges.num_edges

    @cached_property
    def has_integer_weights(self) -> bool:
        """Whether all weights are integers whose sum is exact."""
        is_integer = bool((self.weights == np.floor(self.weights)).all())
        return is_integer and float(self.weights.sum()) < 2.0**53

    @cached_property
    def mean_and_largest_weight(self) -> tuple[float, float]:
        """Mean and maximum of the positive weights; 1 and 0 if there are none."""
        above = self._positive_weights
        return float(above.mean()) if above.size else 1.0, float(above.max(initial=0.0))

    @property
    def _positive_weights(self) -> Floats:
        is_positive = self.weights > 0
        # Most weights are: a copy of many takes longer.
        return self.weights if is_positive.all() else self.weights[is_positive]

    @cached_property
    def affordable_items(self) -> Ints:
        """Items that fit into the budget by themselves, ascending."""
        return np.flatnonzero(self.costs <= self.budget)

    @cached_property
    def reachable_elements(self) -> Flags:
        """Elements that an affordable item covers: bool, shape (num_elements,)."""
        edges = self.edges
        is_affordable = self.costs <= self.budget
        if is_affordable.all():
            return frozen(edges.element_degrees > 0)
        ends = np.repeat(np.arange(edges.num_elements), edges.element_degrees)
        reached = np.zeros(edges.num_elements, dtype=bool)
        reached[ends[is_affordable[edges.element_items]]] = True
        return frozen(reached)

    @cached_property
    def reachable_weight(self) -> float:
        """Weight that all affordable items cover together: no value exceeds it."""
        return self.weight_of(self.reachable_elements)

    @cached_property
    def reachable_bound(self) -> float:
        """The reachable weight, rounded up."""
        return self.bound_of(self.reachable_elements)

    @cached_property
    def counting_error(self) -> float:
        """How much a checker may add to a bound: it counts weights in units.

        A unit is 2^-57 of all weights at least, and each weight is rounded up to one.
        """
        return self.num_elements * self.reachable_weight * 2.0**-56

    @cached_property
    def has_exact_costs(self) -> bool:
        """Whether costs can be summed in any order without rounding."""
        is_integer = bool((self.costs == np.floor(self.costs)).all())
        return is_integer and float(self.costs.sum()) < 2.0**53

    def rounded_bound(self, bound: float) -> float:
        """Round an upper bound down to a value that a selection can have.

        To an integer, if values are integers, or to 0 below the smallest weight.
        """
        if bound < self.smallest_weight:
            return 0.0
        is_integer = self.has_integer_weights and bound < 2.0**53
        return float(floor(bound)) if is_integer else bound

    @cached_property
    def smallest_weight(self) -> float:
        """The smallest positive weight; infinite if there is none."""
        return float(self._positive_weights.min(initial=np.inf))

    def weight_of(self, covered: np.ndarray) -> float:
        """Total weight of the marked elements, rounded once."""
        if self.has_integer_weights:
            # Exact in any order; selecting from a large array takes longer.
            return float((self.weights * covered).sum())
        return exact_sum(self.weights[covered])

    def bound_of(self, covered: np.ndarray) -> float:
        """The smallest double that the total weight of the elements does not exceed."""
        if self.has_integer_weights:
            return self.weight_of(covered)
        return sum_rounded_up(self.weights[covered].tolist())

    @cached_property
    def group_limits(self) -> tuple[Indices, Indices]:
        """For kernels: the group of each item, and the upper limit of each group.

        Both are empty if no group has a limit.
        """
        groups = None if self.constraints is None else self.constraints.groups
        if groups is None or not groups.has_at_most:
            return _NO_GROUPS, _NO_GROUPS
        return groups.group, groups.at_most
