from math import inf

import numpy as np
import pytest
from cases import for_each
from problems import random_problem, steiner_triples
from reference import integer_optimum

from thatch import (
    Auto,
    BeliefPropagation,
    CoverageProblem,
    Effort,
    Exact,
    GeneralizedGreedy,
    InputError,
    MaxIterations,
    MaxSeconds,
    Status,
    TargetGap,
    solve,
)
from thatch.errors import InputTypeError
from thatch.problem.instances import toy
from thatch.problem.instances.random_graphs import BiregularGraph, GeometricGraph
from thatch.solvers import Exhaustive
from thatch.solvers.effort import WorkRule

FIG_2 = BiregularGraph(num_items=100, num_elements=300, item_degree=9, element_degree=3)


def test_nothing_claimed_is_wrong_on_many_small_problems():
    for seed in range(1000, 1500):
        problem = random_problem(seed)
        optimum = solve(problem, Exhaustive()).selection.value
        result = solve(problem)
        assert result.selection.is_feasible
        assert result.selection.value <= optimum <= result.upper_bound
        assert result.status is Status.OPTIMAL
        assert result.selection.value == pytest.approx(optimum, rel=1e-8)


@pytest.mark.parametrize("limits", [{}, {"max_seconds": 600.0}], ids=["none", "time"])
def test_a_small_problem_is_proved_that_needs_many_nodes(limits):
    """Two million nodes: more than the rounds of the search would allow."""
    result = solve(steiner_triples(3), **limits)
    assert result.status is Status.OPTIMAL
    assert result.selection.value == 115.0


@pytest.mark.slow
@for_each("seed", range(10))
def test_graphs_of_the_paper_are_solved_to_their_optimum(seed):
    problem = FIG_2.problem(budget=100, seed=seed)
    result = solve(problem)
    assert result.selection.value == integer_optimum(problem) <= result.upper_bound
    if result.status is Status.OPTIMAL:
        assert result.upper_bound == result.selection.value


def test_the_trace_says_how_it_was_proved():
    result = solve(FIG_2.problem(budget=100, seed=3))
    steps = list(dict.fromkeys(reading.step for reading in result.trace))
    assert steps[:3] == ["ggreedy", "local search", "dual descent"]
    assert steps[-1] == "end"


def test_values_never_fall_and_bounds_are_never_below_the_answer(hard):
    for problem in (hard, FIG_2.problem(budget=100, seed=3)):
        result = solve(problem, max_seconds=2.0)
        values = [reading.value for reading in result.trace]
        assert values == sorted(values)
        assert values[-1] == result.selection.value
        assert all(
            reading.upper_bound >= result.selection.value for reading in result.trace
        )


def test_without_a_time_limit_the_same_seed_gives_the_same_answer_twice():
    problem = FIG_2.problem(budget=60, seed=5)
    one, two = (solve(problem, seed=2) for _ in range(2))
    np.testing.assert_array_equal(one.selection.items, two.selection.items)
    assert one.upper_bound == two.upper_bound
    assert [reading.value for reading in one.trace] == [
        reading.value for reading in two.trace
    ]


@pytest.mark.parametrize("max_seconds", [0.0, 1e-6, 0.01])
def test_hardly_any_time_still_gives_an_answer_and_a_bound(hard, max_seconds):
    result = solve(hard, stop=[MaxSeconds(max_seconds)])
    assert result.selection.is_feasible
    assert 0.0 < result.selection.value <= result.upper_bound < inf


@pytest.mark.slow
def test_large_problems_get_more_than_greedy_finds():
    graph = BiregularGraph(
        num_items=60_000, num_elements=180_000, item_degree=9, element_degree=3
    )
    problem = graph.problem(budget=60_000, seed=0)
    result = solve(problem, stop=[TargetGap(0.05)])
    assert result.status is Status.TARGET_REACHED
    assert result.selection.is_feasible
    assert result.selection.value >= solve(problem, GeneralizedGreedy()).selection.value
    assert result.gap <= 0.05


@for_each("seed", range(3))
def test_where_presolve_would_not_fit_it_is_left_out(seed):
    graph = BiregularGraph(40, 120, item_degree=9, element_degree=3)
    problem = graph.problem(budget=40.0, seed=seed)
    effort = Effort(presolve_seconds_per_edge=1e6)
    result = solve(problem, Auto(effort), max_seconds=60)
    assert result.status is Status.OPTIMAL
    assert result.selection.value == solve(problem, Exact()).selection.value


def test_a_worse_selection_never_replaces_a_better_one():
    problem = toy.cheap_crumb().problem
    assert solve(problem, BeliefPropagation()).selection.value == 2.0
    assert solve(problem, Auto()).selection.value == 10.0


def test_stopping_rules_reach_into_every_phase(hard):
    start = solve(hard, GeneralizedGreedy()).selection.value
    result = solve(hard, Auto(), stop=[TargetGap(0.5)])
    assert result.status is Status.TARGET_REACHED
    assert result.trace[-1].upper_bound < inf
    assert result.selection.value >= start


@pytest.mark.parametrize("step", ["ggreedy", "local search", "dual descent"])
def test_a_rule_can_stop_after_any_step(step):
    def stop(progress):
        return Status.TARGET_REACHED if progress.step == step else None

    result = solve(FIG_2.problem(budget=100, seed=6), stop=[stop])
    assert result.status is Status.TARGET_REACHED
    assert result.selection.is_feasible


