import numpy as np
import pytest
import reference
from cases import for_each
from problems import random_problem

TEMPERATURES = (0.5, 0.9, 0.005)


def descended(kernel, problem, *, iterations, seed=0, num_threads=1):
    """Charges after some iterations from random ones, in the problem's own units."""
    rng = np.random.default_rng(seed)
    multipliers = problem.weights * rng.random(problem.num_elements)
    edges = problem.edges
    dual = kernel("dual").Dual(
        problem.costs,
        problem.weights,
        edges,
        problem.budget,
        1.0,
        multipliers,
        num_threads,
        0.02,
        (np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0)),
    )
    temperature = dual.descend(iterations, *TEMPERATURES)
    return multipliers, temperature


def moderate(seed):
    problem = random_problem(seed, max_items=10)
    rng = np.random.default_rng(seed)
    return type(problem)(
        rng.integers(1, 6, problem.num_items).astype(float),
        rng.integers(1, 6, problem.num_elements).astype(float),
        8.0,
        problem.edges,
    )


def lowest_bound(problem, multipliers):
    """The bound at the best of the prices at which it has a corner."""
    sums = [
        multipliers[problem.edges.elements_of(i)].sum()
        for i in range(problem.num_items)
    ]
    prices = [0.0, *(np.array(sums) / problem.costs)]
    return min(
        reference.dual_value(problem, multipliers=multipliers, price=price)
        for price in prices
    )


@for_each("seed", range(20))
def test_charges_stay_between_nothing_and_the_weights(kernel, seed):
    problem = moderate(seed)
    for iterations in (1, 2, 30):
        multipliers, _ = descended(kernel, problem, iterations=iterations, seed=seed)
        assert (multipliers >= 0).all()
        assert (multipliers <= problem.weights).all()


@for_each("seed", range(20))
def test_the_bound_falls_and_stays_above_the_optimum(kernel, seed):
    problem = moderate(seed)
    first, _ = descended(kernel, problem, iterations=0, seed=seed)
    last, _ = descended(kernel, problem, iterations=150, seed=seed)
    assert lowest_bound(problem, last) <= lowest_bound(problem, first) + 1e-6
    assert lowest_bound(problem, last) >= reference.optimum(problem) - 1e-9


def test_the_temperature_falls_to_its_least(kernel):
    problem = moderate(3)
    assert descended(kernel, problem, iterations=0)[1] == 0.5
    assert descended(kernel, problem, iterations=1)[1] == pytest.approx(0.45)
    assert descended(kernel, problem, iterations=100)[1] == 0.005


def test_compiled_or_not_the_charges_are_the_same(kernel):
    problem = moderate(5)
    here, _ = descended(kernel, problem, iterations=40)
    there, _ = descended(lambda name: compiled_dual(), problem, iterations=40)
    np.testing.assert_allclose(here, there, rtol=1e-9, atol=1e-12)


def compiled_dual():
    from thatch._kernels import dual

    return dual
