import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from thatch._kernels import ranks as kernel


@given(arrays.arrays(np.int32, st.integers(0, 60), elements=st.integers(0, 200)))
def test_ranks_are_positions_among_the_distinct_numbers(numbers):
    words = np.zeros((4, 2), dtype=np.uint64)
    count = kernel.mark(numbers, words)
    distinct = np.empty(count, dtype=np.int64)
    ranks = np.empty(numbers.size, dtype=np.int32)
    counts = np.zeros(count, dtype=np.int32)
    kernel.rank(numbers, words, distinct, ranks, counts)
    expected = np.unique(numbers, return_inverse=True, return_counts=True)
    for found, each in zip((distinct, ranks, counts), expected, strict=True):
        assert np.array_equal(found, each)
