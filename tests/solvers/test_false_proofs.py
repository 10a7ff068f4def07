"""Problems whose proofs were wrong once: their numbers differ by many digits, or few.

All costs and weights are exactly the doubles that are written here. Bounds hold for
exact sums, and what is called optimal is the correctly rounded optimum.
"""

from fractions import Fraction

import pytest
from cases import for_each

from thatch import CoverageProblem, Selection, Status, cover, solve
from thatch.planning import sweep
from thatch.solvers.registry import solver_names


def exact_sum(values):
    return sum(map(Fraction, values))


@pytest.fixture
def demanding():
    """Items 0, 2, 7 and 8 cost 4.0000001, and cover all ten elements."""
    every = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    most = [0, 1, 2, 3, 4, 6, 7, 8, 9]
    sets = [
        [0, 3, 5, 6, 7, 8],
        [],
        most,
        [2],
        most,
        [2, 7, 9],
        [0, 1, 3, 4, 7, 9],
        every,
        [0, 1, 3, 5, 6, 8],
    ]
    problem = CoverageProblem.from_sets(
        sets, costs=[1, 1, 1, 1, 1, 1, 1, 1.0000001, 1], weights=[1] * 10, budget=5
    )
    return problem.with_constraints(demands=[2, 3, 1, 1, 1, 3, 3, 1, 2, 1])


@pytest.mark.parametrize("solver", ["auto", "exact"])
def test_a_cost_that_differs_by_a_hair_hides_no_selection(demanding, solver):
    result = solve(demanding, solver)
    assert result.upper_bound >= 10
    if result.status is Status.OPTIMAL:
        assert result.selection.value == 10


@pytest.mark.parametrize("solver", ["auto", "exact"])
def test_a_cost_a_little_above_an_integer_hides_no_selection(solver):
    """The first item fits by itself, and covers everything."""
    problem = CoverageProblem.from_sets(
        [[0, 1, 2, 3], [0, 1, 2], [0, 1, 2], [0, 1, 2]],
        costs=[2.000000002, 1.0, 2.0, 3.0],
        budget=3,
    ).with_constraints(budgets={"staff": ([1, 1, 1, 1], 4.000000000004)})
    result = solve(problem, solver)
    assert result.upper_bound >= 4
    if result.status is Status.OPTIMAL:
        assert result.selection.value == 4


@pytest.mark.parametrize("solver", ["auto", "exact"])
def test_costs_around_1_hide_no_selection(solver):
    """Item 5 needs 2, which needs 1, which needs 0: together they cost 4.0000002."""
    problem = CoverageProblem.from_sets(
        [[], [0], [], [0], [], [1]],
        costs=[1.0, 1.0, 1.0000001, 0.9999999, 0.9999999, 1.0000001],
        budget=5,
    ).with_constraints(forbidden=[4], prerequisites=[(1, 0), (1, 2), (2, 1), (5, 2)])
    best = Selection(problem, [0, 1, 2, 5])
    assert best.is_feasible
    assert best.value == 2
    result = solve(problem, solver)
    assert result.upper_bound >= 2
    if result.status is Status.OPTIMAL:
        assert result.selection.value == 2


@pytest.mark.parametrize("solver", ["auto", "exact"])
def test_a_limit_that_is_met_exactly_is_not_a_contradiction(solver):
    """Items 0, 1, 3, 4 and 5 cost just what the second budget allows."""
    large, small = 1e9, 1e-6
    staff = [small, large, large, small, small, 1.0, 1.0]
    problem = CoverageProblem.from_sets([[], [], [], [], [], [], [0]], budget=7)
    problem = problem.with_constraints(
        budgets={"staff": (staff, 1000000001.000003)},
        groups=["a", "b", "b", "b", "a", "b", "a"],
        at_least={"a": 2, "b": 3},
    )
    assert Selection(problem, [0, 1, 3, 4, 5]).is_feasible
    result = solve(problem, solver)
    assert result.selection.is_feasible


# Weights of which the small one is lost beside the large one.
SETS, COSTS = [[], [0, 1], [0], [2]], [1, 2, 1, 9]


@pytest.mark.parametrize("weights", [(3e9, 1.0, 0.5), (2e9, 0.5, 1.0), (1e9, 0.002, 1)])
def test_a_sweep_with_required_items_keeps_its_bounds_valid(weights):
    problem = CoverageProblem.from_sets(SETS, costs=COSTS, weights=weights, budget=6)
    (result,) = sweep(problem.with_constraints(required=[0]), [3.0000001])
    assert result.upper_bound >= weights[0] + weights[1]
    if result.status is Status.OPTIMAL:
        assert result.selection.value == weights[0] + weights[1]


