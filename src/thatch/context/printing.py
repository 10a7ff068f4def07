"""Printing: how chunks are rendered, measured and limited by the budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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

    def size(self, chunks: Sequence[tuple[str, str]]) -> float:
        """Size of the printed text of chunks, each with its source and its text."""
        return float(self.unit.measure(self.rendering.joined(chunks)))

    def costs(self, chunks: Sequence[tuple[str, str]]) -> Floats:
        """What each chunk adds to the printed text: float64, shape (num_chunks,)."""
        return self._measured([self.rendering.block(*chunk) for chunk in chunks])

    def header_costs(self, sources: Sequence[str]) -> Floats:
        """Size of the header of each source: float64, shape (num_sources,)."""
        if self.rendering.has_elements:
            return np.zeros(len(sources))
        return self._measured(list(map(self.rendering.header_of, sources)))

    @cached_property
    def room(self) -> float:
        """Maximum sum of costs: the budget without what is around the chunks.

        In text and Markdown it is larger by one separator, because none is printed
        before the first chunk.
        """
        empty = self.unit.measure("")
        around = self.unit.measure(self.rendering.frame) - empty
        if not self.rendering.has_elements:
            around = empty - self.unit.measure(self.rendering.separator)
        return max(self.budget - empty - around, 0.0)

    def _measured(self, texts: Sequence[str]) -> Floats:
        sizes = np.array(self.unit.measure_each(texts), dtype=np.float64)
        # Some tokenizers add tokens for the start and the end of every text.
        return np.maximum(sizes - self.unit.measure(""), 0.0)
