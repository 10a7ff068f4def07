"""Proofs about covers agree with trying all selections, and are verified."""

from fractions import Fraction
from math import fsum, inf, nextafter

import numpy as np
import pytest
from cases import for_each
from exact_checks import all_selections
from problems import random_constraints, random_problem

from thatch import CoverageProblem, cover
from thatch.run.result import Status
from thatch.solvers import Effort
from thatch.solvers.covering.cover_task import Target
from thatch.solvers.proving import proof_tree
from thatch.solvers.proving.claims import coverable
from thatch.solvers.proving.cover_proof import prove_cover
from thatch.solvers.step_efforts import CoverEffort
from thatch.verification import reasons_against_bound, verify


def never():
    return False


def cheapest(problem, slack):
    """The least rounded cost of a cover, by trying all; None if there is none."""
    inside = coverable(problem)
    costs = [
        each.cost
        for each in all_selections(problem)
        if sum(map(Fraction, problem.weights[inside & ~each.covered].tolist()))
        <= Fraction(slack)
    ]
    return min(costs, default=None)


def random_cover(seed):
    """A small problem with any constraints, and what a cover may leave."""
    problem = random_problem(seed, max_items=7, max_elements=10)
    problem = problem.with_constraints(**random_constraints(seed, problem))
    problem = problem.with_budget(fsum(problem.costs.tolist()))
    total = float(problem.weights[coverable(problem)].sum())
    return problem, total * [0.0, 0.3, 0.6][seed % 3]


@pytest.fixture(params=["trials", "programs"])
def way(request, monkeypatch):
    """Small problems are tried at once, or go through linear programs."""
    if request.param == "programs":
        monkeypatch.setattr(proof_tree, "_MAX_TO_TRY_FIRST", 0)
        monkeypatch.setattr(proof_tree, "_MAX_TO_TRY", 1)


@for_each("seed", range(40))
def test_proofs_are_exact(way, seed):
    problem, slack = random_cover(seed)
    optimum = cheapest(problem, slack)
    proof = prove_cover(problem, slack, should_stop=never)
    assert proof.is_optimal
    found = None if proof.selection is None else proof.selection.cost
    assert found == optimum
    claim = {"most_left": slack, "least_cost": proof.bound}
    certificate = proof.certificate.as_dict()
    assert not reasons_against_bound(problem, certificate, **claim)
    if optimum is not None:
        claim["least_cost"] = nextafter(optimum, inf)
        assert reasons_against_bound(problem, certificate, **claim)


@for_each("seed", range(20))
def test_a_stopped_search_has_a_bound_with_a_certificate(way, seed):
    problem, slack = random_cover(seed)
    optimum = cheapest(problem, slack)
    for nodes in range(4):
        proof = prove_cover(problem, slack, should_stop=never, max_nodes=nodes)
        assert optimum is None or proof.bound <= optimum
        claim = {"most_left": slack, "least_cost": proof.bound}
        if proof.bound > 0:
            certificate = proof.certificate.as_dict()
            assert not reasons_against_bound(problem, certificate, **claim)


def test_a_larger_cover_has_a_bound_when_it_is_stopped():
    rng = np.random.default_rng(1)
    problem = CoverageProblem.from_matrix(
        rng.random((60, 90)) < 0.06, costs=rng.uniform(1, 5, 60), budget=1e9
    ).with_constraints(conflicts=[(0, 1), (5, 9)])
    everything = problem.with_budget(fsum(problem.costs.tolist()))
    start = prove_cover(everything, 8.0, should_stop=never).selection
    bounds = []
    for nodes in (1, 10):
        proof = prove_cover(
            everything, 9.0, incumbent=start, should_stop=never, max_nodes=nodes
        )
        claim = {"most_left": 9.0, "least_cost": proof.bound}
        certificate = proof.certificate.as_dict()
        assert not reasons_against_bound(problem, certificate, **claim)
        bounds.append(proof.bound)
    assert 0 < bounds[0] <= bounds[1]


def test_tiny_weights_beside_large_ones():
    problem = CoverageProblem.from_sets(
        [{0}, {1}, {2}, {0, 1}],
        weights=[1e9, 1e-3, 1e-3],
        costs=[1.0, 1.0, 1.0, 3.0],
        budget=9,
    ).with_constraints(conflicts=[(0, 3)])
    result = cover(problem)
    assert (result.cost, result.status) == (3.0, Status.OPTIMAL)
    slack = Target.of(problem, weight=1e9).slack
    assert 0.001 < slack < 0.003
    assert cover(problem, weight=1e9).cost == 1.0


@for_each("seed", range(30))
def test_covers_are_the_cheapest_and_verified(seed):
    problem = random_problem(seed, max_items=7, max_elements=10)
    if seed % 2 and problem.num_items > 2:
        problem = problem.with_constraints(required=[1], forbidden=[0])
    every = problem.with_budget(fsum(problem.costs.tolist()))
    inside = coverable(every)
    total = fsum(problem.weights[inside].tolist())
    target = [{}, {"share": 0.7, "share_of": "coverable"}, {"weight": 0.6 * total}][
        seed % 3
    ]
    slack = Target.of(every, coverable=inside, **target).slack
    result = cover(problem, **target)
    optimum = cheapest(every, slack)
    assert result.cost == optimum
    # The exact cost may be lower than the rounded one.
    exact = problem.has_exact_costs or optimum == 0.0
    assert result.lower_bound == (optimum if exact else nextafter(optimum, 0.0))
    assert result.status is Status.OPTIMAL
    assert str(verify(problem, result)) == "verified"


def test_a_search_that_is_stopped_has_a_bound_by_its_multipliers():
    rng = np.random.default_rng(0)
    problem = CoverageProblem.from_matrix(
        rng.random((150, 200)) < 0.03, costs=rng.integers(1, 9, 150), budget=0
    )
    effort = Effort(cover=CoverEffort(max_nodes=1, rounds_without_gain=1))
    result = cover(problem, effort=effort)
    assert 0.8 * result.cost < result.lower_bound <= result.cost
    claim = {"most_left": 0.0, "least_cost": result.lower_bound}
    certificate = result.certificate.as_dict()
    assert not reasons_against_bound(problem, certificate, **claim)
