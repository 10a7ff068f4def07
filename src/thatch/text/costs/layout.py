"""Layout: how chosen passages are printed, and what they cost as printed."""

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
    r"""What stands between passages, and above each.

    >>> Layout(separator=" / ").joined(["One.", "Two."])
    'One. / Two.'
    """

    separator: str = " "
    #: Stands above each passage; ``{name}`` becomes the name of its document.
    heading: str = ""

    def __post_init__(self) -> None:
        for name in ("separator", "heading"):
            if not isinstance(getattr(self, name), str):
                raise InputTypeError(
                    f"{name} must be a string, got {getattr(self, name)!r}.",
                    hint="Pass an empty one for none.",
                )

    @classmethod
    def usual(cls, by: Granularity) -> Layout:
        """The layout that suits sentences, paragraphs or files."""
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
        """The texts as one, as printed."""
        return self.separator.join(texts)

    def adds_up(self, unit: Unit) -> bool:
        """Whether what is printed measures exactly what its parts cost."""
        ends = self.separator[:1], self.separator[-1:]
        return unit.adds_up and (unit is CHARACTERS or all(map(str.isspace, ends)))

    def costs(self, texts: Sequence[str], unit: Unit) -> Floats:
        """What each text adds, with the separator before it: float64, one a text."""
        measured = [unit.measure(self.separator + text) for text in texts]
        # Some tokenizers count a beginning and an end of every text.
        return np.maximum(np.array(measured, dtype=float) - unit.measure(""), 0.0)

    def budget(self, budget: float, unit: Unit) -> float:
        """What the costs of some texts may add up to, the first without separator."""
        of_nothing = unit.measure("")
        return max(budget - of_nothing + unit.measure(self.separator) - of_nothing, 0.0)
