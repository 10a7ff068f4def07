"""Cuts instead of columns of elements: the same relaxation, and exact proofs."""

from math import ldexp

import numpy as np
import pytest
from cases import for_each

from thatch import CoverageProblem, Selection, solve
from thatch.solvers.proving import branching, coverage_cuts, nodes, proof_tree
from thatch.solvers.proving.claims import Case, Claim
from thatch.solvers.proving.coverage_cuts import CutRelaxation
from thatch.solvers.proving.open_items import OpenItems, Point
from thatch.solvers.proving.proving import prove
from thatch.solvers.proving.relaxation import Relaxation
from thatch.verification import reasons_against_bound, verify

NONE = np.zeros(0, dtype=np.int64)


def never(bound=0.0):
    return False


def sites(seed, *, num_sites=24, num_homes=60, budget=4):
    """Sites and homes in a square; costs differ in every other problem."""
    rng = np.random.default_rng(seed)
    return CoverageProblem.from_points(
        rng.random((num_sites, 2)),
        rng.random((num_homes, 2)),
        radius=0.3,
        metric="euclidean",
        costs=rng.integers(1, 3, num_sites) if seed % 2 else None,
        weights=rng.integers(1, 50, num_homes),
        budget=budget,
    )


@pytest.fixture(autouse=True)
def cuts(monkeypatch):
    """Small problems get cuts, which are soon dropped, and solved to the end."""
    monkeypatch.setattr(coverage_cuts, "_LEAST_EDGES", 0)
    monkeypatch.setattr(coverage_cuts, "_LEAST_OF_EXCESS", 0.0)
    monkeypatch.setattr(coverage_cuts, "_CUTS_BEFORE_DROPPING", 12)
    monkeypatch.setattr(coverage_cuts, "_NUM_GROUPS", 5)
    monkeypatch.setattr(branching, "_LEAST_ITEMS", 0)
    monkeypatch.setattr(branching, "_LEAST_DEGREE", 0.0)


def states(problem, rng):
    """What is open at first, after decisions, and within cases of splits."""
    root = OpenItems.of(Claim.of_coverage(problem, 0.0))
    yield root
    some = rng.permutation(problem.num_items)
    yield root.decided(some[:1], some[1:4])
    items = np.sort(some[:9])
    for most in (0, 2):
        cases = (Case(items, most, False), Case(items.copy(), 0, most > 0))
        yield nodes.state_of(
            nodes.Node(0, 0, some[10:11], some[11:13], [], None, cases=cases), root
        )


@for_each("seed", range(8))
def test_cuts_are_as_good_as_columns(seed):
    rng = np.random.default_rng(seed)
    problem = sites(seed)
    one, other = (
        kind(OpenItems.of(Claim.of_coverage(problem, 0.0)))
        for kind in (CutRelaxation, Relaxation)
    )
    for state in states(problem, rng):
        found = one.solve(state, should_stop=never)
        wanted = other.solve(state, should_stop=never)
        assert found.is_infeasible == wanted.is_infeasible
        if wanted.is_infeasible:
            assert Point.of_rows(state.claim, found.rows) is not None
            continue
        assert found.excess == pytest.approx(wanted.excess, rel=1e-4)
        point = Point.of(state.claim, found.elements, found.rows)
        bound = ldexp(state.evaluated(point).bound, -state.claim.unit)
        # The claim is that nothing covers 1.
        assert bound == pytest.approx(wanted.excess + 1, rel=1e-4)


@for_each("seed", range(6))
def test_proofs_with_cuts_are_exact(seed, monkeypatch):
    monkeypatch.setattr(proof_tree, "_MAX_TO_TRY_FIRST", 0)
    monkeypatch.setattr(proof_tree, "_MAX_TO_TRY", 1)
    problem = sites(seed)
    optimum = solve(problem, "exhaustive").selection.value
    for most_nodes in (1, 4, 10**6):
        start = Selection.of(problem, [])
        proof = prove(start, should_stop=never, max_nodes=most_nodes)
        assert proof.bound >= optimum
        claim = {"most_covered": proof.bound}
        assert not reasons_against_bound(problem, proof.certificate, **claim)
        below = {"most_covered": optimum - 1}
        assert reasons_against_bound(problem, proof.certificate, **below)
    assert proof.is_optimal
    assert proof.selection.value == optimum


@for_each("seed", range(4))
def test_cuts_keep_constraints(seed):
    rng = np.random.default_rng(seed)
    problem = sites(seed, num_sites=13).with_constraints(
        budgets={"staff": (rng.integers(1, 4, 13), 6)},
        conflicts=[(0, 1), (2, 3), (4, 5)],
    )
    result = solve(problem)
    assert str(verify(problem, result)) == "verified"
    tried = (
        Selection.of(problem, np.flatnonzero([k >> i & 1 for i in range(13)]))
        for k in range(2**13)
        if k.bit_count() <= 4
    )
    best = max(found.value for found in tried if found.is_feasible)
    assert result.selection.value == result.upper_bound == best


def test_cuts_count_elements_that_required_items_cover():
    problem = sites(1).with_constraints(required=[3], forbidden=[4])
    result = solve(problem, "exact")
    assert str(verify(problem, result)) == "verified"
    assert result.gap == 0.0


def test_a_relaxation_may_be_stopped_at_once():
    root = OpenItems.of(Claim.of_coverage(sites(0), 0.0))
    stopped = CutRelaxation(root).solve(root, should_stop=lambda: True)
    point = Point.of(root.claim, stopped.elements, stopped.rows)
    assert point is None or root.evaluated(point).bound >= root.claim.target


def test_rounded_selections_are_polished():
    rng = np.random.default_rng(0)
    problem = CoverageProblem.from_matrix(rng.random((24, 60)) < 0.15, budget=4)
    best = solve(problem, "exhaustive").selection
    seen = []

    def polished(found):
        seen.append(found)
        return best

    start = solve(problem, "greedy").selection
    proof = prove(start, should_stop=never, max_nodes=1, polished=polished)
    assert seen
    assert proof.selection.value == best.value
