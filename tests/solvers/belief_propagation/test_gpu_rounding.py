"""Which fields rank best by the GPU, against roundings made by the processor."""

from dataclasses import replace

import numpy as np
import pytest

from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.solvers.greedy import round_by_rank

pytestmark = pytest.mark.gpu


@pytest.fixture
def new_rounding(gpu):
    from thatch._kernels.gpu import Graph
    from thatch.solvers.belief_propagation.gpu_rounding import GpuRounding

    return lambda problem: GpuRounding(problem, Graph.of(problem.edges))


def on_device(fields):
    import cupy

    return cupy.asarray(fields)


def problem_with_costs(costs, seed):
    graph = BiregularGraph(
        num_items=40, num_elements=120, item_degree=9, element_degree=3
    )
    costs = np.random.default_rng(seed).choice(costs, 40)
    return replace(graph.problem(budget=6.0, seed=seed), costs=costs)


@pytest.mark.parametrize("seed", range(10))
def test_the_best_of_many_rankings_is_kept(new_rounding, seed):
    problem = problem_with_costs([0.5, 1.0, 1.25, 3.0], seed)
    rng = np.random.default_rng(seed)
    rounding = new_rounding(problem)
    values = []
    for _ in range(8):
        fields = rng.normal(size=problem.num_items)
        rounding.round(on_device(fields))
        values.append(round_by_rank(problem, fields).value)
        assert rounding.on_processor().best.value == max(values)


@pytest.mark.parametrize("seed", range(5))
def test_decimal_costs_and_items_without_cost_are_filled_within_the_budget(
    new_rounding, seed
):
    problem = problem_with_costs([0.0, 0.1, 0.25, 0.3, 0.7], seed)
    rounding = new_rounding(problem)
    fields = np.random.default_rng(seed).normal(size=problem.num_items)
    rounding.round(on_device(fields))
    best = rounding.on_processor().best
    assert best.is_feasible
    assert best.value > 0


def test_before_any_ranking_nothing_is_known(new_rounding):
    rounding = new_rounding(problem_with_costs([1.0], 0))
    assert rounding.best is None
    assert rounding.on_processor().best is None