def test_a_sweep_does_not_lose_a_small_weight():
    problem = CoverageProblem.from_sets(
        [[], [0], [1], [], [1, 2]],
        costs=[1, 1, 1, 1, 2],
        weights=[0.003, 765366.0, 22419.0],
        budget=6,
    )
    found = sweep(problem, [1.2, 3, 6])
    for result, best in zip(found, [765366.0, 787785.003, 787785.003], strict=True):
        assert result.upper_bound >= best
        if result.status is Status.OPTIMAL:
            assert result.selection.value == best


@pytest.mark.slow
def test_a_cover_of_large_and_tiny_weights_with_a_conflict_is_found():
    """Every item is needed, but for one of the two that exclude each other.

    Without a time limit, the time cannot be over.
    """
    num_small = 7
    problem = CoverageProblem.from_sets(
        [*([a] for a in range(1 + num_small)), [1]],
        weights=[1e9] + [1e-3] * num_small,
        budget=1,
    ).with_constraints(conflicts=[(1, 1 + num_small)])
    result = cover(problem)
    assert result.selection.covered.all()
    assert result.cost == 1 + num_small


def test_a_cover_need_not_have_more_than_the_weight_asked_for():
    """The first item alone covers a billion: the others add less than rounding."""
    problem = CoverageProblem.from_sets(
        [[0], [1], [2]], weights=[1e9, 1e-9, 1e-9], budget=3
    )
    result = cover(problem, weight=1e9)
    assert result.lower_bound <= 1
    if result.status is Status.OPTIMAL:
        assert result.cost == 1


def test_a_weight_that_some_items_reach_is_not_infeasible():
    """The first two items reach it; the last one, which is not allowed, adds little."""
    problem = CoverageProblem.from_sets(
        [[0, 3], [1], [0, 2]], weights=[2e9, 2e9, 2e-9, 0.002], budget=3
    ).with_constraints(groups=[None, None, "b"], at_most={"b": 0})
    assert cover(problem, weight=4000000000.002).cost == 2


def test_a_prerequisite_hides_no_small_weight():
    problem = CoverageProblem.from_sets(
        [[0], [1], [0]], costs=[0.01, 0.7, 0.0], weights=[1e9, 0.3], budget=1.4
    ).with_constraints(prerequisites=[(1, 0)])
    result = solve(problem, "exact")
    assert result.upper_bound >= 1000000000.3
    if result.status is Status.OPTIMAL:
        assert result.selection.value == 1000000000.3


def test_a_cover_with_constraints_costs_no_more_than_it_must():
    """The last item is not needed for the target, nor by the required one."""
    problem = CoverageProblem.from_sets(
        [[0], [], []], costs=[0.002, 1.0, 4294967296.0], budget=0
    ).with_constraints(required=[1], prerequisites=[(1, 2)])
    result = cover(problem, weight=3.957406960586308e-13)
    assert result.lower_bound <= 4294967297
    if result.status is Status.OPTIMAL:
        assert result.cost == 4294967297


#: The sum of the weights is rounded down: exactly, it is above the value.
ROUNDED_DOWN = CoverageProblem.from_sets([[0, 1, 2]], weights=[0.4, 1.3, 1.2], budget=1)


@for_each("name", solver_names())
def test_a_bound_is_not_below_the_exact_sum(name):
    result = solve(ROUNDED_DOWN, name)
    assert result.selection.value == 2.9
    assert Fraction(result.upper_bound) >= exact_sum([0.4, 1.3, 1.2])
    assert result.gap == 0


def test_a_bound_of_a_cover_is_not_above_the_exact_sum():
    problem = CoverageProblem.from_sets([[0], [1], [2]], costs=[0.1] * 3, budget=1)
    result = cover(problem)
    assert result.cost == 0.30000000000000004
    assert Fraction(result.lower_bound) <= exact_sum([0.1] * 3)
    assert result.gap == 0


def test_what_is_optimal_has_no_gap():
    problem = CoverageProblem.from_sets(
        [[0, 1, 2]], weights=[1.0, 1.0, 1e-6], budget=1
    ).with_constraints(demands=[1, 2, 1])
    result = solve(problem)
    assert result.selection.value == 1.000001
    assert result.status is not Status.OPTIMAL or result.gap == 0
