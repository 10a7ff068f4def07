import numpy as np
import pytest
from cases import for_each
from hypothesis import given
from hypothesis import strategies as st
from problems import random_problem
from refusals import refused
from scipy.optimize import linprog

from thatch import CoverageProblem, InputError, Selection, Status, arrays, solve
from thatch.errors import InputTypeError
from thatch.problem.instances import toy
from thatch.solvers.bounds import (
    dual_bound,
    first_order_bound,
    lp_bound,
    residual_bound,
)
from thatch.solvers.bounds.dual_bounds import critical_price


def relaxation(problem):
    """Optimum of the linear relaxation by SciPy."""
    n, m = problem.num_items, problem.num_elements
    rows = np.zeros((m + 1, n + m))
    for a in range(m):
        rows[a, problem.edges.items_of(a)] = -1.0
        rows[a, n + a] = 1.0
    rows[m, :n] = problem.costs
    limits = [(0, 1 if c <= problem.budget else 0) for c in problem.costs] + [
        (0, 1)
    ] * m
    answer = linprog(
        np.r_[np.zeros(n), -problem.weights],
        A_ub=rows,
        b_ub=np.r_[np.zeros(m), problem.budget],
        bounds=limits,
    )
    return -answer.fun


@for_each("seed", range(40))
def test_the_lp_bound_is_the_optimum_of_the_relaxation(seed):
    problem = random_problem(seed)
    expected = relaxation(problem)
    if problem.has_integer_weights:
        expected = np.floor(expected + 1e-6)
    assert lp_bound(problem) == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_an_lp_without_time_still_gives_a_bound():
    problem = random_problem(12)
    assert lp_bound(problem, max_seconds=0.0) >= lp_bound(problem)


def test_multipliers_of_zero_give_the_weight_of_all_that_can_be_covered():
    problem = CoverageProblem.from_sets(
        [["a"], ["b"]], budget=1, costs=[1, 5], weights={"a": 2, "b": 3, "c": 4}
    )
    assert dual_bound(problem, np.zeros(3)) == 2.0


def test_multipliers_are_clipped_to_what_keeps_the_bound_true():
    problem = random_problem(8)
    wild = np.random.default_rng(0).normal(0, 100, problem.num_elements)
    kept = np.clip(wild, 0, problem.weights)
    assert dual_bound(problem, wild) == dual_bound(problem, kept)


def test_the_residual_bound_of_a_complete_cover_is_its_value():
    problem = random_problem(9).with_budget(1e9)
    everything = Selection.of(problem, range(problem.num_items))
    assert residual_bound(problem, everything) == everything.bound


def sorted_price(ratios, costs, budget):
    """The ratio of the first item that does not fit, in descending order."""
    spent = 0.0
    for ratio, cost in sorted(zip(ratios, costs, strict=True), key=lambda x: -x[0]):
        spent += cost
        if spent > budget:
            return ratio
    return 0.0


@given(
    items=st.lists(st.tuples(st.integers(0, 30), st.integers(1, 5)), max_size=60),
    budget=st.integers(0, 120),
    scale=st.sampled_from([1.0, 2.0**-900, 2.0**900]),
    most_sorted=st.sampled_from([1, 8, 50_000]),
)
def test_a_critical_price_is_found_by_its_digits(items, budget, scale, most_sorted):
    ratios = np.array([ratio for ratio, _ in items], dtype=float) * scale
    costs = np.array([cost for _, cost in items], dtype=float)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "_MIN_TO_COUNT_DIGITS", most_sorted)
        found = critical_price(ratios * costs, costs, budget=float(budget))
    expected = sorted_price((ratios * costs) / costs, costs, budget)
    assert found == expected


def test_the_critical_price_is_zero_when_everything_fits():
    assert critical_price(np.array([3.0]), np.array([1.0]), budget=1.0) == 0.0
    assert critical_price(np.array([]), np.array([]), budget=1.0) == 0.0


def test_each_half_of_the_residual_bound_can_be_the_tighter():
    apart = CoverageProblem.from_matrix(np.eye(4), weights=[4, 3, 2, 1], budget=2)
    nothing = Selection.of(apart, [])
    # On top of nothing the bound is exact; on top of the worst item it is not.
    assert residual_bound(apart, nothing) == 7.0
    assert residual_bound(apart, Selection.of(apart, [3])) == 7.0
    star = toy.star(10)
    best = Selection.of(star.problem, [0, 1, 2])
    assert residual_bound(star.problem, best) == 16.0
    assert residual_bound(star.problem, Selection.of(star.problem, [])) == 20.0


def test_sums_beyond_a_double_leave_the_weight_in_reach():
    problem = CoverageProblem.from_matrix(np.ones((3, 1)), weights=[1e308], budget=9)
    assert dual_bound(problem, problem.weights) == 1e308
    assert solve(problem).status is Status.OPTIMAL


@pytest.mark.parametrize(
    ("multipliers", "facts"),
    [([1.0], ("1 multipliers", "3 elements")), ([1.0, np.nan, 1.0], ("[1]", "NaN"))],
)
def test_invalid_multipliers_are_refused(multipliers, facts):
    problem = CoverageProblem.from_matrix(np.eye(3), budget=1)
    with refused(InputError, *facts):
        dual_bound(problem, multipliers)


@pytest.mark.parametrize(
    ("setting", "facts"),
    [
        ({"iterations": -1}, ("iterations", -1)),
        ({"num_threads": 0}, ("threads", 0)),
        ({"num_threads": 2.5}, ("threads", 2.5)),
        ({"iterations": 2.5}, ("iterations", 2.5)),
        ({"num_threads": "2"}, ("threads", "'2'")),
    ],
)
def test_impossible_settings_of_the_first_order_bound_are_refused(setting, facts):
    with refused((InputError, InputTypeError), *facts):
        first_order_bound(toy.star(4).problem, **setting)
