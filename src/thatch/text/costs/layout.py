"""Layouts: how selected passages are printed, and their printed size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from thatch.arrays import Floats
from thatch.errors import InputTypeError
from thatch.text.costs.units import CHARACTERS, Unit
from thatch.text.passages.passages import Granularity, Passage, Passages

__all__ = ["Layout"]


@dataclass(frozen=True)
class Layout:
    r"""How the passages of a summary are printed: separator and headings.

    >>> Layout(separator=" / ").joined(["One.", "Two."])
    'One. / Two.'
    """

    #: Printed between passages.
    separator: str = " "
    #: Printed above each passage; ``{name}`` is replaced by the name of its document.
    heading: str = ""

    def __post_init__(self) -> None:
        for name in ("separator", "heading"):
            if not isinstance(getattr(self, name), str):
                raise InputTypeError(
                    f"{name} is {getattr(self, name)!r}; a string was expected.",
                    hint="Pass an empty string for none.",
                )

    @classmethod
    def usual(cls, by: Granularity) -> Layout:
        """Return the default layout of sentences, paragraphs or files.

        Sentences are separated by spaces, paragraphs and files by blank lines; files
        have their names as headings.
        """
        if by is Granularity.SENTENCE:
            return cls()
        return cls("\n\n", "## {name}\n\n" if by is Granularity.FILE else "")

    def printed(self, passage: Passage, passages: Passages) -> str:
        """The passage under its heading."""
        if not self.heading:
            return passage.text
        name = passages.name_of(passage.document)
        return self.heading.replace("{name}", name) + passage.text

    def joined(self, texts: Iterable[str]) -> str:
        """The texts, with the separator between them."""
        return self.separator.join(texts)

    def adds_up(self, unit: Unit) -> bool:
        """Whether the size of a printed summary is the sum of its passages' costs."""
        ends = self.separator[:1], self.separator[-1:]
        return unit.adds_up and (unit is CHARACTERS or all(map(str.isspace, ends)))

    def costs(self, texts: Sequence[str], unit: Unit) -> Floats:
        """Size of each text with a separator before it: float64, shape (num_texts,)."""
        measured = [unit.measure(self.separator + text) for text in texts]
        # Some tokenizers add tokens for the start and the end of every text.
        return np.maximum(np.array(measured, dtype=float) - unit.measure(""), 0.0)

    def budget(self, budget: float, unit: Unit) -> float:
        """Return the maximum sum of costs, given the maximum size of what is printed.

        It is larger by one separator, because none is printed before the first passage.
        """
        empty = unit.measure("")
        return max(budget - empty + unit.measure(self.separator) - empty, 0.0)
