"""Names that files of integer programs can store."""

from __future__ import annotations

import re
from collections.abc import Iterable

# Readers differ in what else they accept, and in how long names may be.
_OTHER = re.compile(r"[^A-Za-z0-9_]+")
_MAX_LENGTH = 60


def column_names(kind: str, labels: Iterable[str]) -> tuple[str, ...]:
    """Unique names of ASCII letters, digits and underscores.

    Parameters
    ----------
    kind
        What every name starts with.
    labels
        What the names are made from; they need not be unique.

    >>> column_names("item", ["Köln Süd", "a b", "a-b", "", "7"])
    ('item_K_ln_S_d', 'item_a_b', 'item_a_b_2', 'item', 'item_7')
    """
    taken: set[str] = set()
    last_number: dict[str, int] = {}
    names = []
    for label in labels:
        start = f"{kind}_{_OTHER.sub('_', label)}"[:_MAX_LENGTH].rstrip("_")
        name = start
        while name in taken:
            last_number[start] = last_number.get(start, 1) + 1
            name = f"{start}_{last_number[start]}"
        taken.add(name)
        names.append(name)
    return tuple(names)
