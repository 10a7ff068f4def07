"""Hashes: permutations are permutations, and buckets are evenly filled."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thatch._kernels import hashing

KEYS = np.random.PCG64(1).random_raw(6)


def images(size, keys=KEYS):
    found = np.empty(size, dtype=np.int32)
    hashing.permuted_groups(0, size, 1, keys, found)
    return found


@given(st.integers(1, 3000))
def test_every_position_has_another_image(size):
    assert np.array_equal(np.sort(images(size)), np.arange(size))


def test_images_do_not_depend_on_where_they_start():
    found = np.empty(100, dtype=np.int32)
    hashing.permuted_groups(900, 1000, 1, KEYS, found)
    assert np.array_equal(found, images(1000)[900:])


def test_images_are_spread_like_random_numbers():
    """Neither places nor differences of neighbors have a pattern."""
    found = images(100_000)
    assert abs(np.corrcoef(found, np.arange(100_000))[0, 1]) < 0.02
    steps = (np.diff(found) % 100_000) * 10 // 100_000
    counts = np.bincount(steps, minlength=10)
    # Chi-squared with nine degrees of freedom is below 33.7 in 9999 of 10,000.
    assert ((counts - 9999.9) ** 2 / 9999.9).sum() < 33.7


def test_another_key_is_another_permutation():
    other = KEYS.copy()
    other[0] += np.uint64(1)
    assert (images(1000) == images(1000, other)).mean() < 0.05


@pytest.mark.parametrize("num_buckets", [1, 7, 65_536])
def test_buckets_of_integers_and_texts_are_even(num_buckets):
    ids = np.arange(100_000, dtype=np.int64)
    by_integer = np.empty(ids.size, dtype=np.uint16)
    hashing.buckets_of_integers(ids, num_buckets, by_integer)
    texts = [str(each).encode() for each in ids.tolist()]
    starts = np.cumsum([0, *map(len, texts)])
    by_text = np.empty(ids.size, dtype=np.uint16)
    content = np.frombuffer(b"".join(texts), dtype=np.uint8)
    hashing.buckets_of_texts(content, starts, num_buckets, by_text)
    mean = ids.size / num_buckets
    for buckets in (by_integer, by_text):
        counts = np.bincount(buckets, minlength=num_buckets)
        assert counts.size == num_buckets
        spread = ((counts - mean) ** 2 / mean).sum()
        assert abs(spread - (num_buckets - 1)) < 5 * np.sqrt(2 * num_buckets)
