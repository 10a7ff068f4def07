"""Smaller covers of all elements, against enumeration and HiGHS."""

import itertools
from math import fsum

import numpy as np
import pytest
from cases import for_each
from cover_tasks import task_of
from hypothesis import given
from hypothesis import strategies as st
from problems import random_problem

from thatch import CoverageProblem, Selection, Status, cover
from thatch.run.certificates import Imply
from thatch.solvers.covering.reducing import Reduction
from thatch.verification import verify

SEEDS = st.integers(0, 2**32 - 1)


def full_problem(seed, *, is_unit, max_items=9, max_elements=14):
    """Every element has an item; costs are positive."""
    rng = np.random.default_rng(seed)
    num_items, num_elements = rng.integers(1, (max_items, max_elements), endpoint=True)
    is_edge = rng.random((num_items, num_elements)) < rng.choice([0.1, 0.25, 0.5])
    is_edge[rng.integers(num_items, size=num_elements), np.arange(num_elements)] = True
    costs = None if is_unit else rng.uniform(1, 9, num_items)
    return CoverageProblem.from_matrix(is_edge, costs=costs, budget=0)


def least_cost(problem):
    """The cost of the cheapest cover of all elements."""
    costs = [
        fsum(problem.costs[list(items)])
        for size in range(problem.num_items + 1)
        for items in itertools.combinations(range(problem.num_items), size)
        if Selection.of(problem, list(items)).covered.all()
    ]
    return min(costs)


@given(seed=SEEDS, is_unit=st.booleans())
def test_the_optimum_stays(seed, is_unit):
    problem = full_problem(seed, is_unit=is_unit)
    reduction = Reduction.of(problem)
    found = least_cost(reduction.problem) + fsum(problem.costs[reduction.taken])
    assert found == pytest.approx(least_cost(problem), rel=1e-12)


@given(seed=SEEDS, is_unit=st.booleans())
def test_nothing_is_left_to_reduce(seed, is_unit):
    problem = full_problem(seed, is_unit=is_unit, max_items=30, max_elements=40)
    left = task_of(problem).problem
    edges, costs = left.edges, left.costs
    of_items = [set(edges.elements_of(i).tolist()) for i in range(left.num_items)]
    of_elements = [set(edges.items_of(a).tolist()) for a in range(left.num_elements)]
    for i, j in itertools.permutations(range(left.num_items), 2):
        assert not (of_items[j] <= of_items[i] and costs[i] <= costs[j])
    for a, b in itertools.permutations(range(left.num_elements), 2):
        assert not of_elements[a] <= of_elements[b]
    assert all(len(items) > 1 for items in of_elements)


@given(seed=SEEDS, is_unit=st.booleans())
def test_covers_and_their_proofs_are_right(seed, is_unit):
    problem = full_problem(seed, is_unit=is_unit)
    result = cover(problem)
    assert result.status is Status.OPTIMAL
    assert result.cost == least_cost(problem)
    assert str(verify(problem, result)) == "verified"


@given(seed=SEEDS)
def test_required_and_forbidden_items_are_kept(seed):
    problem = full_problem(seed, is_unit=bool(seed % 2))
    if problem.num_items < 3:
        return
    problem = problem.with_constraints(required=[1], forbidden=[0])
    result = cover(problem, share=1.0, share_of="coverable")
    is_coverable = Selection.of(problem, range(1, problem.num_items)).covered
    rest = range(2, problem.num_items)
    costs = [
        fsum(problem.costs[[1, *items]])
        for size in range(len(rest) + 1)
        for items in itertools.combinations(rest, size)
        if Selection.of(problem, [1, *items]).covered[is_coverable].all()
    ]
    assert result.cost == min(costs)
    assert str(verify(problem, result)) == "verified"


@pytest.mark.parametrize("is_unit", [False, True])
@pytest.mark.parametrize("share", [1.0, 0.93])
@for_each("seed", range(3))
def test_covers_are_those_of_highs(seed, share, is_unit):
    optimize = pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(seed)
    is_edge = rng.random((60, 80)) < 0.04
    is_edge[rng.integers(60, size=80), np.arange(80)] = True
    costs = np.ones(60) if is_unit else rng.uniform(1, 9, 60)
    problem = CoverageProblem.from_matrix(is_edge, costs=costs, budget=0)
    result = cover(problem, share=share)
    rows = np.hstack([is_edge.T, np.eye(80)])
    left = np.append(np.zeros(60), np.ones(80))
    expected = optimize.milp(
        np.append(costs, np.zeros(80)),
        constraints=[
            optimize.LinearConstraint(rows, lb=1),
            optimize.LinearConstraint(left, ub=80 - np.ceil(share * 80)),
        ],
        integrality=1,
        bounds=optimize.Bounds(0, 1),
    )
    assert result.cost == pytest.approx(expected.fun, rel=1e-6)
    assert str(verify(problem, result)) == "verified"


def test_elements_imply_others_only_if_all_must_be_covered():
    problem = CoverageProblem.from_sets([{0, 1, 3}, {1, 2, 3}, {2, 0, 3}], budget=0)
    full, partial = task_of(problem), task_of(problem, weight=3)
    (presolve,) = full.presolves
    (step,) = presolve.steps
    assert isinstance(step, Imply)
    ((implied, _),) = step.pairs.tolist()
    assert problem.edges.element_degrees.tolist()[implied] == 3
    assert np.flatnonzero(full.elements < 0).tolist() == [implied]
    assert partial.problem.num_elements == 4


@given(seed=SEEDS)
def test_weights_of_any_size_are_proved(seed):
    problem = random_problem(seed, max_items=8, max_elements=12)
    result = cover(problem)
    assert str(verify(problem, result)) == "verified"
