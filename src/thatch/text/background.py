"""How many documents of a large collection hold each term: what makes a term rare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from thatch.text.document import Document
from thatch.text.passages import language_of
from thatch.text.terms import Terms

__all__ = ["Background"]


@dataclass(frozen=True)
class Background:
    """Document counts of terms.

    >>> texts = ["A vote.", "The votes are in."]
    >>> background = Background.of(Document.from_text(text) for text in texts)
    >>> background.num_documents, background.counts["vote"]
    (2, 2)
    """

    num_documents: int = 0
    #: In how many documents each term occurs.
    counts: Mapping[str, int] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, documents: Iterable[Document], *, language: str | None = None
    ) -> Background:
        """Document counts over the documents; the language is guessed unless given."""
        given = list(documents)
        language = language or language_of(given)
        texts = [document.text for document in given]
        counts: Counter[str] = Counter()
        for terms in Terms(language).of_each(texts):
            counts.update(set(terms))
        return cls(len(texts), counts)

    def without(self, other: Background) -> Background:
        """Return the counts less those of some of the documents."""
        counts = Counter(self.counts)
        counts.subtract(other.counts)
        return Background(self.num_documents - other.num_documents, counts)
