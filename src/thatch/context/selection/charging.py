"""Charging: what each candidate adds to the printed text, alone and with companions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from thatch.arrays import Floats, Ints
from thatch.context.selection.candidates import Candidates
from thatch.context.selection.ranked_pool import RankedPool
from thatch.errors import InputError


@dataclass(frozen=True, eq=False)
class Charges:
    """Sizes of candidates as printed, and which of them are selected in any case."""

    #: float64, shape (num_candidates,): size of each.
    costs: Floats
    #: float64, shape (num_candidates,): with its header and companions.
    charges: Floats
    #: Chunks that accompany others, by the index of the other.
    companions: Mapping[int, Sequence[int]]
    #: int64: the candidates that are selected in any case: those that must be, and the
    #: most relevant one if it fits with them.
    preferred: Ints


def charges_of(
    found: Candidates,
    companions: Mapping[int, Sequence[int]],
    ranked: RankedPool,
    *,
    required: Ints,
    groups: Sequence[str] | None = None,
    per_group: int | None = None,
) -> Charges:
    """Charge candidates for what is printed with them, as far as that fits.

    Companions are ordered by how much they are needed. It is an error if the required
    chunks exceed the budget or the limit of a group.
    """
    _require_room(required.tolist(), ranked)
    counts = Counter(groups[k] for k in required.tolist()) if groups else Counter[str]()
    _require_group_limit(counts, per_group)
    kept, charges = _accompanied(found, companions, ranked)
    if not ranked.fits(_printed(required.tolist(), kept)):
        kept = {k: each for k, each in kept.items() if k not in required}
    preferred = np.searchsorted(found.chunks, required)
    best = _most_relevant(found.chunks, ranked.relevances)
    if best is not None and best not in preferred:
        k = int(found.chunks[best])
        before = _printed(required.tolist(), kept)
        is_open = per_group is None or not groups or counts[groups[k]] < per_group
        if is_open and ranked.fits([*before, k]):
            preferred = np.append(preferred, best)
            if not ranked.fits([*before, *_printed([k], kept)]):
                kept.pop(k, None)
    costs, bare = found.costs.copy(), found.chunks[preferred].tolist()
    # Sizes of parts may add up to more than the whole; what is selected in any case
    # must not exceed what it takes together.
    around = ranked.printing.budget - ranked.printing.room
    _limit(costs, preferred, ranked.size(bare) - around)
    _limit(charges, preferred, ranked.size(_printed(bare, kept)) - around)
    return Charges(costs, charges, kept, preferred)


def _printed(
    chunks: Sequence[int], companions: Mapping[int, Sequence[int]]
) -> list[int]:
    return [*chunks, *(c for k in chunks for c in companions.get(k, ()))]


def _most_relevant(chunks: Ints, relevances: Floats) -> int | None:
    """Position of the most relevant of some chunks, unless none is relevant."""
    if relevances[chunks].max(initial=0.0) <= 0:
        return None
    return int(np.argmax(relevances[chunks]))


def _accompanied(
    found: Candidates, companions: Mapping[int, Sequence[int]], ranked: RankedPool
) -> tuple[dict[int, list[int]], Floats]:
    """Companions of candidates that fit the budget with them, and the costs of all."""
    printing, chunks = ranked.printing, found.chunks.tolist()
    charges = found.costs + printing.header_costs([ranked.sources[k] for k in chunks])
    for item in np.flatnonzero(charges > printing.room).tolist():
        if ranked.fits([chunks[item]]):
            charges[item] = printing.room
    needed = {k: companions[k] for k in chunks if k in companions}
    measured = sorted({c for each in needed.values() for c in each})
    cost_of = dict(zip(measured, ranked.costs(measured).tolist(), strict=True))
    kept: dict[int, list[int]] = {}
    for item, k in enumerate(chunks):
        for companion in needed.get(k, ()):
            is_copy = found.originals[companion] == found.originals[k]
            total = charges[item] + cost_of[companion]
            if not is_copy and total <= printing.room:
                charges[item] = total
                kept.setdefault(k, []).append(companion)
    return kept, charges


def _limit(sizes: Floats, items: Ints, total: float) -> None:
    """Reduce the sizes of some items so that their sum is at most the total."""
    present = float(sizes[items].sum())
    if present > max(total, 0.0):
        sizes[items] *= max(total, 0.0) / present


def _require_room(required: Sequence[int], ranked: RankedPool) -> None:
    printing, size = ranked.printing, ranked.size(required) if required else 0.0
    if size > printing.budget:
        raise InputError(
            f"the budget of {printing.budget:g} {printing.unit.name} is too small for "
            f"the chunks in must_include, which need {size:g}.",
            hint="Raise the budget, or require fewer chunks.",
        )


def _require_group_limit(counts: Mapping[str, int], per_group: int | None) -> None:
    if per_group is not None and max(counts.values(), default=0) > per_group:
        raise InputError(
            f"per_group is {per_group}, but must_include has more chunks of one group.",
            hint="Raise per_group, or require fewer chunks.",
        )
