"""Proofs agree with trying all selections, and verification accepts them."""

import numpy as np
import pytest
from cases import for_each
from exact_checks import double_above, exact_optimum, exact_value
from problems import random_constraints, random_problem

from thatch import CoverageProblem, solve
from thatch.errors import InfeasibleError
from thatch.problem.selection import Selection
from thatch.run.certificates import Certificate
from thatch.run.result import Status
from thatch.run.run import Run
from thatch.solvers import Auto
from thatch.solvers.proving import proof_tree
from thatch.solvers.proving.proving import any_selection, prove
from thatch.verification import reasons_against_bound

# Six items, of which 0, 2, 7 and 8 cost 4.0000001 and cover everything.
NEARLY_TOO_DEAR = CoverageProblem.from_sets(
    [
        [0, 3, 5, 6, 7, 8],
        [],
        [0, 1, 2, 3, 4, 6, 7, 8, 9],
        [2],
        [0, 1, 2, 3, 4, 6, 7, 8, 9],
        [2, 7, 9],
        [0, 1, 3, 4, 7, 9],
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        [0, 1, 3, 5, 6, 8],
    ],
    costs=[1, 1, 1, 1, 1, 1, 1, 1.0000001, 1],
    weights=[1] * 10,
    budget=5,
).with_constraints(demands=[2, 3, 1, 1, 1, 3, 3, 1, 2, 1])


def never(*args):
    return False


def constrained(seed):
    """A small problem with any constraints, some of them of wild scales."""
    rng = np.random.default_rng(seed)
    problem = random_problem(seed, max_items=8, max_elements=12)
    given = random_constraints(seed, problem)
    if "budgets" not in given and rng.random() < 0.4:
        costs = 10.0 ** rng.uniform(-9, 15, problem.num_items)
        given["budgets"] = {"wild": (costs, float(rng.choice(np.cumsum(costs))))}
    return problem.with_constraints(**given)


@pytest.fixture(params=["trials", "programs"])
def way(request, monkeypatch):
    """Small problems are tried at once, or go through linear programs."""
    if request.param == "programs":
        monkeypatch.setattr(proof_tree, "_MAX_TO_TRY_FIRST", 0)
        monkeypatch.setattr(proof_tree, "_MAX_TO_TRY", 1)


def check(problem, optimum):
    """Whatever is found is the optimum, with the smallest bound, and verified."""
    found = any_selection(problem, should_stop=never)
    if optimum is None:
        assert isinstance(found, Certificate)
        assert not reasons_against_bound(problem, found.as_dict(), most_covered=-1.0)
        return
    assert isinstance(found, Selection)
    proof = prove(found, should_stop=never)
    assert proof.is_optimal
    assert proof.bound == double_above(optimum)
    assert proof.bound == double_above(exact_value(proof.selection))
    certificate = proof.certificate.as_dict()
    assert not reasons_against_bound(problem, certificate, most_covered=proof.bound)
    below = np.nextafter(float(optimum), -np.inf)
    if below >= 0:
        assert reasons_against_bound(problem, certificate, most_covered=below)


@for_each("seed", range(40))
def test_proofs_are_exact(way, seed):
    problem = constrained(seed)
    check(problem, exact_optimum(problem))


@for_each("seed", range(12))
def test_a_stopped_search_has_a_bound_with_a_certificate(seed):
    problem = constrained(seed)
    optimum = exact_optimum(problem)
    if optimum is None:
        return
    start = any_selection(problem, should_stop=never)
    for nodes in range(4):
        proof = prove(start, should_stop=never, max_nodes=nodes)
        assert proof.bound >= optimum
        certificate = proof.certificate.as_dict()
        assert not reasons_against_bound(problem, certificate, most_covered=proof.bound)


def test_a_larger_problem_is_proved_by_a_tree():
    rng = np.random.default_rng(3)
    problem = CoverageProblem.from_matrix(
        rng.random((40, 50)) < 0.1,
        costs=rng.integers(1, 9, 40).astype(float),
        weights=rng.integers(1, 9, 50).astype(float),
        budget=30,
    )
    problem = problem.with_constraints(
        demands=rng.integers(1, 4, 50), conflicts=[(0, 1), (2, 3), (1, 2)]
    )
    proof = prove(Selection.of(problem, []), should_stop=never)
    assert proof.is_optimal
    certificate = proof.certificate.as_dict()
    assert not reasons_against_bound(problem, certificate, most_covered=proof.bound)
    assert reasons_against_bound(problem, certificate, most_covered=proof.bound - 1)


def test_a_cost_above_the_budget_by_less_than_a_tolerance_counts():
    result = solve(NEARLY_TOO_DEAR)
    assert (result.selection.value, result.status) == (10, Status.OPTIMAL)
    exact = NEARLY_TOO_DEAR.with_budget(4.0)
    assert solve(exact).selection.value == float(exact_optimum(exact))


def test_costs_of_any_scales_in_one_budget():
    problem = CoverageProblem.from_sets([{i} for i in range(6)], budget=6)
    costs = [1e9, 1.0, 1e-6, 1e9, 1.0, 1e-6]
    problem = problem.with_constraints(
        budgets={"staff": (costs, 1e9 + 1.0 + 1e-6)}, required=[0, 1, 2]
    )
    result = solve(problem)
    assert result.selection.items.tolist() in ([0, 1, 2], [0, 1, 2, 5])
    tight = problem.with_constraints(
        budgets={"staff": (costs, 1e9 + 1.0)}, required=[0, 1, 2]
    )
    with pytest.raises(InfeasibleError) as caught:
        solve(tight)
    certificate = caught.value.certificate.as_dict()
    assert not reasons_against_bound(tight, certificate, most_covered=-1.0)


def test_many_rows_that_contradict_each_other_are_proved_to():
    problem = CoverageProblem.from_sets([{i} for i in range(40)], budget=40)
    # Of each triangle one item at most, and in all one more than there are triangles.
    triangles = [(3 * k, 3 * k + 1, 3 * k + 2) for k in range(12)]
    pairs = [(a, b) for a, b, _ in triangles]
    pairs += [(b, c) for _, b, c in triangles] + [(a, c) for a, _, c in triangles]
    groups = ["all"] * 36 + ["rest"] * 4
    problem = problem.with_constraints(
        groups=groups, at_least={"all": 19}, conflicts=pairs
    )
    with pytest.raises(InfeasibleError) as caught:
        Auto().solve_constrained(problem, Run())
    certificate = caught.value.certificate.as_dict()
    assert not reasons_against_bound(problem, certificate, most_covered=-1.0)
