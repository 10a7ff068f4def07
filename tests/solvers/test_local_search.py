import numpy as np
import pytest
from problems import random_problem
from refusals import refused

from thatch import (
    CoverageProblem,
    Exact,
    GeneralizedGreedy,
    Greedy,
    InputError,
    Selection,
    Status,
    solve,
)
from thatch.problem.instances import toy
from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.solvers import Exhaustive, LocalSearch, StaticGreedy
from thatch.solvers.explorers import Climb


def graph_problem(*, num_items=200, seed=0):
    graph = BiregularGraph(
        num_items=num_items,
        num_elements=3 * num_items,
        item_degree=9,
        element_degree=3,
    )
    return graph.problem(budget=num_items, seed=seed)


def test_small_problems_are_mostly_solved_to_the_optimum():
    is_best = []
    for seed in range(60):
        problem = random_problem(seed)
        value = solve(problem, LocalSearch(max_rounds=100)).selection.value
        optimum = solve(problem, Exhaustive()).selection.value
        is_best.append(value == pytest.approx(optimum, rel=1e-9))
    assert np.mean(is_best) > 0.9


def test_the_answer_is_never_below_the_start():
    for seed in range(40):
        problem = random_problem(seed)
        start = solve(problem, StaticGreedy()).selection
        result = solve(problem, LocalSearch(start=start, max_rounds=1))
        assert result.selection.value >= start.value


def test_the_answer_is_never_below_any_start():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        problem = random_problem(seed)
        chosen = []
        for i in rng.permutation(problem.num_items).tolist():
            if Selection.of(problem, [*chosen, i]).is_feasible and rng.random() < 0.6:
                chosen.append(i)
        start = Selection.of(problem, chosen)
        result = solve(problem, LocalSearch(start=start, max_rounds=80), seed=seed)
        assert result.selection.is_feasible
        assert result.selection.value >= start.value


def test_same_seed_same_answer():
    problem = graph_problem()
    one, two = (solve(problem, LocalSearch(max_rounds=200), seed=4) for _ in range(2))
    np.testing.assert_array_equal(one.selection.items, two.selection.items)


@pytest.mark.parametrize("max_work", [1e3, 1e5, 1e6])
def test_a_climb_stops_soon_after_its_work_is_done(max_work):
    problem = graph_problem()
    climb = Climb(problem, Selection.of(problem, []), seed=0)
    _, work = climb.climb(10**9, max_work)
    # The exchange in which it runs out is finished, and the budget filled.
    most = problem.num_items * (problem.num_items + problem.num_edges)
    assert work <= max_work + most
    assert climb.best.is_feasible


def test_the_work_of_a_search_is_limited():
    problem = graph_problem()
    climb = Climb(problem, Selection.of(problem, []), seed=0)
    total = 0
    while total < 2e6:
        total += climb.climb(10**9, min(5e7, 2e6 - total))[1]
    result = solve(problem, LocalSearch(start=Greedy(), max_work=2e6))
    assert total < 1e7
    assert result.status is Status.FINISHED
    assert len(result.trace) < 1000


def test_a_climb_goes_on_from_where_it_was():
    problem = graph_problem()
    climb = Climb(problem, Selection.of(problem, []), seed=0)
    values = []
    for _ in range(10):
        rounds, work = climb.climb(30, 1e6)
        assert 1 <= rounds <= 30
        assert work >= 1
        values.append(climb.best.value)
    assert values == sorted(values)


def test_greedy_traps_are_left():
    assert solve(toy.greedy_trap().problem, LocalSearch()).selection.value == 16.0


@pytest.mark.slow
def test_it_closes_most_of_the_gap_that_greedy_leaves():
    graph = BiregularGraph(
        num_items=100, num_elements=300, item_degree=9, element_degree=3
    )
    greedy, search, exact = [], [], []
    for seed in range(12):
        problem = graph.problem(budget=100, seed=seed)
        greedy.append(solve(problem, GeneralizedGreedy()).selection.value)
        search.append(solve(problem, LocalSearch(max_rounds=200)).selection.value)
        exact.append(solve(problem, Exact()).selection.value)
    missed = np.subtract(exact, search).sum() / np.subtract(exact, greedy).sum()
    assert missed < 0.3


def test_more_rounds_never_give_less_and_another_seed_may_give_another_answer():
    graph = BiregularGraph(
        num_items=200, num_elements=600, item_degree=9, element_degree=3
    )
    problem = graph.problem(budget=200, seed=0)
    values = [
        solve(problem, LocalSearch(max_rounds=rounds)).selection.value
        for rounds in (10, 50, 250)
    ]
    assert values == sorted(values)
    answers = {
        tuple(solve(problem, LocalSearch(max_rounds=10), seed=seed).selection.items)
        for seed in range(5)
    }
    assert len(answers) > 1


def test_the_trace_never_falls():
    problem = random_problem(4)
    trace = solve(problem, LocalSearch(max_rounds=60)).trace
    values = [reading.value for reading in trace]
    assert values == sorted(values)
    assert trace[-1].step == "local search"


def test_a_start_that_costs_exactly_the_budget_in_tenths_stays():
    problem = CoverageProblem.from_matrix(
        np.eye(12), costs=np.full(12, 0.1), budget=1.0
    )
    start = Selection.of(problem, range(10))
    assert start.is_feasible
    result = solve(problem, LocalSearch(start=start, max_rounds=20))
    assert result.selection.value == 10.0
    assert result.status is Status.OPTIMAL


@pytest.mark.parametrize("name", ["max_rounds", "max_work"])
def test_no_rounds_are_refused(name):
    with refused(InputError, name, 0):
        LocalSearch(**{name: 0})
