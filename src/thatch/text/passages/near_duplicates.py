"""Near-duplicates: texts that repeat most of an earlier text."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

__all__ = ["near_duplicates"]

# Texts are compared by runs of this many words, or of all words if they have fewer.
_WORDS_PER_RUN = 3


def near_duplicates(
    term_lists: Sequence[Sequence[str]], *, similarity: float = 0.8
) -> dict[int, int]:
    """Find near-duplicates: index of each, and index of the earlier text it repeats.

    The similarity of two texts is the Jaccard index of their word triples. A text is
    compared only with texts that share one of its rarest triples; every text at least
    as similar as required does.

    Parameters
    ----------
    term_lists
        The terms of each text.
    similarity
        Minimum similarity of near-duplicates.

    >>> near_duplicates(["a b c d".split(), "x y z".split(), "a b c d".split()])
    {2: 0}
    """
    sets = [_runs(terms) for terms in term_lists]
    frequencies = Counter(run for runs in sets for run in runs)
    earlier: dict[tuple[str, ...], list[int]] = defaultdict(list)
    duplicates: dict[int, int] = {}
    for i, runs in enumerate(sets):
        rarest_first = sorted(runs, key=lambda run: (frequencies[run], run))
        num_compared = len(runs) - int(similarity * len(runs) + 1 - 1e-9) + 1
        compared = rarest_first[: max(num_compared, 1)]
        candidates = sorted({j for run in compared for j in earlier[run]})
        original = next(
            (j for j in candidates if _similarity(runs, sets[j]) >= similarity), None
        )
        if original is not None:
            duplicates[i] = original
            continue
        for run in compared:
            earlier[run].append(i)
    return duplicates


def _runs(terms: Sequence[str]) -> frozenset[tuple[str, ...]]:
    length = min(_WORDS_PER_RUN, len(terms))
    if not length:
        return frozenset()
    return frozenset(zip(*(terms[k:] for k in range(length)), strict=False))


def _similarity(one: frozenset[object], other: frozenset[object]) -> float:
    return len(one & other) / len(one | other)
