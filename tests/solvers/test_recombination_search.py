import numpy as np
import pytest
from hypothesis import given
from problems import problems, random_problem

from thatch import GeneralizedGreedy, MaxIterations, Selection, solve
from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.run.run import Run
from thatch.solvers import Exhaustive
from thatch.solvers.recombination_search import (
    RecombinationSearch,
    advance_side_by_side,
)


def nothing(problem):
    return Selection.of(problem, [])


def searched(problem, start, *, seed=0, turns=3, work=2e5):
    search = RecombinationSearch(problem, start, seed=seed)
    run = Run(seed=seed)
    for _ in range(turns):
        search.advance(work, run)
    return search.best, run.trace


@pytest.fixture(scope="module")
def graph():
    ensemble = BiregularGraph(
        num_items=150, num_elements=450, item_degree=9, element_degree=3
    )
    return ensemble.problem(budget=150, seed=1)


def test_small_problems_are_solved_to_the_optimum():
    for seed in range(60):
        problem = random_problem(seed)
        best, _ = searched(problem, nothing(problem))
        optimum = solve(problem, Exhaustive()).selection.value
        assert best.value == pytest.approx(optimum, rel=1e-8)


@given(problem=problems())
def test_any_valid_problem_gets_a_feasible_answer(problem):
    best, _ = searched(problem, nothing(problem), work=1e4)
    assert best.is_feasible
    assert best.value <= solve(problem, Exhaustive()).selection.value


def test_it_is_never_worse_than_its_start_and_never_falls(graph):
    start = solve(graph, GeneralizedGreedy()).selection
    best, trace = searched(graph, start)
    values = [reading.value for reading in trace]
    assert values == sorted(values)
    assert start.value <= values[0]
    assert best.value == values[-1]


def test_the_steps_are_named(graph):
    _, trace = searched(graph, nothing(graph))
    assert [reading.step for reading in trace[:4]] == [
        "local search",
        "local search",
        "recombination",
        "neighborhoods",
    ]


def test_same_seed_same_answer(graph):
    one, two = (searched(graph, nothing(graph), seed=3)[0] for _ in range(2))
    np.testing.assert_array_equal(one.items, two.items)


def test_another_seed_takes_another_way(graph):
    ends = {
        tuple(searched(graph, nothing(graph), seed=seed, turns=1)[0].items)
        for seed in range(5)
    }
    assert len(ends) > 1


def test_a_run_that_must_stop_leaves_the_start(graph):
    start = solve(graph, GeneralizedGreedy()).selection
    search = RecombinationSearch(graph, start, seed=0)
    search.advance(1e9, Run(stop=[MaxIterations(0)]))
    assert search.best.items.tolist() == start.items.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("num_searches", [2, 6])
def test_searches_side_by_side_take_the_same_way_every_time(graph, num_searches):
    start = solve(graph, GeneralizedGreedy()).selection
    found = []
    for _ in range(2):
        searches = [
            RecombinationSearch(graph, start, seed=seed) for seed in range(num_searches)
        ]
        for _ in range(4):
            advance_side_by_side(searches, 2e5, Run())
        found.append([search.best.items.tolist() for search in searches])
    assert found[0] == found[1]
    assert all(search.best.value > start.value for search in searches)


def test_a_search_beside_another_goes_its_own_way_until_it_restarts(graph):
    start = solve(graph, GeneralizedGreedy()).selection
    alone = RecombinationSearch(graph, start, seed=5)
    pair = [RecombinationSearch(graph, start, seed=seed) for seed in (5, 6)]
    for _ in range(2):
        # Each of two searches takes two rounds.
        alone.advance(2e5, Run())
        alone.advance(2e5, Run())
        advance_side_by_side(pair, 2e5, Run())
    assert not alone.num_restarts
    assert pair[0].best.items.tolist() == alone.best.items.tolist()
    assert pair[0].others[0].value >= start.value
