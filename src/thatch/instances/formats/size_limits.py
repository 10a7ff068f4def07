"""How large a problem a small file may describe.

A few bytes can name element 99,999,999, and a compressed archive can expand a
thousandfold. The size is checked before memory is allocated for it.
"""

from __future__ import annotations

from typing import Final

#: A file of any size may describe this many elements or array entries.
ALWAYS_ALLOWED: Final = 4_000_000
#: A larger file may describe this many per entry or byte that it contains.
PER_ENTRY: Final = 10


def max_described(num_contained: int) -> int:
    """Maximum size that a file may describe, given the size that it contains.

    >>> max_described(70), max_described(10**9)
    (4000000, 10000000000)
    """
    return max(ALWAYS_ALLOWED, PER_ENTRY * num_contained)
