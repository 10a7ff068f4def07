"""Hashes: random permutations, random integers and hashes of ids, all without state.

Any part of a sequence can be computed on its own, and is the same on every machine.
"""

from __future__ import annotations

import cython

# For Python's integers, which have any size; compiled, it is left out.
ALL_BITS = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _mixed(x: cython.ulonglong) -> cython.ulonglong:
    """A bijection of 64-bit integers after which every bit depends on every bit."""
    # The factors of the generator SplitMix64.
    first: cython.ulonglong = 0xBF58476D1CE4E5B9
    second: cython.ulonglong = 0x94D049BB133111EB
    x ^= x >> 30
    x = (x * first) & ALL_BITS
    x ^= x >> 27
    x = (x * second) & ALL_BITS
    return x ^ (x >> 31)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _below(
    x: cython.ulonglong, key: cython.ulonglong, bound: cython.ulonglong
) -> cython.ulonglong:
    """The hash of x, scaled to the integers below the bound, which is below 2^32."""
    # Uncompiled, a key is a number of NumPy, which warns that sums are too large.
    x = (x + cython.cast(cython.ulonglong, key)) & ALL_BITS
    return ((_mixed(x) >> 32) * bound) >> 32


def permuted_groups(
    first: cython.ulonglong,
    size: cython.ulonglong,
    group_size: cython.ulonglong,
    keys: cython.const[cython.ulonglong][::1],
    groups: cython.int[::1],
) -> None:
    """The group of the image of each position from `first` on.

    Positions 0 to size - 1 are permuted at random, and consecutive images are grouped.
    The permutation is a Feistel network on pairs (left, right), of which there are
    hardly more than `size`. Images that are too large are permuted again. A round
    takes two keys.
    """
    width: cython.ulonglong = 1
    num_pairs: cython.Py_ssize_t = keys.shape[0] // 2
    with cython.nogil:
        while width * width < size:
            width += 1
        height = (size + width - 1) // width
        next_left = first % width
        next_right = first // width
        for p in range(groups.shape[0]):
            left = next_left
            right = next_right
            next_left += 1
            if next_left == width:
                next_left = 0
                next_right += 1
            while True:
                for k in range(num_pairs):
                    left += _below(right, keys[2 * k], width)
                    if left >= width:
                        left -= width
                    right += _below(left, keys[2 * k + 1], height)
                    if right >= height:
                        right -= height
                x = right * width + left
                if x < size:
                    break
                left = x % width
                right = x // width
            groups[p] = cython.cast(cython.int, x // group_size)


def sort_rows(rows: cython.int[:, ::1]) -> cython.bint:
    """Sort each row, which should be short; return whether one has a repeated entry."""
    has_repeat: cython.bint = False
    with cython.nogil:
        for k in range(rows.shape[0]):
            for m in range(1, rows.shape[1]):
                entry = rows[k, m]
                n = m
                while n > 0 and rows[k, n - 1] > entry:
                    rows[k, n] = rows[k, n - 1]
                    n -= 1
                rows[k, n] = entry
                if n > 0 and rows[k, n - 1] == entry:
                    has_repeat = True
    return has_repeat


def uniform_integers(
    first: cython.ulonglong,
    key: cython.ulonglong,
    low: cython.ulonglong,
    high: cython.ulonglong,
    values: cython.double[::1],
) -> None:
    """Random integers from low to high, both included, of positions from `first` on."""
    with cython.nogil:
        for p in range(values.shape[0]):
            values[p] = low + _below(
                first + cython.cast(cython.ulonglong, p), key, high - low + 1
            )


def buckets_of_integers(
    ids: cython.const[cython.longlong][::1],
    num_buckets: cython.ulonglong,
    buckets: cython.ushort[::1],
) -> None:
    """The bucket of each id, by its hash."""
    with cython.nogil:
        for p in range(ids.shape[0]):
            buckets[p] = cython.cast(
                cython.ushort,
                _below(cython.cast(cython.ulonglong, ids[p]), 0, num_buckets),
            )


def buckets_of_texts(
    content: cython.const[cython.uchar][::1],
    starts: cython.const[cython.longlong][::1],
    num_buckets: cython.ulonglong,
    buckets: cython.ushort[::1],
) -> None:
    """The bucket of each text, by the hash of its bytes."""
    prime: cython.ulonglong = 0x100000001B3  # of the hash FNV-1a
    with cython.nogil:
        for p in range(buckets.shape[0]):
            x = 0
            for e in range(starts[p], starts[p + 1]):
                # Bytes are counted from 1, so that a leading zero byte counts.
                x = x * prime + cython.cast(cython.ulonglong, content[e]) + 1
                x &= ALL_BITS
            buckets[p] = cython.cast(cython.ushort, _below(x, 0, num_buckets))
