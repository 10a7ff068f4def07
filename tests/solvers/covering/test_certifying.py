"""Certificates of covers whose presolve leaves out and takes items."""

import numpy as np
import pytest
from cases import for_each

from thatch import CoverageProblem, Effort, cover
from thatch.solvers.step_efforts import CoverEffort
from thatch.verification import verify

_NO_TREE = Effort(
    cover=CoverEffort(
        max_nodes=0, rounds_without_gain=1, max_edges_for_program=(0, 0, 0)
    )
)


def sparse_graph(seed, *, num_nodes=150, num_edges=190):
    """Closed neighborhoods of a random graph with many ends."""
    rng = np.random.default_rng(seed)
    pairs = rng.integers(num_nodes, size=(num_edges, 2))
    nodes = np.arange(num_nodes)
    sets = [{int(i)} for i in nodes]
    for i, j in pairs.tolist():
        sets[i].add(j)
        sets[j].add(i)
    return sets


@pytest.mark.parametrize("kind", ["ones", "whole", "real"])
@for_each("seed", range(4))
def test_items_that_are_taken_count_in_the_bound(seed, kind):
    rng = np.random.default_rng(seed)
    sets = sparse_graph(seed)
    costs = {
        "ones": None,
        "whole": rng.integers(1, 9, len(sets)),
        "real": rng.uniform(1, 9, len(sets)),
    }[kind]
    problem = CoverageProblem.from_sets(sets, costs=costs, budget=0)
    result = cover(problem, effort=_NO_TREE)
    assert str(verify(problem, result)) == "verified"
    found = result.trace[-1].value
    assert result.lower_bound >= (1.0 - 1e-5) * found
    assert result.lower_bound > 0.9 * result.cost


@for_each("seed", range(4))
def test_a_bound_with_slack_and_decided_items_is_verified(seed):
    sets = sparse_graph(seed)
    weights = np.random.default_rng(seed).uniform(1, 9, len(sets))
    problem = CoverageProblem.from_sets(sets, weights=weights, budget=0)
    problem = problem.with_constraints(required=[3, 5], forbidden=[8])
    result = cover(problem, share=0.97, share_of="coverable", effort=_NO_TREE)
    assert str(verify(problem, result)) == "verified"
    assert result.lower_bound > 0.8 * result.cost
