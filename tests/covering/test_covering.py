"""Covers against enumeration: reached, never above their bound, optimal if proved."""

import itertools
from math import fsum

from hypothesis import given, settings
from hypothesis import strategies as st
from problems import random_problem

from thatch import Status, cover
from thatch.problem.selection import Selection

TARGETS = [None, 1.0, 0.95, 0.7, 0.5, 0.1, 0.0]


def least_cost(problem, target, coverable):
    """The cost of the cheapest selection that covers the target, by enumeration."""
    slack = coverable - target
    if slack and not problem.has_integer_weights:
        slack += 1e-12 * coverable
    is_coverable = problem.edges.element_degrees > 0
    least = fsum(problem.costs)
    for size in range(problem.num_items + 1):
        for items in itertools.combinations(range(problem.num_items), size):
            selection = Selection.of(problem, items)
            missing = problem.weights[is_coverable & ~selection.covered]
            if selection.cost < least and fsum(missing) <= slack:
                least = selection.cost
    return least


def checked(problem, *, share=None, weight=None, **options):
    """The result of `cover`, compared with enumeration."""
    result = cover(problem, share=share, weight=weight, num_threads=1, **options)
    optimum = least_cost(problem, result.target, result.coverable)
    assert result.selection.value >= result.target - 2e-12 * result.coverable
    assert result.selection.is_feasible
    assert result.cost == fsum(problem.costs[result.selection.items])
    assert result.lower_bound <= optimum * (1 + 1e-12)
    assert result.cost >= optimum
    if result.status is Status.OPTIMAL:
        assert result.cost <= optimum * (1 + 1e-7)
    return result


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), share=st.sampled_from(TARGETS))
def test_small_problems_are_covered_at_the_least_cost(seed, share):
    problem = random_problem(seed, max_items=9, max_elements=12)
    result = checked(problem, share=share)
    assert result.status is Status.OPTIMAL
