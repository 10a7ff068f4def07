"""Reinforced messages commit to a selection, and to the right one on trees."""

import math

import numpy as np
import pytest
import reference
from cases import for_each
from problems import random_tree
from refusals import refused

from thatch import BeliefPropagation, InputError, solve
from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.solvers.belief_propagation.schedule import Schedule

ENSEMBLE = BiregularGraph(
    num_items=100, num_elements=300, item_degree=9, element_degree=3
)


@for_each("inverse_temperature", [30.0, 1e4, math.inf])
@for_each("seed", range(15))
def test_on_trees_the_best_set_at_a_price_is_found(seed, inverse_temperature, device):
    """Within its own cost that set is optimal: a better one would have more surplus."""
    tree = random_tree(seed)
    best = reference.GroundState(tree, 0.7).items
    problem = tree.with_budget(float(math.fsum(tree.costs[best])))
    solver = BeliefPropagation(
        inverse_temperature=inverse_temperature,
        price=0.7,
        iterations_per_rounding=0,
        has_greedy_completion=False,
        precision="double",
    )
    result = solve(problem, solver, device=device)
    np.testing.assert_array_equal(np.flatnonzero(result.beliefs.item_fields > 0), best)
    assert result.selection.value == reference.value(problem, best)


def num_undecided(solver, device):
    """How many items have a marginal far from both 0 and 1."""
    results = [
        solve(ENSEMBLE.problem(budget=100, seed=k), solver, device=device)
        for k in range(5)
    ]
    marginals = np.concatenate([result.beliefs.item_marginals for result in results])
    return int((np.abs(marginals - 0.5) < 0.4).sum())


def test_reinforced_items_are_in_or_out(device):
    undecided, decided = (
        num_undecided(
            BeliefPropagation(inverse_temperature=0.5, reinforcement=r), device
        )
        for r in (0.0, 0.95)
    )
    assert decided < 0.7 * undecided


def test_the_share_grows_from_nothing_to_the_whole():
    schedule = Schedule(max_iterations=100, reinforcement=0.9)
    shares = [schedule.share_at(t) for t in range(101)]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 0.9)


@pytest.mark.parametrize("reinforcement", [-0.1, 1.0, float("nan")])
def test_impossible_reinforcement_is_refused(reinforcement):
    with refused(InputError, "reinforcement", reinforcement):
        BeliefPropagation(reinforcement=reinforcement)
