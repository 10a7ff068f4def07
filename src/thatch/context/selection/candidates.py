"""Candidates: the few chunks of a pool that can be among the best, and what they cost.

Most chunks of a large pool rank too low to be selected. Only the others are measured by
the tokenizer, which takes longest.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from thatch.arrays import Flags, Floats, Ints
from thatch.context.selection.ranked_pool import RankedPool

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
