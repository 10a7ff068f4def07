"""Sharded problems as problems in memory."""

import numpy as np

from thatch import CoverageProblem


def whole(sharded):
    """The problem in memory; its elements are in the order of the shards."""
    ends, weights, num_elements = [], [], 0
    for k in range(len(sharded.shards)):
        shard = sharded.shard(k)
        degrees = np.diff(shard.element_start)
        elements = num_elements + np.repeat(np.arange(degrees.size), degrees)
        ends.append(np.column_stack([shard.items[shard.element_items], elements]))
        weights.append(shard.weights)
        num_elements += degrees.size
    return CoverageProblem.from_edges(
        np.concatenate(ends),
        costs=sharded.costs,
        weights=np.concatenate(weights),
        budget=sharded.budget,
    )


def elements_of(problem, label=lambda i: i):
    """Weight and labels of the items of each element, whatever their order."""
    edges = problem.edges
    return sorted(
        (
            float(problem.weights[a]),
            sorted(str(label(i)) for i in edges.items_of(a).tolist()),
        )
        for a in range(problem.num_elements)
    )
