"""Printing: how chunks are rendered, measured and limited by the budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from thatch.arrays import Floats
from thatch.caching import cached_property
from thatch.context.rendering import Rendering
from thatch.text.costs.units import Unit

__all__ = ["Printing"]


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

    def fits(self, chunks: Sequence[tuple[str, str]]) -> bool:
        """Whether the printed text of chunks is within the budget."""
        return self.size(chunks) <= self.budget

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
