import numpy as np
import pytest
from cases import for_each
from graphs import most_independent, random_pairs, search_in


@for_each("seed", range(60))
def test_it_finds_what_there_is_and_excludes_what_there_is_not(seed):
    size = 1 + seed % 14
    most_pairs = size * (size - 1) // 2
    pairs = random_pairs(seed, size=size, count=most_pairs * (1 + seed % 5) // 8)
    most = most_independent(pairs, size)
    for q in range(1, size + 2):
        search = search_in(pairs, size, q)
        found = search.run(10**6)
        assert (found is None) == (q > most)
        if found is None:
            assert search.is_closed
            assert search.tree.size == search.num_written > 0
        else:
            assert found.sum() >= q
            assert not any(found[u] and found[v] for u, v in pairs)


def test_a_search_goes_on_where_it_stopped():
    pairs = random_pairs(5, size=70, count=280)
    q = 20
    while (whole := search_in(pairs, 70, q)).run(10**6) is not None:
        q += 1
    parts, count = search_in(pairs, 70, q), 0
    while not parts.is_closed:
        assert parts.run(1) is None
        count += 1
    assert count > 1
    assert np.array_equal(whole.tree, parts.tree)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8])
def test_cliques_have_one_independent_vertex(size):
    pairs = [(u, v) for u in range(size) for v in range(u)]
    assert search_in(pairs, size, 1).run(9).sum() == 1
    assert search_in(pairs, size, 2).run(9) is None