def test_nothing_to_gain_is_seen_at_once():
    """No item is affordable, and weights are real: nothing is left to search for."""
    problem = CoverageProblem.from_matrix(
        np.eye(3), costs=[2, 3, 4], weights=[0.5, 1.5, 2.5], budget=1
    )
    result = solve(problem)
    assert result.status is Status.OPTIMAL
    assert result.iterations < 10


def test_components_are_combined():
    # Pairs that cost 2 cover two elements, pairs that cost 3 cover four.
    sets = [{4 * i + k for k in range(2 + 2 * (i % 2))} for i in range(100)]
    costs = [2 + i % 2 for i in range(100)]
    result = solve(CoverageProblem.from_sets(sets, costs=costs, budget=61))
    assert result.selection.value == 80.0
    assert result.status is Status.OPTIMAL
    assert "components" in {reading.step for reading in result.trace}


def test_a_greedy_selection_that_a_bound_proves_is_not_searched():
    problem = CoverageProblem.from_sets(
        [{i, i + 1} for i in range(0, 200, 2)], budget=9
    )
    result = solve(problem)
    assert result.status is Status.OPTIMAL
    assert [reading.step for reading in result.trace] == ["ggreedy", "residual bound"]


def long_passages():
    """A text in long passages: the bound never meets the value."""
    random = np.random.default_rng(7)
    terms = np.minimum((2000 ** random.random((120, 250))).astype(int), 1999)
    return CoverageProblem.from_sets(
        [set(row.tolist()) for row in terms],
        weights=dict(enumerate(np.round(1000 / np.arange(1, 2001) ** 0.5))),
        costs=random.integers(150, 250, 120),
        budget=3000,
    )


def rounds_without_gain(result):
    """Local searches after the last improvement."""
    best = result.selection.value
    return sum(
        reading.step == "local search" and reading.stalled > 0
        for reading in result.trace
        if reading.value == best
    )


@pytest.mark.slow
def test_without_a_limit_the_search_ends_soon_after_its_last_improvement():
    result = solve(long_passages())
    assert result.gap > 0.0
    assert rounds_without_gain(result) <= 8


@pytest.mark.slow
def test_a_thorough_search_continues_when_nothing_improves():
    assert Effort.thorough().min_gain_per_work == 0.0
    effort = Effort(min_gain_per_work=0.0, total_work=WorkRule(1.0, 0.0, 8e8, 8e8))
    assert rounds_without_gain(solve(long_passages(), Auto(effort))) > 8


def steps_of(problem):
    return {reading.step for reading in solve(problem, num_threads=1).trace}


def test_messages_wait_until_a_climb_and_a_bound_were_tried():
    """On a text these mostly suffice; on a sparse random graph they do not."""
    rng = np.random.default_rng(0)
    like_a_text = CoverageProblem.from_sets(
        [{f"w{k}" for k in rng.zipf(1.3, 60) if k < 2000} for _ in range(300)],
        costs=rng.integers(5, 40, 300),
        budget=100,
    )
    sparse = BiregularGraph(
        num_items=800, num_elements=2400, item_degree=9, element_degree=3
    ).problem(budget=800, seed=0)
    assert like_a_text.num_edges > 5000
    assert "bp" not in steps_of(like_a_text)
    assert "bp" in steps_of(sparse)


def test_more_effort_never_gives_less():
    problem = BiregularGraph(
        num_items=400, num_elements=1200, item_degree=9, element_degree=3
    ).problem(budget=400, seed=2)
    fast, default = (solve(problem, Auto(effort)) for effort in ("fast", "default"))
    assert fast.selection.is_feasible
    assert fast.selection.value <= default.selection.value
    assert default.upper_bound <= fast.upper_bound
    assert fast.iterations < default.iterations


def test_an_effort_is_a_record_or_the_name_of_a_preset():
    assert Auto(effort="thorough").effort == Effort.thorough()
    assert Auto() == Auto(Effort()) == Auto("default")
    with pytest.raises(InputError, match="hasty"):
        Auto(effort="hasty")
    with pytest.raises(InputTypeError, match="effort"):
        Auto(effort=3)


def test_many_items_are_searched_on_a_core():
    """Far more items than the first core has; HiGHS finds the optimum."""
    graph = GeometricGraph(num_items=2_500, num_elements=200, radius=0.08)
    problem = graph.problem(budget=6, seed=4)
    result = solve(problem, seed=1)
    assert result.selection.value >= 0.995 * solve(problem, Exact()).selection.value


def test_almost_full_covers_of_many_items_are_found():
    """Twenty items partition the elements, among 2,500 others that overlap."""
    rng = np.random.default_rng(5)
    hidden = np.split(rng.permutation(120), 20)
    others = [rng.choice(120, 7, replace=False) for _ in range(2_500)]
    sets = [set(each.tolist()) for each in [*hidden, *others]]
    problem = CoverageProblem.from_sets(sets, budget=20)
    assert solve(problem).selection.value >= 118


def test_without_a_time_limit_threads_do_not_change_the_answer():
    graph = GeometricGraph(num_items=300, num_elements=300, radius=0.1)
    problem = graph.problem(budget=12, seed=4)
    one, two = (
        solve(problem, seed=3, num_threads=threads, stop=[MaxIterations(60)])
        for threads in (1, 2)
    )
    np.testing.assert_array_equal(one.selection.items, two.selection.items)
