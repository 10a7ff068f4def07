"""Graphs for vertex covers, and what enumeration says of them."""

import numpy as np

from thatch._kernels.vertex_covers import VertexCoverSearch


def random_pairs(seed, *, size, count):
    """Different pairs of vertices."""
    rng = np.random.default_rng(seed)
    every = [(u, v) for u in range(size) for v in range(u)]
    return [every[k] for k in rng.choice(len(every), count, replace=False)]


def most_independent(pairs, size):
    """The size of the largest independent set; sets of vertices are bits."""
    near = [0] * size
    for u, v in pairs:
        near[u] |= 1 << v
        near[v] |= 1 << u
    sets = [0]
    for v in range(size):
        sets += [each | 1 << v for each in sets if not each & near[v]]
    return max(each.bit_count() for each in sets)


def search_in(pairs, size, q):
    """A search for q independent vertices."""
    both = sorted([*pairs, *((v, u) for u, v in pairs)])
    start = np.append(0, np.cumsum(np.bincount([u for u, _ in both], minlength=size)))
    return VertexCoverSearch(start, np.array([v for _, v in both], dtype=np.int64), q)
