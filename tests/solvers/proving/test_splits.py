"""Splits by how many of some items are taken: exact proofs, which are verified."""

from itertools import combinations

import numpy as np
import pytest
from cases import for_each

from thatch import CoverageProblem, Selection, solve
from thatch.run.certificates import Certificate, Prices, Split
from thatch.solvers.proving import branching, proof_tree
from thatch.solvers.proving.proving import prove
from thatch.verification import reasons_against_bound, verify

NUM_SITES, NUM_CHOSEN = 24, 4


def sites(seed):
    """Sites and the homes that they cover, by chance: programs leave gaps."""
    rng = np.random.default_rng(seed)
    return CoverageProblem.from_matrix(
        rng.random((NUM_SITES, 60)) < 0.15,
        weights=rng.integers(1, 5, 60),
        budget=NUM_CHOSEN,
    )


def optimum_of(problem, *, required=()):
    """The optimum, by trying all selections."""
    chosen = np.array(list(combinations(range(NUM_SITES), NUM_CHOSEN)))
    covers = np.zeros((NUM_SITES, problem.num_elements), dtype=bool)
    for i in range(NUM_SITES):
        covers[i, problem.edges.elements_of(i)] = True
    for i in required:
        chosen = chosen[(chosen == i).any(axis=1)]
    return float((covers[chosen].any(axis=1) @ problem.weights).max())


def never(bound=0.0):
    return False


@pytest.fixture
def splits(monkeypatch):
    """All trees split, and no selections are tried; returns how often they did."""
    monkeypatch.setattr(proof_tree, "_MAX_TO_TRY_FIRST", 0)
    monkeypatch.setattr(proof_tree, "_MAX_TO_TRY", 1)
    monkeypatch.setattr(branching, "_LEAST_ITEMS", 0)
    monkeypatch.setattr(branching, "_LEAST_DEGREE", 0.0)
    found = []

    def counted(*arguments):
        split = branching.cluster_to_split(*arguments)
        found.extend([] if split is None else [split])
        return split

    monkeypatch.setattr(proof_tree, "cluster_to_split", counted)
    return found


@for_each("seed", range(6))
def test_proofs_by_splits_are_exact(splits, seed):
    problem = sites(seed)
    optimum = optimum_of(problem)
    start = Selection.of(problem, [0])
    for nodes in (1, 3, 10**6):
        proof = prove(start, should_stop=never, max_nodes=nodes)
        assert proof.bound >= optimum
        claim = {"most_covered": proof.bound}
        assert not reasons_against_bound(problem, proof.certificate, **claim)
        below = {"most_covered": optimum - 1}
        assert reasons_against_bound(problem, proof.certificate, **below)
    assert proof.is_optimal
    assert proof.selection.value == optimum


def test_some_of_them_split(splits):
    for seed in range(6):
        prove(Selection.of(sites(seed), []), should_stop=never)
    assert len(splits) > 3


@for_each("seed", range(6))
def test_splits_are_lifted_to_the_original_problem(splits, seed):
    problem = sites(seed).with_constraints(required=[seed])
    result = solve(problem, "exact")
    assert str(verify(problem, result)) == "verified"
    assert result.selection.value == optimum_of(problem, required=[seed])


@for_each("seed", range(12))
def test_any_split_may_come_before_steps_that_prove_a_claim(seed):
    """Prices of rows that a case does not have are ignored."""
    rng = np.random.default_rng(seed)
    problem = sites(seed)
    plain = Prices(problem.weights, np.array([0.0, 5.0, 5.0]))
    items = rng.permutation(NUM_SITES)[: rng.integers(0, 8)]
    split = Split(items, int(rng.integers(-1, 5)), [plain], [plain])
    certificate = Certificate([split])
    covered = float(problem.weights.sum())
    for claim in (covered, covered - 1, 1.0):
        before = reasons_against_bound(
            problem, Certificate([plain]), most_covered=claim
        )
        if not before:
            assert not reasons_against_bound(problem, certificate, most_covered=claim)
        if claim < optimum_of(problem):
            assert reasons_against_bound(problem, certificate, most_covered=claim)
