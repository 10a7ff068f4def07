import numpy as np
import pytest
from problems import random_problem

from thatch.solvers.bounds import dual_bound
from thatch.solvers.highs.linear_relaxation import relaxed_multipliers


@pytest.mark.parametrize("max_seconds", [600.0, float("inf")])
def test_multipliers_are_the_same_in_a_process_and_in_a_thread(max_seconds):
    problem = random_problem(21)
    multipliers = relaxed_multipliers(problem, max_seconds=max_seconds)
    expected = relaxed_multipliers(problem, max_seconds=float("inf"))
    np.testing.assert_array_equal(multipliers, expected)


def test_without_time_there_are_no_multipliers():
    assert relaxed_multipliers(random_problem(21), max_seconds=0.0) is None


def test_constraints_without_a_price_do_not_raise_the_bound():
    """Multipliers for rows that the bound ignores would be worse."""
    problem = random_problem(21)
    constrained = problem.with_constraints(conflicts=[(0, 1)], required=[2])
    multipliers = relaxed_multipliers(problem, max_seconds=float("inf"))
    same = relaxed_multipliers(constrained, max_seconds=float("inf"))
    expected = dual_bound(problem, multipliers)
    assert dual_bound(constrained, same) == pytest.approx(expected, rel=1e-6)
