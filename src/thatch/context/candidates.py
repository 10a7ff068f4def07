"""Candidates: the few chunks of a pool that can be among the best, and what they cost.

Ranking tells most chunks of a large pool from the best ones. Only those that could be
selected are measured by the tokenizer, which takes longest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from thatch.arrays import Flags, Floats, Ints
from thatch.context.pool import Pool
from thatch.context.printing import Printing

__all__ = ["Candidates", "candidates_of"]

# The most relevant chunks are candidates until they have so many times the budget, and
# at least this many of them.
_TIMES_BUDGET, _MIN_CANDIDATES = 6.0, 64
# Sizes are extrapolated from so many chunks.
_CHUNKS_TO_MEASURE = 16
# Chunks whose embeddings have at least this cosine say the same.
_MIN_COSINE = 0.95


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


def candidates_of(
    texts: Sequence[str],
    pool: Pool,
    relevances: Floats,
    *,
    printing: Printing,
    required: Ints,
    embeddings: Floats | None = None,
) -> Candidates:
    """Choose the candidates, one per group of near-copies, and measure them.

    Parameters
    ----------
    texts, pool, relevances
        The chunks.
    printing
        How they are printed and measured, and the budget.
    required
        Chunks that must be selected.
    embeddings
        One row per chunk: those with nearly the same direction are near-copies, too.
    """
    originals = _with_required(pool.originals, required)
    numbers = np.arange(len(texts))
    # A heading with nothing below it stands for itself.
    has_text = np.isin(numbers, pool.headings[pool.headings != numbers])
    is_wanted = (relevances > 0) & (originals == numbers) & ~has_text
    is_wanted &= np.array([bool(text.strip()) for text in texts], dtype=np.bool_)
    is_wanted[required] = False
    wanted = np.flatnonzero(is_wanted)
    ranked = wanted[np.argsort(-relevances[wanted], kind="stable")]

    def measured(chunks: Ints) -> Floats:
        return printing.costs([(pool.sources[k], texts[k]) for k in chunks.tolist()])

    lengths = np.array([len(text) for text in texts], dtype=np.float64)
    few = ranked[:: max(1, len(ranked) // _CHUNKS_TO_MEASURE)]
    per_character = measured(few).sum() / max(lengths[few].sum(), 1.0)
    rough = np.cumsum(per_character * lengths[ranked])
    num_kept = int(np.searchsorted(rough, _TIMES_BUDGET * printing.budget)) + 1
    chunks = np.concatenate([required, ranked[: max(num_kept, _MIN_CANDIDATES)]])
    costs = measured(chunks)
    for k in np.flatnonzero(costs > printing.room).tolist():
        copy = _shorter_copy(chunks[k], originals, lengths, measured, printing.room)
        if copy is not None and k >= len(required):
            originals[originals == chunks[k]] = copy
            chunks[k], costs[k] = copy, measured(np.array([copy]))[0]
    if embeddings is not None:
        is_kept = _without_alike(chunks, embeddings, originals, len(required))
        chunks, costs = chunks[is_kept], costs[is_kept]
    order = np.argsort(chunks)
    return Candidates(chunks[order], costs[order], originals)


def _with_required(originals: Ints, required: Ints) -> Ints:
    """The originals, where a required chunk stands for what it is a near-copy of."""
    found = originals.copy()
    for k in required.tolist():
        if originals[k] not in required:
            found[originals == originals[k]] = k
    found[required] = required
    return found


def _shorter_copy(
    chunk: int,
    originals: Ints,
    lengths: Floats,
    measured: Callable[[Ints], Floats],
    room: float,
) -> int | None:
    """The longest near-copy of a chunk that fits the budget."""
    copies = np.flatnonzero(
        (originals == chunk) & (originals != np.arange(len(originals)))
    )
    if not copies.size:
        return None
    copies = copies[np.argsort(-lengths[copies], kind="stable")]
    fitting = copies[measured(copies) <= room]
    return int(fitting[0]) if fitting.size else None


def _without_alike(
    chunks: Ints, embeddings: Floats, originals: Ints, num_required: int
) -> Flags:
    """Which candidates none before resembles; the originals of the others change.

    The required ones come first, then the most relevant ones.
    """
    rows = embeddings[chunks]
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)
    is_alike = np.triu(rows @ rows.T >= _MIN_COSINE, k=1)
    is_alike[:, :num_required] = False
    is_kept = np.ones(chunks.size, dtype=np.bool_)
    for k in range(chunks.size):
        others = is_alike[k] & is_kept
        if is_kept[k] and others.any():
            is_kept &= ~others
            originals[np.isin(originals, chunks[others])] = chunks[k]
    return is_kept
