"""Layouts: how selected passages are printed, and their printed size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from thatch.arrays import Floats
from thatch.errors import InputTypeError
from thatch.text.costs.units import CHARACTERS, Unit
from thatch.text.language.words import needs_no_space
from thatch.text.passages.passages import Granularity, Passage, Passages

# Languages whose sentences follow each other without a space.
_TIGHT_LANGUAGES = frozenset({"ja", "yue", "zh"})


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
    #: Whether the separator is left out after Chinese and Japanese sentences.
    is_tight: bool = False

    def __post_init__(self) -> None:
        for name in ("separator", "heading"):
            if not isinstance(getattr(self, name), str):
                raise InputTypeError(
                    f"{name} is {getattr(self, name)!r}; a string was expected.",
                    hint="Pass an empty string for none.",
                )

    @classmethod
    def usual(cls, by: Granularity, languages: Iterable[str] = ()) -> Layout:
        """Return the default layout of sentences, paragraphs or files.

        Sentences are separated by spaces, but not those of Chinese and Japanese;
        paragraphs and files by blank lines. Files have their names as headings.

        Parameters
        ----------
        by
            What is printed.
        languages
            Language codes of the documents.

        >>> Layout.usual(Granularity.SENTENCE, ["ja"]).joined(["晴れ。", "雨。", "OK."])
        '晴れ。雨。OK.'
        """
        if by is Granularity.SENTENCE:
            return cls(is_tight=not _TIGHT_LANGUAGES.isdisjoint(languages))
        return cls("\n\n", "## {name}\n\n" if by is Granularity.FILE else "")

    def printed(self, passage: Passage, passages: Passages) -> str:
        """The passage under its heading."""
        if not self.heading:
            return passage.text
        name = passages.name_of(passage.document)
        return self.heading.replace("{name}", name) + passage.text

    def joined(self, texts: Iterable[str]) -> str:
        """The texts, with the separator between them."""
        if not self.is_tight:
            return self.separator.join(texts)
        given = list(texts)
        return "".join(map(self._with_separator, given[:-1])) + "".join(given[-1:])

    def _with_separator(self, text: str) -> str:
        return text if needs_no_space(text) else text + self.separator

    def adds_up(self, unit: Unit, texts: Iterable[str] = ()) -> bool:
        """Whether the size of a printed summary is the sum of its passages' costs.

        Parameters
        ----------
        unit
            What is measured.
        texts
            The passages as printed, which matter only if the layout is tight.
        """
        if self.is_tight and unit is CHARACTERS:
            return all(map(needs_no_space, texts))
        ends = self.separator[:1], self.separator[-1:]
        return unit.adds_up and (unit is CHARACTERS or all(map(str.isspace, ends)))

    def costs(self, texts: Sequence[str], unit: Unit) -> Floats:
        """Size of each text with its separator: float64, shape (num_texts,).

        The separator is the one before a text; if the layout is tight, the one after
        it, which depends on the text.
        """
        if self.is_tight:
            printed = [self._with_separator(text) for text in texts]
        else:
            printed = [self.separator + text for text in texts]
        # Some tokenizers add tokens for the start and the end of every text.
        *sizes, empty = unit.measure_each([*printed, ""])
        return np.maximum(np.array(sizes, dtype=float) - empty, 0.0)

    def budget(self, budget: float, unit: Unit) -> float:
        """Return the maximum sum of costs, given the maximum size of what is printed.

        It is larger by one separator, because none is printed before the first passage.
        In a tight layout most passages have no separator, and it stays as it is.
        """
        empty = unit.measure("")
        if self.is_tight:
            return max(budget - empty, 0.0)
        return max(budget - empty + unit.measure(self.separator) - empty, 0.0)
