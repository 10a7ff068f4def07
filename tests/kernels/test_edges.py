import numpy as np
import pytest


@pytest.mark.parametrize("size", [0, 1, 50])
def test_group_is_a_stable_sort(kernel, size):
    keys = np.random.default_rng(size).integers(0, 7, size).astype(np.int32)
    starts, order = np.zeros(8, dtype=np.int64), np.empty(size, dtype=np.int32)
    kernel("edges").group(keys, starts, order)
    np.testing.assert_array_equal(order, np.argsort(keys, kind="stable"))
    np.testing.assert_array_equal(np.diff(starts), np.bincount(keys, minlength=7))


def test_first_repeat_looks_only_within_a_group(kernel):
    members = np.array([1, 2, 2, 2], dtype=np.int32)
    apart = np.array([0, 2, 3, 4])
    together = np.array([0, 2, 4])
    assert kernel("edges").first_repeat(apart, members) == -1
    assert kernel("edges").first_repeat(together, members) == 3
