"""The dual bound of sums: above the exact one, however the items are cut in blocks."""

from math import fsum

import numpy as np
from shard_tools import sharded

from thatch import CoverageProblem
from thatch.scale.running import shard_steps
from thatch.scale.running.sharded_descent import bound_from_sums


def test_rounding_errors_do_not_grow_with_the_number_of_blocks(tmp_path, monkeypatch):
    """1 + 2^-53 is rounded to 1: one sum after the other loses all small weights."""
    weights = [1.0, *[2.0**-53] * 5_000]
    costs = np.zeros(len(weights))
    problem = CoverageProblem.from_edges(
        # The last item exceeds the budget: the total weight is no bound on the others.
        [(i, i) for i in range(len(weights) + 1)],
        costs=[*costs, 2.0],
        weights=[*weights, 1_000.0],
        budget=1.0,
    )
    shards = sharded(problem, tmp_path, 1)
    sums = np.array([*weights, 1_000.0])
    exact = fsum(weights)
    assert exact <= bound_from_sums(shards, sums, free=0.0).bound <= exact + 1e-10
    monkeypatch.setattr(shard_steps, "_BLOCK_SIZE", 1)
    assert exact <= bound_from_sums(shards, sums, free=0.0).bound <= exact + 1e-10


def test_sums_that_are_too_large_leave_the_total_weight(tmp_path, monkeypatch):
    problem = CoverageProblem.from_edges(
        [(0, 0), (1, 1)], costs=[0, 0], weights=[1.0, 1.0], budget=1.0
    )
    shards = sharded(problem, tmp_path, 1)
    monkeypatch.setattr(shard_steps, "_BLOCK_SIZE", 1)
    assert bound_from_sums(shards, np.full(2, 1e308), free=0.0).bound == 2.0
