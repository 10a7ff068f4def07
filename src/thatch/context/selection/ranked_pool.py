"""The ranked pool: chunks by their relevance, and how they are printed and measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from thatch.arrays import Floats, Ints
from thatch.context.selection.companions import companions_of
from thatch.context.selection.pool import Pool
from thatch.context.selection.rendering import Order, Rendering
from thatch.machine.caching import cached_property
from thatch.text.costs.units import Unit


@dataclass(frozen=True, eq=False)
class RankedPool:
    """A pool with the relevance of each chunk, and how chunks are printed."""

    #: The chunks as they are printed.
    texts: Sequence[str]
    pool: Pool
    #: float64, shape (num_chunks,): from 0 to 1.
    relevances: Floats
    printing: Printing
    order: Order = Order.SOURCE
    #: float64, shape (num_chunks,): the worths that follow from scores of the caller.
    #: Default: there are no such scores.
    scored_worths: Floats | None = None

    @property
    def has_scores(self) -> bool:
        """Whether the caller has scored the chunks."""
        return self.scored_worths is not None

    @property
    def worths(self) -> Floats:
        """What the weights of chunks are computed from."""
        return self.relevances if self.scored_worths is None else self.scored_worths

    @property
    def sources(self) -> Sequence[str]:
        """Where each chunk is from; empty if that is not known."""
        return self.pool.sources

    def ordered(self, chosen: Iterable[int]) -> list[int]:
        """Some chunks in the order in which they are printed."""
        places = self._in_source
        in_source = sorted(set(chosen), key=lambda k: int(places[k]))
        if self.order is Order.SOURCE:
            return in_source
        best_first = sorted(in_source, key=lambda k: -float(self.relevances[k]))
        if self.order is Order.RELEVANCE:
            return best_first
        # The best one first, the next one last, and so on: models read the ends best.
        return best_first[::2] + best_first[1::2][::-1]

    def size(self, chosen: Iterable[int]) -> float:
        """Size of the printed text of some chunks."""
        return self.printing.size(self._printed(self.ordered(chosen)))

    def fits(self, chosen: Iterable[int]) -> bool:
        """Whether the printed text of some chunks is within the budget."""
        return self.size(chosen) <= self.printing.budget

    def costs(self, chosen: Iterable[int]) -> Floats:
        """What each of some chunks adds to the printed text: float64."""
        return self.printing.costs(self._printed(chosen))

    def companions(self, window: int) -> Mapping[int, Sequence[int]]:
        """Chunks that should accompany each chunk, those that it needs most first."""
        pool = self.pool
        return companions_of(
            self.texts, pool.structure, pool.headings, pool.sources, window=window
        )

    def _printed(self, chunks: Iterable[int]) -> list[tuple[str, str]]:
        return [(self.sources[k], self.texts[k]) for k in chunks]

    @cached_property
    def _in_source(self) -> Ints:
        places = np.empty(len(self.texts), dtype=np.int64)
        places[self.pool.structure.order] = np.arange(len(self.texts))
        return places


@dataclass(frozen=True)
class Printing:
    """A rendering with the unit in which it is measured and the budget.

    >>> from thatch.text import WORDS
    >>> Printing(Rendering(), WORDS, 100.0).size([("", "Snow fell."), ("", "We left.")])
    4.0
    """

    rendering: Rendering
    unit: Unit
    #: Maximum size of the printed text.
    budget: float
    # Sizes of texts that were measured: counting tokens takes longest.
    _sizes: dict[str, float] = field(default_factory=dict, repr=False, compare=False)

    def size(self, chunks: Sequence[tuple[str, str]]) -> float:
        """Size of the printed text of chunks, each with its source and its text."""
        return self._measured([self.rendering.joined(chunks)])[0]

    def costs(self, chunks: Sequence[tuple[str, str]]) -> Floats:
        """What each chunk adds to the printed text: float64, shape (num_chunks,)."""
        return self._added([self.rendering.block(*chunk) for chunk in chunks])

    def header_costs(self, sources: Sequence[str]) -> Floats:
        """Size of the header of each source: float64, shape (num_sources,)."""
        if self.rendering.has_elements:
            return np.zeros(len(sources))
        return self._added(list(map(self.rendering.header_of, sources)))

    @cached_property
    def room(self) -> float:
        """Maximum sum of costs: the budget without what is around the chunks.

        In text and Markdown it is larger by one separator, because none is printed
        before the first chunk.
        """
        empty, frame, separator = self._measured(
            ["", self.rendering.frame, self.rendering.separator]
        )
        around = frame - empty if self.rendering.has_elements else empty - separator
        return max(self.budget - empty - around, 0.0)

    def _added(self, texts: Sequence[str]) -> Floats:
        # Some tokenizers add tokens for the start and the end of every text.
        empty, *sizes = self._measured(["", *texts])
        return np.maximum(np.array(sizes, dtype=np.float64) - empty, 0.0)

    def _measured(self, texts: Sequence[str]) -> list[float]:
        new = list(dict.fromkeys(text for text in texts if text not in self._sizes))
        sizes = map(float, self.unit.measure_each(new))
        self._sizes.update(zip(new, sizes, strict=True))
        return [self._sizes[text] for text in texts]
