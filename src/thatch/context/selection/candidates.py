"""Candidates: the few chunks of a pool that can be among the best, and what they cost.

Most chunks of a large pool rank too low to be selected. Only the others are measured by
the tokenizer, which takes longest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from thatch.arrays import Flags, Floats, Ints
from thatch.context.selection.ranked_pool import RankedPool
from thatch.errors import InputError

# At least this many of the most relevant chunks are candidates.
_MIN_CANDIDATES = 32


@dataclass(frozen=True, eq=False)
class Candidates:
    """Chunks that may be selected, and their sizes as printed."""

    #: int64, shape (num_candidates,): their indices in the input, ascending.
    chunks: Ints
    #: float64, shape (num_candidates,): size of each as printed.
    costs: Floats
    #: int64, shape (num_chunks,): the chunk that says what each says; itself, if no
    #: other candidate does.
    originals: Ints
    #: The greatest worth of a chunk that is none, 0 if there is no such chunk.
    greatest_left: float


def candidates_of(
    ranked: RankedPool,
    *,
    required: Ints,
    excluded: Ints,
    embeddings: Floats | None = None,
    times_budget: float = inf,
) -> Candidates:
    """Choose the candidates, one per group of near-copies, and measure them.

    Near-copies may take the place of excluded chunks. Chunks whose embeddings have
    nearly the same direction are near-copies, too. The best chunks are candidates,
    until their total size is `times_budget` times the budget; by default all are.
    """
    lengths = np.array([len(text) for text in ranked.texts], dtype=np.float64)
    originals = _without_excluded(ranked.pool.originals, excluded, lengths)
    originals = _with_required(originals, required)
    best_first = _best_first(ranked, originals, np.concatenate([required, excluded]))
    total = times_budget * ranked.printing.budget
    num_kept = _num_within(total, best_first, ranked, lengths) + 1
    num_kept = max(num_kept, _MIN_CANDIDATES)
    chunks = np.concatenate([required, best_first[:num_kept]])
    chunks, costs, originals = _shortened(
        chunks, originals, ranked, lengths, len(required)
    )
    if embeddings is not None:
        is_kept = _without_alike(chunks, embeddings, originals, len(required))
        chunks, costs = chunks[is_kept], costs[is_kept]
    order = np.argsort(chunks)
    left = ranked.worths[best_first[num_kept : num_kept + 1]]
    return Candidates(
        chunks[order], costs[order], originals, float(left.max(initial=0.0))
    )


def _without_excluded(originals: Ints, excluded: Ints, lengths: Floats) -> Ints:
    """The originals, where the longest near-copies replace what is excluded."""
    found = originals.copy()
    found[excluded] = excluded
    for k in excluded.tolist():
        copies = np.flatnonzero((found == k) & (np.arange(len(found)) != k))
        if copies.size:
            found[copies] = copies[int(np.argmax(lengths[copies]))]
    return found


def _with_required(originals: Ints, required: Ints) -> Ints:
    """The originals, where a required chunk represents what it is a near-copy of."""
    found = originals.copy()
    for k in required.tolist():
        if originals[k] not in required:
            found[originals == originals[k]] = k
    found[required] = required
    return found


def _best_first(ranked: RankedPool, originals: Ints, decided: Ints) -> Ints:
    """Chunks that are worth anything and not decided on, those worth most first."""
    numbers = np.arange(len(ranked.texts))
    is_wanted = (ranked.worths > 0) & (originals == numbers)
    # Whoever scores a heading wants it.
    if not ranked.has_scores:
        headings = ranked.pool.headings
        # A heading with nothing below it is a chunk as any other.
        is_wanted[headings[(headings >= 0) & (headings != numbers)]] = False
    is_wanted &= np.array([bool(text.strip()) for text in ranked.texts], dtype=np.bool_)
    is_wanted[decided] = False
    wanted = np.flatnonzero(is_wanted)
    return wanted[np.argsort(-ranked.worths[wanted], kind="stable")]


def _num_within(total: float, chunks: Ints, ranked: RankedPool, lengths: Floats) -> int:
    """About how many of the first chunks cost less than a total."""
    # Sizes are extrapolated from about this many chunks.
    few = chunks[:: max(1, len(chunks) // 16)]
    costs = ranked.costs(few.tolist())
    per_character = costs.sum() / max(lengths[few].sum(), 1.0)
    return int(np.searchsorted(np.cumsum(per_character * lengths[chunks]), total))


def _shortened(
    chunks: Ints,
    originals: Ints,
    ranked: RankedPool,
    lengths: Floats,
    num_required: int,
) -> tuple[Ints, Floats, Ints]:
    """Chunks, costs and originals, where shorter near-copies replace what is too long.

    The required chunks come first, and stay.
    """
    room = ranked.printing.room
    chunks, originals = chunks.copy(), originals.copy()
    costs = ranked.costs(chunks.tolist())
    for position in np.flatnonzero(costs > room).tolist():
        chunk = int(chunks[position])
        # Sizes of parts may add up to more than the whole, by rounding or a separator.
        if ranked.fits([chunk]):
            costs[position] = room
            continue
        copy = _shorter_copy(chunk, originals, ranked, lengths)
        if copy is not None and position >= num_required:
            originals[originals == chunk] = copy
            chunks[position], costs[position] = copy, ranked.costs([copy])[0]
    return chunks, costs, originals


def _shorter_copy(
    chunk: int, originals: Ints, ranked: RankedPool, lengths: Floats
) -> int | None:
    """The longest near-copy of a chunk that fits the budget."""
    copies = np.flatnonzero(
        (originals == chunk) & (originals != np.arange(len(originals)))
    )
    if not copies.size:
        return None
    copies = copies[np.argsort(-lengths[copies], kind="stable")]
    fitting = copies[ranked.costs(copies.tolist()) <= ranked.printing.room]
    return int(fitting[0]) if fitting.size else None


def _without_alike(
    chunks: Ints, embeddings: Floats, originals: Ints, num_required: int
) -> Flags:
    """Which candidates none before resembles; the originals of the others change.

    The required ones come first, then the most relevant ones.
    """
    rows = embeddings[chunks]
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)
    is_kept = np.ones(chunks.size, dtype=np.bool_)
    for k in range(chunks.size):
        # Chunks whose embeddings have such a cosine say the same. One row at a time: a
        # matrix of all pairs may be too large.
        others = is_kept & (rows @ rows[k] >= 0.95)
        others[: max(k + 1, num_required)] = False
        if is_kept[k] and others.any():
            is_kept &= ~others
            originals[np.isin(originals, chunks[others])] = chunks[k]
    return is_kept


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
            f"per_group is {per_group}, but must_include has more chunks than that "
            "from one group.",
            hint="Raise per_group, or require fewer chunks.",
        )
