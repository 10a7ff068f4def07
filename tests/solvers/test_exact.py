import pytest
from problems import random_problem

from thatch import (
    CoverageProblem,
    Exact,
    Exhaustive,
    InputError,
    Selection,
    StaticGreedy,
    Status,
    TargetValue,
    solve,
)
from thatch.instances.random_graphs import BiregularGraph


@pytest.fixture(scope="module")
def hard():
    """A problem that HiGHS cannot prove in a moment."""
    graph = BiregularGraph(
        num_items=400, num_elements=400, item_degree=20, element_degree=20
    )
    return graph.problem(budget=60, seed=0)


def test_a_time_limit_leaves_a_selection_and_a_bound(hard):
    result = solve(hard, Exact(), max_seconds=0.3)
    assert result.status is Status.TIME_LIMIT
    assert result.selection.is_feasible
    assert result.selection.value < result.upper_bound <= hard.weights.sum()


def test_the_answer_is_never_below_the_start(hard):
    start = solve(hard, StaticGreedy()).selection
    result = solve(hard, Exact(start=start), max_seconds=0.0)
    assert result.selection.value >= start.value


def test_a_target_stops_the_search_early(hard):
    start = solve(hard, StaticGreedy()).selection
    target = TargetValue(start.value + 1)
    result = solve(hard, Exact(start=start), stop=[target], max_seconds=30)
    assert result.status is Status.TARGET_REACHED
    assert result.selection.value > start.value


def test_a_start_above_the_budget_is_refused(hard):
    everything = Selection.of(hard, range(hard.num_items))
    with pytest.raises(InputError, match="start must cost at most the budget 60"):
        solve(hard, Exact(start=everything))


@pytest.mark.parametrize("unit", [1e-12, 1e-3, 1e12])
def test_the_unit_of_costs_and_weights_does_not_matter(unit):
    for seed in range(10):
        problem = random_problem(seed)
        scaled = CoverageProblem(
            problem.costs * unit,
            problem.weights / unit,
            problem.budget * unit,
            problem.edges,
        )
        expected = solve(scaled, Exhaustive()).selection.value
        assert solve(scaled, Exact()).selection.value == pytest.approx(
            expected, rel=1e-9
        )


def test_costs_within_the_tolerance_of_highs_still_count():
    """A cost above the budget by 1e-9 of it: HiGHS would let it pass."""
    problem = CoverageProblem.from_sets(
        [["a"], ["b"], ["c"]],
        costs=[1.0, 1.0 + 1e-9, 0.5],
        budget=2.0,
        weights={"a": 5, "b": 5, "c": 1},
    )
    result = solve(problem, Exact())
    assert result.selection.is_feasible
    assert result.selection.value == 6.0
    assert result.status is Status.OPTIMAL


def test_solvers_are_plain_records():
    assert Exact() == Exact()
    assert hash(Exact()) == hash(Exact())
