"""A cover problem in the form in which it is searched and bounded."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce as folded
from math import ceil, frexp, gcd, isfinite, ldexp, log10

import numpy as np

from thatch.arrays import Flags, Floats, Ints, distinct, exact_sum, frozen, number
from thatch.errors import InputError
from thatch.machine.caching import cached_property
from thatch.problem import tolerances
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.solvers.presolve import reduce, with_integer_costs


@dataclass(frozen=True, eq=False)
class CostUnits:
    """Costs counted in units: integers where possible, else of moderate size."""

    #: float64, shape (num_items,).
    costs: Floats
    #: Whether all costs are integers in these units.
    is_integral: bool
    #: A cost in units, times the first and divided by the second, is the cost.
    factor: float
    divisor: float

    @classmethod
    def of(cls, problem: CoverageProblem) -> CostUnits:
        """Units for the costs of a problem.

        >>> CostUnits.of(
        ...     CoverageProblem.from_sets([{0}, {1}], costs=[0.4, 1.2], budget=2)
        ... ).costs
        array([1., 3.])
        """
        whole = with_integer_costs(problem)
        if whole is not None:
            divisor = folded(gcd, whole.costs.astype(np.int64).tolist(), 0) or 1
            largest = int(np.argmax(problem.costs)) if problem.num_items else 0
            if whole.costs.sum() == 0:
                return cls(whole.costs, True, 1.0, 1.0)
            decimals = log10(whole.costs[largest] / problem.costs[largest])
            costs = frozen(whole.costs / divisor)
            return cls(costs, True, float(divisor), 10.0 ** round(decimals))
        exponent = 20 - frexp(float(problem.costs.max()))[1]
        # Two steps, so that neither factor overflows.
        half = exponent // 2
        costs = np.ldexp(np.ldexp(problem.costs, half), exponent - half)
        # What is too small for a double in these units must not become free.
        costs = np.where(problem.costs > 0, np.maximum(costs, 5e-300), 0.0)
        return cls(frozen(costs), False, ldexp(1.0, -half), ldexp(1.0, exponent - half))

    def as_cost(self, units: float) -> float:
        """A number of units as a cost."""
        return units * self.factor / self.divisor


@dataclass(frozen=True, eq=False)
class CoverTask:
    """Items with positive costs, of which the cheapest cover is to be chosen.

    A cover leaves at most the slack uncovered.
    """

    #: Costs are counted in units; the budget has no meaning.
    problem: CoverageProblem
    slack: float
    #: Uncovered weights may be off by much less than this: see `Target`.
    rounding: float
    is_integral: bool
    #: int64, shape (num_items,): index of each item in the original problem.
    items: Ints
    #: int64, original items that are in every cover, ascending.
    taken: Ints

    @classmethod
    def of(
        cls, problem: CoverageProblem, units: CostUnits, target: Target
    ) -> CoverTask:
        """Task without what no cheapest cover needs."""
        free = np.flatnonzero(problem.costs == 0)
        costs = problem.with_costs(units.costs)
        start = cls(
            costs,
            target.slack,
            target.rounding,
            units.is_integral,
            np.arange(problem.num_items),
            free[:0],
        )
        return start.with_taken(free).presolved()

    def presolved(self) -> CoverTask:
        """The task without dominated items, and with those taken that it needs."""
        task = self
        while True:
            task = task.without_dominated()
            forced = task.forced_items()
            if forced.size == 0:
                return task
            task = task.with_taken(forced)

    @property
    def safe_slack(self) -> float:
        """The most weight that a cover that was found leaves uncovered."""
        return self.slack - self.rounding

    @property
    def has_cover(self) -> bool:
        """Whether all items together are a cover."""
        return self.slack >= 0.0

    @property
    def is_trivial(self) -> bool:
        """Whether no further item is needed."""
        return self.problem.reachable_weight <= self.safe_slack or not self.items.size

    @cached_property
    def mandatory(self) -> Flags:
        """Elements that weigh more than the slack: every cover has them."""
        return frozen(self.problem.weights > self.slack)

    def with_taken(self, items: Ints) -> CoverTask:
        """The task in which these items are taken already."""
        if items.size == 0:
            return self
        is_open = np.ones(self.items.size, dtype=np.bool_)
        is_open[items] = False
        return self.with_only(np.flatnonzero(is_open), items)

    def restored(self, items: Ints) -> Ints:
        """Original items of a cover: these and those that are taken."""
        return distinct(self.items[items], self.taken)

    def is_cover(self, items: Ints) -> bool:
        """Whether the items leave at most the slack uncovered."""
        covered = Selection(self.problem, items).covered
        return exact_sum(self.problem.weights[~covered]) <= self.safe_slack

    def with_only(self, items: Ints, taken: Ints) -> CoverTask:
        """The task of choosing among some items when others are taken."""
        both = Selection(self.problem, distinct(items, taken))
        is_lost = ~both.covered & (self.problem.edges.element_degrees > 0)
        lost = exact_sum(self.problem.weights[is_lost])
        return CoverTask(
            self.problem.restricted_to(items, taken),
            self.slack - lost if lost else self.slack,
            self.rounding,
            self.is_integral,
            self.items[items],
            distinct(self.taken, self.items[taken]),
        )

    def without_dominated(self) -> CoverTask:
        """The task without items and elements that others make superfluous."""
        every = self.problem.with_budget(exact_sum(self.problem.costs))
        reduction = reduce(every)
        return CoverTask(
            reduction.problem,
            self.slack,
            self.rounding,
            self.is_integral,
            self.items[reduction.items],
            self.taken,
        )

    def forced_items(self) -> Ints:
        """Items that alone cover an element that every cover has."""
        edges = self.problem.edges
        alone = np.flatnonzero(self.mandatory & (edges.element_degrees == 1))
        return distinct(edges.element_items[edges.element_start[alone]])


@dataclass(frozen=True)
class Target:
    """The weight to cover, and how much may stay uncovered.

    >>> problem = CoverageProblem.from_sets([{0, 1}, {1, 2}, {2, 3, 4}], budget=9)
    >>> Target.of(problem, share=0.5)
    Target(weight=3.0, slack=2.0, rounding=0.0)
    """

    #: The least weight to cover. Integers if the weights are.
    weight: float
    #: The most weight of coverable elements that may stay uncovered.
    slack: float
    #: Sums of uncovered weights may be off by much less than this. Bounds hold for all
    #: that the slack allows; what is found leaves this much of it.
    rounding: float = 0.0

    @classmethod
    def of(
        cls,
        problem: CoverageProblem,
        *,
        share: float | None = None,
        weight: float | None = None,
        coverable: float | None = None,
    ) -> Target:
        """Target of a problem whose items are all affordable.

        The coverable weight is less than what all items cover where constraints say so.

        Raises
        ------
        InputError
            If both are given, or the items together cover less.
        """
        if coverable is None:
            coverable = problem.reachable_weight
        if share is not None and weight is not None:
            raise InputError(
                f"share is {share} and weight is {weight}; only one of them can be "
                "the target.",
                hint="Leave one of them out.",
            )
        if share is not None:
            share = number("share", share)
            if not 0.0 <= share <= 1.0:
                raise InputError(
                    f"share is {share}; it must be between 0 and 1.",
                    hint="Pass 0.95 for 95 %, for example.",
                )
            asked = share * coverable
        elif weight is not None:
            asked = number("weight", weight)
            if not (isfinite(asked) and asked >= 0):
                raise InputError(
                    f"weight is {asked}; it must be finite and non-negative.",
                    hint="Pass a weight of 0 or more.",
                )
        else:
            return cls(coverable, 0.0)
        tolerance = tolerances.DECIMAL_SUMS * coverable
        if asked > coverable + tolerance:
            raise InputError(
                f"weight is {asked:.15g}, but all items together cover only "
                f"{coverable:.15g}.",
                hint="Pass a lower weight, or a share of the coverable weight.",
            )
        asked = min(asked, coverable)
        if problem.has_integer_weights:
            asked = float(ceil(asked - tolerance))
            return cls(asked, coverable - asked)
        if asked == coverable:
            return cls(coverable, 0.0)
        return cls(asked, coverable - asked + tolerance, 0.5 * tolerance)
