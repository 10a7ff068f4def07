"""A cover problem in the form in which it is searched and bounded."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce as folded
from math import ceil, frexp, gcd, isfinite, ldexp, log10

import numpy as np

from thatch.arrays import (
    Flags,
    Floats,
    Indices,
    Ints,
    distinct,
    exact_sum,
    frozen,
    is_at_most,
    number,
    sum_rounded_up,
)
from thatch.errors import InputError
from thatch.machine.caching import cached_property
from thatch.problem import tolerances
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.certificates import Imply, LeaveOut, Take
from thatch.solvers.covering.reducing import Reduction
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


PresolveStep = LeaveOut | Take | Imply


@dataclass(frozen=True, eq=False)
class Presolve:
    """What one presolve has shown, as steps of a certificate."""

    #: int64, the original items that were open before it, ascending.
    items: Ints
    #: In the numbers of the original problem.
    steps: tuple[PresolveStep, ...]


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
    #: int64, one per original element: its number in the problem, or -1.
    elements: Ints
    #: What presolve has left out and taken, in order.
    presolves: tuple[Presolve, ...] = ()
    #: Whether items may be left out because others replace them.
    is_presolved: bool = False

    @classmethod
    def of(
        cls,
        problem: CoverageProblem,
        units: CostUnits,
        target: Target,
        *,
        is_presolved: bool = True,
    ) -> CoverTask:
        """Task without what no cheapest cover needs.

        If it is not presolved, only items without cost and elements without items are
        left out.
        """
        free = np.flatnonzero(problem.costs == 0)
        costs = problem.with_costs(units.costs)
        start = cls(
            costs,
            target.slack,
            target.rounding,
            units.is_integral,
            np.arange(problem.num_items),
            free[:0],
            np.arange(problem.num_elements),
        )
        if is_presolved:
            return start.with_taken(free).presolved()
        start = replace(start, problem=costs.with_budget(exact_sum(costs.costs)))
        if free.size == 0 and (problem.edges.element_degrees > 0).all():
            return start
        return start.with_only(np.flatnonzero(problem.costs > 0), free)

    def presolved(self) -> CoverTask:
        """The task without what others replace, and with those taken that it needs."""
        steps: list[PresolveStep] = []
        task = self.without_dominated(steps)
        if task.slack == 0.0:
            task = task.reduced(steps)
        else:
            while (forced := task.forced_items()).size:
                steps.append(Take(task.items[forced]))
                task = task.with_taken(forced).without_dominated(steps)
        presolve = Presolve(self.items, tuple(steps))
        return replace(task, presolves=(*self.presolves, presolve), is_presolved=True)

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
        return self.problem.reachable_bound <= self.safe_slack or not self.items.size

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
        return is_at_most(self.problem.weights[~covered], self.safe_slack)

    def with_only(self, items: Ints, taken: Ints) -> CoverTask:
        """The task of choosing among some items when others are taken."""
        both = Selection(self.problem, distinct(items, taken))
        is_left = both.covered & ~Selection(self.problem, taken).covered
        is_lost = ~both.covered & (self.problem.edges.element_degrees > 0)
        lost = exact_sum(self.problem.weights[is_lost])
        return replace(
            self,
            problem=self.problem.restricted_to(items, taken),
            slack=self.slack - lost if lost else self.slack,
            items=self.items[items],
            taken=distinct(self.taken, self.items[taken]),
            elements=self._renumbered(np.where(is_left, np.cumsum(is_left) - 1, -1)),
        )

    def part(self, items: Ints) -> CoverTask:
        """The task of covering the elements of some items; no others cover these."""
        problem = self.problem
        edges, is_left = problem.edges.restricted_to(
            items, np.ones(problem.num_elements, dtype=np.bool_)
        )
        costs, weights = problem.costs[items], problem.weights[is_left]
        return replace(
            self,
            problem=CoverageProblem(
                frozen(costs), frozen(weights), problem.budget, edges
            ),
            items=self.items[items],
            elements=self._renumbered(np.where(is_left, np.cumsum(is_left) - 1, -1)),
        )

    def _renumbered(self, numbers: Ints | Indices) -> Ints:
        """The number of each original element, once those of the task have changed."""
        found: Ints = np.append(numbers, -1)[self.elements]
        return found

    def without_dominated(self, steps: list[PresolveStep]) -> CoverTask:
        """The task without items and elements that others make superfluous.

        What replaces items is added to the steps.
        """
        every = self.problem.with_budget(exact_sum(self.problem.costs))
        reduction = reduce(every)
        by = np.append(reduction.items, -1)[reduction.representatives]
        one = np.flatnonzero((by >= 0) & (by != np.arange(by.size)))
        if one.size:
            steps.append(LeaveOut(self.items[np.column_stack([one, by[one]])]))
        return replace(
            self,
            problem=reduction.problem,
            items=self.items[reduction.items],
            elements=self._renumbered(reduction.elements),
        )

    def reduced(self, steps: list[PresolveStep]) -> CoverTask:
        """The task without what a cover of all elements can do without.

        The slack must be 0. The reasons are added to the steps.
        """
        reduction = Reduction.of(self.problem)
        steps += reduction.steps(self.items, self.elements)
        return replace(
            self,
            problem=reduction.problem,
            items=self.items[reduction.items],
            taken=distinct(self.taken, self.items[reduction.taken]),
            elements=self._renumbered(reduction.elements),
        )

    def prices(self, multipliers: Floats, weights: Floats) -> Floats:
        """Multipliers of merged elements for the original ones, by weight."""
        is_open = self.elements >= 0
        inside = self.elements[is_open]
        shares = weights[is_open] / np.maximum(self.problem.weights[inside], 1e-300)
        found = np.zeros(self.elements.size)
        found[is_open] = np.minimum(shares, 1.0) * multipliers[inside]
        return found

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
        share_of: str = "all",
        coverable: Flags | None = None,
    ) -> Target:
        """Target of a problem whose items are all affordable.

        A share is one of all weight, or of the coverable weight. Not all elements that
        items cover are coverable where constraints say so.

        Raises
        ------
        InputError
            If both are given, or the items together cover less.
        """
        if coverable is None:
            coverable = problem.reachable_elements
        weights = problem.weights[coverable]
        total = exact_sum(weights)
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
            whole = exact_sum(problem.weights) if share_of == "all" else total
            _require_coverable(share, whole, total)
            return cls._of_share(problem, share * whole, total)
        if weight is None:
            return cls(total, 0.0)
        asked = number("weight", weight)
        if not (isfinite(asked) and asked >= 0):
            raise InputError(
                f"weight is {asked}; it must be finite and non-negative.",
                hint="Pass a weight of 0 or more.",
            )
        tolerance = tolerances.DECIMAL_SUMS * total
        if asked > total + tolerance:
            raise InputError(
                f"weight is {asked:.15g}, but all items together cover only "
                f"{total:.15g}.",
                hint="Pass a lower weight, or a share of the coverable weight.",
            )
        asked = min(asked, total)
        if problem.has_integer_weights:
            asked = float(ceil(asked - min(tolerance, tolerances.INTEGER)))
        # Weights may be so small that only their exact sum knows them.
        return cls(asked, max(0.0, sum_rounded_up([*weights.tolist(), -asked])))

    @classmethod
    def _of_share(cls, problem: CoverageProblem, asked: float, total: float) -> Target:
        """Target of a share, which may be off by what decimals are rounded to."""
        asked = min(asked, total)
        tolerance = tolerances.DECIMAL_SUMS * total
        if problem.has_integer_weights:
            asked = float(ceil(asked - tolerance))
            return cls(asked, total - asked)
        if asked == total:
            return cls(total, 0.0)
        return cls(asked, total - asked + tolerance, 0.5 * tolerance)


def _require_coverable(share: float, whole: float, total: float) -> None:
    """Require that all items together cover a share of the weight."""
    if share * whole <= total * (1.0 + tolerances.DECIMAL_SUMS):
        return
    raise InputError(
        f"share is {share:.15g}, but all items together cover only "
        f"{total / whole:.4g} of the weight.",
        hint='Pass a lower share, or share_of="coverable" for one of what they cover.',
    )
