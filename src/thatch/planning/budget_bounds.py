"""Bounds for many budgets where there is no time for a descent for each."""

from __future__ import annotations

from collections.abc import Sequence

from thatch.problem.coverage_problem import CoverageProblem
from thatch.run.certificates import Certificate
from thatch.run.run import Run
from thatch.solvers.bounds.dual_bounds import DualPoint
from thatch.solvers.certifying import certificate_of

# What evaluating multipliers takes on a slow core: sums over the edges, and prices of
# groups, for which items are sorted some ten times.
_SECONDS_PER_EDGE, _SECONDS_PER_ITEM_IN_GROUPS = 5e-8, 3e-6


def bounds_of_budgets(
    problems: Sequence[CoverageProblem], run: Run
) -> list[tuple[float, Certificate]]:
    """One bound per problem, and what shows it.

    Problems differ in their budgets, which ascend. The weights themselves are the
    multipliers. Where the run has no time to find the price of a budget, that of the
    budget before is used: what can be spent in addition is worth at most that.

    >>> problem = CoverageProblem.from_sets([{0, 1}, {1, 2}, {3}], budget=1)
    >>> found = bounds_of_budgets([problem, problem.with_budget(2)], Run())
    >>> [bound for bound, _ in found]
    [2.0, 4.0]
    """
    known, point = problems[0], DualPoint.at(problems[0], problems[0].weights)
    bounds = []
    for problem in problems:
        seconds = _SECONDS_PER_EDGE * problem.num_edges
        if problem.constraints is not None:
            seconds += _SECONDS_PER_ITEM_IN_GROUPS * problem.num_items
        if problem is not known and run.seconds_left > seconds:
            known, point = problem, DualPoint.at(problem, problem.weights)
        bound = problem.reachable_bound
        # A larger budget may afford items that were not among the others.
        if known.affordable_items.size == problem.affordable_items.size:
            more = problem.budget - known.budget
            # Rounded up.
            reached = (point.bound + point.price * more) * (1.0 + 1e-15)
            bound = min(bound, reached)
        bounds.append((problem.rounded_bound(bound), certificate_of(point)))
    return bounds
