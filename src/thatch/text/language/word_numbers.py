"""Words as numbers: the words of many texts, found and numbered at once.

A pool of chunks has hundreds of thousands of words, and few different ones. Each is
hashed from the bytes of the text, eight at a time, and only the different ones become
strings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from thatch.arrays import Ints
from thatch.text.language.words import separated_words

_Hashes = NDArray[np.uint64]

_SPACE = ord(" ")
_BYTES = 8
# The bytes of a number that belong to a word, by the number of bytes left of it.
_MASKS = np.array([(1 << (8 * k)) - 1 for k in range(_BYTES + 1)], dtype=np.uint64)
# An odd number whose bits look random, and a shift: words hardly ever collide.
_FACTOR, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)
# Longer words, which are no words of a language, are hashed one by one.
_MAX_BYTES = 64


def numbered_words(
    texts: Sequence[str], separated: Callable[[str], bytes] = separated_words
) -> tuple[Ints, Ints, list[str]]:
    """Return the number of each word, the number of words per text, and the words.

    Words are numbered by their first appearance. By default, they are those of
    `words_of`; `separated` returns those of a text with spaces between them.
    """
    parts = [separated(text) for text in texts]
    # Whole numbers are read, so that something must follow the last word.
    joined = b" ".join([*parts, b" " * 3 * _BYTES])
    joined = joined[: len(joined) // _BYTES * _BYTES]
    starts, ends = _bounds(joined)
    offsets = np.cumsum([0, *(len(part) + 1 for part in parts)])
    lengths = np.diff(np.searchsorted(starts, offsets))
    numbers, firsts = _numbered(_hashes(joined, starts, ends))
    bounds = zip(starts[firsts].tolist(), ends[firsts].tolist(), strict=True)
    return numbers, lengths, [joined[start:end].decode() for start, end in bounds]


def _bounds(joined: bytes) -> tuple[Ints, Ints]:
    is_space = np.frombuffer(b" " + joined, dtype=np.uint8) == _SPACE
    bounds = np.flatnonzero(is_space[1:] != is_space[:-1])
    return bounds[::2], bounds[1::2]


def _hashes(joined: bytes, starts: Ints, ends: Ints) -> _Hashes:
    """A number for each word, the same for the same word."""
    eights = np.frombuffer(joined, dtype="<u8").astype(np.uint64, copy=False)
    lengths = ends - starts
    hashes = _mixed(_read(eights, starts, lengths))
    longer = np.flatnonzero((lengths > _BYTES) & (lengths <= _MAX_BYTES))
    offset = _BYTES
    for k in np.flatnonzero(lengths > _MAX_BYTES).tolist():
        word = joined[starts[k] : ends[k]]
        digest = blake2b(word, digest_size=_BYTES).digest()
        hashes[k] = int.from_bytes(digest, "little")
    while longer.size:
        found = _read(eights, starts[longer] + offset, lengths[longer] - offset)
        hashes[longer] = _mixed(hashes[longer] + found)
        offset += _BYTES
        longer = longer[lengths[longer] > offset]
    return hashes


def _read(eights: _Hashes, starts: Ints, lengths: Ints) -> _Hashes:
    """Up to eight bytes from each start on, as a number."""
    places, shifts = starts >> 3, ((starts & 7) << 3).view(np.uint64)
    # A shift by 64 bits is undefined: one bit, and then the rest.
    found = eights[places + 1] << np.uint64(1)
    found <<= np.uint64(63) - shifts
    found |= eights[places] >> shifts
    masked: _Hashes = found & _MASKS[np.minimum(lengths, _BYTES)]
    return masked


def _mixed(numbers: _Hashes) -> _Hashes:
    # Integers of 64 bits wrap around, as they should here.
    mixed = (numbers + np.uint64(1)) * _FACTOR
    found: _Hashes = mixed ^ (mixed >> _SHIFT)
    return found


def _numbered(hashes: _Hashes) -> tuple[Ints, Ints]:
    """Number of each hash by first appearance, and where each number appears first."""
    ordered = np.sort(hashes)
    is_new = np.ones(ordered.size, dtype=np.bool_)
    is_new[1:] = ordered[1:] != ordered[:-1]
    kinds = ordered[is_new]
    found = _places(hashes, kinds)
    firsts = np.empty(kinds.size, dtype=np.int64)
    # Of several that are written to one place, the last one stays.
    firsts[found[::-1]] = np.arange(hashes.size)[::-1]
    order = np.argsort(firsts)
    number_of = np.empty_like(order)
    number_of[order] = np.arange(order.size)
    return number_of[found], firsts[order]


def _places(hashes: _Hashes, kinds: _Hashes) -> Ints:
    """Index of each hash among the kinds, which are in order.

    A table of first bits is several times as fast as a binary search.
    """
    # Words are looked up by the first bits of their hashes: more than are needed to
    # number the words, so that most have an entry of their own.
    num_bits = kinds.size.bit_length() + 3
    shift = np.uint64(64 - num_bits)
    table = np.searchsorted(kinds >> shift, np.arange(1 << num_bits, dtype=np.uint64))
    found = table[(hashes >> shift).astype(np.int64)]
    wrong = np.flatnonzero(kinds[found] != hashes) if kinds.size else found
    while wrong.size:
        found[wrong] += 1
        wrong = wrong[kinds[found[wrong]] != hashes[wrong]]
    return found
