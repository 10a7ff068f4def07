"""Bounds of problems in shards are verified shard by shard."""

from dataclasses import replace

import numpy as np
import pytest
from cases import for_each
from problems import random_problem

from thatch import BeliefPropagation, CoverageProblem, solve, verify
from thatch.run.certificates import Certificate, ShardPrices
from thatch.scale import ShardedProblem


def solved(problem, folder, num_shards=3, **options):
    shards = ShardedProblem.from_problem(problem, folder, num_shards=num_shards)
    solver = BeliefPropagation(max_iterations=10)
    return shards, solve(shards, solver, **options)


@for_each("seed", range(6))
def test_bounds_of_shards_are_verified(seed, tmp_path):
    problem = random_problem(seed)
    shards, result = solved(problem, tmp_path / str(seed))
    assert str(verify(shards, result)) == "verified"


def test_a_lower_bound_is_refused(tmp_path):
    rng = np.random.default_rng(0)
    problem = CoverageProblem.from_matrix(rng.random((40, 60)) < 0.1, budget=8)
    shards, result = solved(problem, tmp_path / "shards")
    assert str(verify(shards, result)) == "verified"
    lower = replace(result, upper_bound=result.selection.value - 1.0)
    assert "prices allow more" in str(verify(shards, lower))


def test_other_prices_prove_nothing_false(tmp_path):
    rng = np.random.default_rng(1)
    problem = CoverageProblem.from_matrix(rng.random((12, 20)) < 0.2, budget=3)
    optimum = solve(problem, "exact").selection.value
    shards, result = solved(problem, tmp_path / "shards", num_shards=2)
    for k in range(50):
        rng = np.random.default_rng(k)
        prices = ShardPrices(
            lambda number, rng=rng: rng.random(shards.shard(number).num_elements),
            rng.random() * 5,
        )
        claimed = replace(
            result,
            upper_bound=optimum - 1.0,
            certificate=Certificate(of_shards=prices),
        )
        assert not verify(shards, claimed).holds


@pytest.mark.parametrize("wrong", [np.zeros(1), np.full(500, np.nan)], ids=str)
def test_prices_of_other_shards_are_refused(wrong, tmp_path):
    problem = CoverageProblem.from_sets([{0, 1}, {2}], budget=1)
    shards, result = solved(problem, tmp_path / "shards", num_shards=1)
    prices = ShardPrices(lambda number: wrong, 0.5)
    claimed = replace(result, certificate=Certificate(of_shards=prices))
    assert "other shards" in str(verify(shards, claimed))
