from dataclasses import replace

import numpy as np
import pytest
from cases import for_each
from problems import random_problem

from thatch import Exact, GeneralizedGreedy, MaxIterations, Selection, solve
from thatch.problem.instances.random_graphs import BiregularGraph, GeometricGraph
from thatch.run.run import Run
from thatch.solvers.bounds import DualPoint
from thatch.solvers.bounds.dual_descent import DualDescent
from thatch.solvers.core_search import priced_core


def priced(problem, *, iterations=300):
    start = solve(problem, GeneralizedGreedy()).selection
    (point,) = DualDescent(problem, start).points(
        iterations=iterations, iterations_per_point=iterations
    )
    return point, start


@pytest.fixture(scope="module")
def geometric():
    return GeometricGraph(num_items=400, num_elements=400, radius=0.1).problem(
        budget=8, seed=2
    )


def test_a_small_core_has_almost_the_value_of_the_whole_problem(geometric):
    point, start = priced(geometric)
    core = priced_core(geometric, point, [start], num_items=100, turn=0, run=Run())
    assert core.problem.num_items <= 100 + len(start)
    best = solve(geometric, Exact()).selection.value
    within = solve(core.problem, Exact()).selection.value
    assert within >= 0.995 * best


def test_items_of_the_selections_given_stay(geometric):
    point, start = priced(geometric)
    worst = Selection.of(geometric, np.argsort(point.reduced_profits)[:3])
    core = priced_core(
        geometric, point, [start, worst], num_items=20, turn=0, run=Run()
    )
    assert set(start.items) | set(worst.items) <= set(core.items)


@for_each("turn", range(4))
def test_where_almost_everything_is_covered_every_element_keeps_an_item(turn):
    graph = BiregularGraph(
        num_items=300, num_elements=100, item_degree=3, element_degree=9
    )
    problem = replace(graph.problem(budget=90, seed=1), weights=np.ones(100))
    point, start = priced(problem)
    core = priced_core(problem, point, [start], num_items=30, turn=turn, run=Run())
    assert core.problem.num_items < 300
    assert core.problem.reachable_weight == problem.reachable_weight


def test_a_run_that_must_stop_still_gets_a_core():
    problem = random_problem(3)
    everything = replace(problem, budget=float(problem.costs.sum()))
    point = DualPoint.at(everything, everything.weights)
    run = Run(stop=[MaxIterations(0)])
    core = priced_core(everything, point, [], num_items=2, turn=0, run=run)
    assert core.problem.num_items >= 2
