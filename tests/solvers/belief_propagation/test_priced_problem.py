"""The inverse temperature and the price that nobody gave."""

import math

import numpy as np
import pytest
from cases import for_each
from problems import random_problem

from thatch import CoverageProblem, PricedProblem
from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.solvers.belief_propagation.messages import Messages
from thatch.solvers.belief_propagation.representations import (
    Logarithms,
    MaxSum,
    Products,
)
from thatch.solvers.bounds.dual_bounds import critical_price
from thatch.solvers.greedy import complete_by_gain, item_weights


def test_the_first_price_is_what_the_last_of_the_budget_earns():
    problem = BiregularGraph(
        num_items=100, num_elements=300, item_degree=9, element_degree=3
    ).problem(budget=100, seed=0)
    most, less = (
        complete_by_gain(problem.with_budget(b), (), divisors=problem.costs).value
        for b in (100, 90)
    )
    assert PricedProblem(problem).first_price == pytest.approx((most - less) / 10)
    assert PricedProblem(problem, price=3.0).first_price == 3.0


def test_a_budget_that_earns_nothing_more_starts_at_the_static_price():
    problem = CoverageProblem.from_matrix(np.eye(3), budget=1.5)
    expected = critical_price(item_weights(problem), problem.costs, budget=1.5)
    assert PricedProblem(problem).first_price == expected


@for_each("seed", range(40))
def test_the_first_price_is_always_finite(seed):
    assert 0 <= PricedProblem(random_problem(seed)).first_price < math.inf


def test_a_few_heavy_elements_do_not_slow_the_messages_down():
    weights = np.ones(1000)
    weights[0] = 1e4
    problem = CoverageProblem.from_matrix(np.ones((2, 1000)), weights=weights, budget=1)
    assert Messages.suitable_representation(PricedProblem(problem)) is Products


def test_every_temperature_has_its_form():
    problem = random_problem(1)
    for scaled, representation in (
        (1.0, Products),
        (1e6, Logarithms),
        (math.inf, MaxSum),
    ):
        priced = PricedProblem(
            problem, inverse_temperature=scaled / problem.weights.max()
        )
        assert Messages.suitable_representation(priced) is representation
        assert 0 < priced.scale < math.inf
