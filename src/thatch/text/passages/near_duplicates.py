"""Near-copies: passages that say again what an earlier one said."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

__all__ = ["near_duplicates"]

# Shared words in a row that are compared; fewer in texts that are shorter.
_WORDS_IN_A_ROW = 3


def near_duplicates(
    term_lists: Sequence[Sequence[str]], *, likeness: float = 0.8
) -> dict[int, int]:
    """The earlier text that each near-copy repeats, by their numbers.

    Texts are alike by the share of their word triples that both have (Jaccard). A text
    is compared only with those that share one of its rarest triples: if it is as like
    as asked, it must.

    >>> near_duplicates(["a b c d".split(), "x y z".split(), "a b c d".split()])
    {2: 0}
    """
    sets = [_runs(terms) for terms in term_lists]
    holders = Counter(run for runs in sets for run in runs)
    earlier: dict[tuple[str, ...], list[int]] = defaultdict(list)
    copies: dict[int, int] = {}
    for i, runs in enumerate(sets):
        rarest_first = sorted(runs, key=lambda run: (holders[run], run))
        num_compared = len(runs) - int(likeness * len(runs) + 1 - 1e-9) + 1
        compared = rarest_first[: max(num_compared, 1)]
        alike = sorted({j for run in compared for j in earlier[run]})
        original = next(
            (j for j in alike if _likeness(runs, sets[j]) >= likeness), None
        )
        if original is not None:
            copies[i] = original
            continue
        for run in compared:
            earlier[run].append(i)
    return copies


def _runs(terms: Sequence[str]) -> frozenset[tuple[str, ...]]:
    length = min(_WORDS_IN_A_ROW, len(terms))
    if not length:
        return frozenset()
    return frozenset(zip(*(terms[k:] for k in range(length)), strict=False))


def _likeness(one: frozenset[object], other: frozenset[object]) -> float:
    return len(one & other) / len(one | other)
