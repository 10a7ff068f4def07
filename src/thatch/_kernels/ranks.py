"""Ranks: distinct numbers, and where each is among them, by one bit per number.

Row w of `words` has the bits of the numbers 64 w to 64 w + 63, and how many are set in
all rows before it. So the table of 10^8 numbers has 25 MB, and a rank takes one access.
"""

from __future__ import annotations

import cython

# Every other bit, every other pair, every other four, and the lowest bit of each byte.
ONES = cython.declare(cython.ulonglong, 0x5555555555555555)
TWOS = cython.declare(cython.ulonglong, 0x3333333333333333)
FOURS = cython.declare(cython.ulonglong, 0x0F0F0F0F0F0F0F0F)
BYTES = cython.declare(cython.ulonglong, 0x0101010101010101)
ONE = cython.declare(cython.ulonglong, 1)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _num_ones(x: cython.ulonglong) -> cython.ulonglong:
    """How many bits are set: sums of pairs, of fours, of eights, and of all."""
    x -= (x >> 1) & ONES
    x = (x & TWOS) + ((x >> 2) & TWOS)
    x = (x + (x >> 4)) & FOURS
    return ((x * BYTES) >> 56) & 255


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _bit(number: cython.int) -> cython.ulonglong:
    """The bit of a number in its row."""
    return ONE << cython.cast(cython.ulonglong, number & 63)


def mark(
    numbers: cython.const[cython.int][::1], words: cython.ulonglong[:, ::1]
) -> cython.Py_ssize_t:
    """Set the bits of the numbers; return how many are distinct."""
    total: cython.ulonglong = 0
    with cython.nogil:
        for k in range(numbers.shape[0]):
            words[numbers[k] >> 6, 0] |= _bit(numbers[k])
        for w in range(words.shape[0]):
            words[w, 1] = total
            total += _num_ones(cython.cast(cython.ulonglong, words[w, 0]))
    return total


def rank(
    numbers: cython.const[cython.int][::1],
    words: cython.const[cython.ulonglong][:, ::1],
    distinct: cython.longlong[::1],
    ranks: cython.int[::1],
    counts: cython.int[::1],
) -> None:
    """Set the distinct numbers, ascending, the rank of each, and how many there are."""
    r: cython.Py_ssize_t
    with cython.nogil:
        for k in range(numbers.shape[0]):
            below = cython.cast(cython.ulonglong, words[numbers[k] >> 6, 0])
            below &= _bit(numbers[k]) - ONE
            r = cython.cast(cython.Py_ssize_t, words[numbers[k] >> 6, 1])
            r += _num_ones(below)
            ranks[k] = r
            counts[r] += 1
        r = 0
        for k in range(words.shape[0]):
            bits = cython.cast(cython.ulonglong, words[k, 0])
            while bits:
                # The lowest bit that is set: those below it are set in bits - 1 alone.
                distinct[r] = 64 * k + _num_ones(~bits & (bits - 1))
                r += 1
                bits &= bits - 1
