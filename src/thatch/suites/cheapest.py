"""The cheapest tests that reach a target, in the same few seconds in every run.

The search of `cover` ends once it has a bound. Then `solve` gets budgets a little above
the bound: on suites, where most lines are covered by few tests, it reaches the target
within a thousandth of it. Nothing depends on the clock, so that all processes of a
parallel run choose the same tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from time import perf_counter

from thatch.arrays import Ints
from thatch.problem.coverage_problem import CoverageProblem
from thatch.run.stopping import (
    MaxIterations,
    StoppingRule,
    TargetValue,
)
from thatch.solvers.auto import Auto
from thatch.solvers.covering.covering import cover
from thatch.solvers.solving import solve

#: A smaller gap is of no use: durations vary by more from run to run.
GAP = 0.001
# A greedy cover and its bound; then a better cover, and the bound again.
_STEPS_OF_SMALL, _STEPS_TO_BOUND = 2, 5
# How far above the bound budgets are tried.
_ABOVE_BOUND = (0.001, 0.003, 0.01, 0.03, 0.1)
_MAX_PROOFS, _LEAST_SAVING = 10, 1e-9


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """When a search stops, and its seed."""

    #: Time of `perf_counter` at which it stops.
    deadline: float | None = None
    stop: Sequence[StoppingRule] = ()
    seed: int = 0

    @classmethod
    def within(
        cls,
        max_seconds: float | None,
        *,
        stop: Sequence[StoppingRule] = (),
        seed: int = 0,
    ) -> SearchLimits:
        """Limits that end this many seconds from now."""
        deadline = None if max_seconds is None else perf_counter() + max_seconds
        return cls(deadline, stop, seed)

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the deadline, if there is one."""
        if self.deadline is None:
            return None
        return max(0.0, self.deadline - perf_counter())

    @property
    def are_over(self) -> bool:
        """Whether the deadline has passed."""
        return self.seconds_left == 0.0


@dataclass(frozen=True, slots=True, eq=False)
class CheapestTests:
    """Items that reach the target, and a bound on the lowest cost."""

    items: Ints
    cost: float
    bound: float

    @property
    def is_close(self) -> bool:
        """Whether the bound is near enough."""
        return self.bound >= (1.0 - GAP) * self.cost

    def improved(self, other: CheapestTests) -> CheapestTests:
        """The cheaper items with the higher bound."""
        better = other if other.cost < self.cost else self
        bound = max(self.bound, other.bound)
        return CheapestTests(better.items, better.cost, min(bound, better.cost))


def cheapest_tests(
    problem: CoverageProblem, target: float, limits: SearchLimits
) -> CheapestTests:
    """Choose the cheapest items that cover the target.

    >>> problem = CoverageProblem.from_sets([{0, 1}, {1, 2}, {2, 3}], budget=0)
    >>> found = cheapest_tests(problem, 3.0, SearchLimits())
    >>> found.cost, found.bound
    (2.0, 2.0)
    """
    # Up to this size, `solve` usually proves its results: a budget just below the cost
    # either improves it or proves it.
    is_small = problem.num_edges <= 3_000
    steps = _STEPS_OF_SMALL if is_small else _STEPS_TO_BOUND
    found = _covered(problem, target, limits, MaxIterations(steps))
    for excess in _ABOVE_BOUND:
        budget = found.bound * (1.0 + excess)
        if found.is_close or budget >= found.cost or limits.are_over:
            break
        found = found.improved(_within(problem.with_budget(budget), target, limits))
        if found.cost <= budget:
            break
    for _ in range(_MAX_PROOFS if is_small else 0):
        if found.is_close or limits.are_over:
            break
        below = problem.with_budget((1.0 - _LEAST_SAVING) * found.cost)
        found = found.improved(_within(below, target, limits))
    is_proved = found.bound >= (1.0 - 2 * _LEAST_SAVING) * found.cost
    return replace(found, bound=found.cost) if is_proved else found


def _covered(
    problem: CoverageProblem, target: float, limits: SearchLimits, rule: StoppingRule
) -> CheapestTests:
    result = cover(
        problem,
        weight=target,
        max_seconds=limits.seconds_left,
        stop=[rule, *limits.stop],
        seed=limits.seed,
        progress=False,
    )
    return CheapestTests(result.selection.items, result.cost, result.lower_bound)


def _within(
    problem: CoverageProblem, target: float, limits: SearchLimits
) -> CheapestTests:
    result = solve(
        problem,
        Auto(effort="fast"),
        max_seconds=limits.seconds_left,
        stop=[TargetValue(target), *limits.stop],
        seed=limits.seed,
        progress=False,
    )
    selection = result.selection
    if selection.value >= target:
        return CheapestTests(selection.items, selection.cost, 0.0)
    # If the budget cannot reach the target, every cover costs more.
    bound = problem.budget if result.upper_bound < target else 0.0
    return CheapestTests(selection.items, inf, bound)
