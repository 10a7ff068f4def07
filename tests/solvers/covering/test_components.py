"""Covers whose components are solved one by one."""

from itertools import pairwise

import numpy as np
import pytest
from cases import for_each

from thatch import CoverageProblem, Effort, cover
from thatch.solvers.step_efforts import CoverEffort
from thatch.verification import verify


def components(seed, *, sizes, is_unit=True):
    """Random components of so many items, side by side."""
    rng = np.random.default_rng(seed)
    sets, costs = [], []
    for k, num_items in enumerate(sizes):
        for _ in range(num_items):
            chosen = rng.choice(num_items, 4, replace=False)
            sets.append((1000 * k + chosen).tolist())
            costs.append(1.0 if is_unit else rng.uniform(1, 2))
    return CoverageProblem.from_sets(sets, costs=costs, budget=0)


def efforts(**settings):
    """With and without solving components."""
    rounds = {"rounds_without_gain": 2, "rounds_if_hard": 2, **settings}
    return [
        Effort(cover=CoverEffort(least_edges_for_components=least, **rounds))
        for least in (0, 10**9)
    ]


@pytest.mark.parametrize("is_unit", [True, False])
@for_each("seed", range(3))
def test_small_components_are_solved_exactly(seed, is_unit):
    problem = components(seed, sizes=[12] * 3, is_unit=is_unit)
    optimum = sum(cover(components_of(problem, k, 12)).cost for k in range(3))
    result = cover(problem, effort=efforts(max_nodes=0)[0])
    assert result.cost == pytest.approx(optimum)
    assert result.lower_bound <= optimum * (1 + 1e-12)
    assert str(verify(problem, result)) == "verified"
    # What is proved of the components is more than the certificate shows.
    assert result.trace[-1].value == pytest.approx(optimum)


def components_of(problem, k, num_items):
    """One of the components."""
    return problem.restricted_to(np.arange(k * num_items, (k + 1) * num_items))


@for_each("seed", range(3))
def test_the_rest_is_searched(seed):
    problem = components(seed, sizes=[12, 12, 12, 90])
    found = [
        cover(problem, effort=effort)
        for effort in efforts(max_component_items=30, max_nodes=0)
    ]
    assert found[0].cost <= found[1].cost + 1
    for result in found:
        assert str(verify(problem, result)) == "verified"
    trace = found[0].trace
    assert "components" in [progress.step for progress in trace]
    assert all(one.value <= other.value for one, other in pairwise(trace))
    assert all(progress.value <= progress.upper_bound for progress in trace)


def test_a_cover_with_slack_is_not_taken_apart():
    problem = components(0, sizes=[12] * 4)
    result = cover(problem, share=0.9, effort=efforts()[0])
    assert "components" not in [progress.step for progress in result.trace]
    assert str(verify(problem, result)) == "verified"
