"""Candidates: the few chunks of a pool that can be among the best, and what they cost.

Most chunks of a large pool rank too low to be selected. Only the others are measured by
the tokenizer, which takes longest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from thatch.arrays import Flags, Floats, Ints
from thatch.context.pool import Pool
from thatch.context.printing import Printing

__all__ = ["Candidates", "candidates_of"]

# At least this many of the most relevant chunks are candidates.
_MIN_CANDIDATES = 32
# Sizes are extrapolated from about this many chunks.
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
    #: The greatest worth of a chunk that is none, 0 if there is no such chunk.
    greatest_left: float


def candidates_of(
    texts: Sequence[str],
    pool: Pool,
    worths: Floats,
    *,
    printing: Printing,
    required: Ints,
    embeddings: Floats | None = None,
    times_budget: float = inf,
    with_headings: bool = False,
) -> Candidates:
    """Choose the candidates, one per group of near-copies, and measure them.

    Parameters
    ----------
    texts, pool
        The chunks.
    worths
        What they are ranked by.
    printing
        How they are printed and measured, and the budget.
    required
        Chunks that must be selected.
    embeddings
        One row per chunk: those with nearly the same direction are near-copies, too.
    times_budget
        The best chunks are candidates, until their total size is this many times the
        budget. Default: all are candidates.
    with_headings
        Whether headings with a text below them are candidates.
    """
    sizes = _Sizes(texts, pool.sources, printing)
    originals = _with_required(pool.originals, required)
    ranked = _ranked(
        texts, pool, worths, originals, required, with_headings=with_headings
    )
    num_kept = sizes.num_within(ranked, times_budget * printing.budget) + 1
    num_kept = max(num_kept, _MIN_CANDIDATES)
    chunks, costs, originals = _shortened(
        np.concatenate([required, ranked[:num_kept]]), originals, sizes, len(required)
    )
    if embeddings is not None:
        is_kept = _without_alike(chunks, embeddings, originals, len(required))
        chunks, costs = chunks[is_kept], costs[is_kept]
    order = np.argsort(chunks)
    left = worths[ranked[num_kept : num_kept + 1]]
    return Candidates(
        chunks[order], costs[order], originals, float(left.max(initial=0.0))
    )


class _Sizes:
    """How long chunks are, and how large as printed."""

    def __init__(
        self, texts: Sequence[str], sources: Sequence[str], printing: Printing
    ) -> None:
        self._texts = texts
        self._sources = sources
        self._printing = printing
        #: float64, shape (num_chunks,): number of characters of each.
        self.lengths: Floats = np.array([len(text) for text in texts], dtype=np.float64)
        #: Maximum sum of costs.
        self.room = printing.room

    def costs(self, chunks: Ints) -> Floats:
        """What each of some chunks adds to the printed text."""
        return self._printing.costs([self._chunk(k) for k in chunks.tolist()])

    def fits_alone(self, k: int) -> bool:
        """Whether the printed text of one chunk is within the budget."""
        return self._printing.fits([self._chunk(k)])

    def num_within(self, ranked: Ints, total: float) -> int:
        """About how many of the first chunks cost less than a total."""
        few = ranked[:: max(1, len(ranked) // _CHUNKS_TO_MEASURE)]
        per_character = self.costs(few).sum() / max(self.lengths[few].sum(), 1.0)
        rough = np.cumsum(per_character * self.lengths[ranked])
        return int(np.searchsorted(rough, total))

    def _chunk(self, k: int) -> tuple[str, str]:
        return self._sources[k], self._texts[k]


def _with_required(originals: Ints, required: Ints) -> Ints:
    """The originals, where a required chunk represents what it is a near-copy of."""
    found = originals.copy()
    for k in required.tolist():
        if originals[k] not in required:
            found[originals == originals[k]] = k
    found[required] = required
    return found


def _ranked(
    texts: Sequence[str],
    pool: Pool,
    worths: Floats,
    originals: Ints,
    required: Ints,
    *,
    with_headings: bool,
) -> Ints:
    """Chunks that are worth anything and not required, those worth most first."""
    numbers = np.arange(len(texts))
    is_wanted = (worths > 0) & (originals == numbers)
    if not with_headings:
        # A heading with nothing below it is a chunk as any other.
        has_heading = (pool.headings >= 0) & (pool.headings != numbers)
        is_wanted[pool.headings[has_heading]] = False
    is_wanted &= np.array([bool(text.strip()) for text in texts], dtype=np.bool_)
    is_wanted[required] = False
    wanted = np.flatnonzero(is_wanted)
    return wanted[np.argsort(-worths[wanted], kind="stable")]


def _shortened(
    chunks: Ints, originals: Ints, sizes: _Sizes, num_required: int
) -> tuple[Ints, Floats, Ints]:
    """Chunks, costs and originals, where shorter near-copies replace what is too long.

    The required chunks come first, and stay.
    """
    chunks, originals, costs = chunks.copy(), originals.copy(), sizes.costs(chunks)
    for k in np.flatnonzero(costs > sizes.room).tolist():
        # Sizes of parts may add up to more than the whole, by rounding or a separator.
        if sizes.fits_alone(chunks[k]):
            costs[k] = sizes.room
            continue
        copy = _shorter_copy(chunks[k], originals, sizes)
        if copy is not None and k >= num_required:
            originals[originals == chunks[k]] = copy
            chunks[k], costs[k] = copy, sizes.costs(np.array([copy]))[0]
    return chunks, costs, originals


def _shorter_copy(chunk: int, originals: Ints, sizes: _Sizes) -> int | None:
    """The longest near-copy of a chunk that fits the budget."""
    copies = np.flatnonzero(
        (originals == chunk) & (originals != np.arange(len(originals)))
    )
    if not copies.size:
        return None
    copies = copies[np.argsort(-sizes.lengths[copies], kind="stable")]
    fitting = copies[sizes.costs(copies) <= sizes.room]
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
        # One row at a time: a matrix of all pairs may be too large.
        others = is_kept & (rows @ rows[k] >= _MIN_COSINE)
        others[: max(k + 1, num_required)] = False
        if is_kept[k] and others.any():
            is_kept &= ~others
            originals[np.isin(originals, chunks[others])] = chunks[k]
    return is_kept
