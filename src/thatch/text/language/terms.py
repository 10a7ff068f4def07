"""Terms: the words of a text in lower case and reduced to stems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

from thatch.text.language.languages import stemmer_of, stop_words
from thatch.text.language.words import words_of

__all__ = ["Terms"]


@dataclass(frozen=True)
class Terms:
    """How the terms of a language are found: lower-case words, reduced to stems.

    >>> list(Terms("en").of_each(["The parties voted!", "A party votes."]))
    [['the', 'parti', 'vote'], ['a', 'parti', 'vote']]
    """

    #: Language code, which determines stems and stop words.
    language: str
    #: Whether words are reduced to stems.
    is_stemmed: bool = True

    def of_each(self, texts: Iterable[str]) -> Iterator[list[str]]:
        """Terms of each text, in order."""
        algorithm = stemmer_of(self.language)
        if not self.is_stemmed or algorithm is None:
            return (words_of(text) for text in texts)
        return _stemmed((words_of(text) for text in texts), algorithm)

    def spellings(self, texts: Sequence[str]) -> dict[str, str]:
        """Return the most frequent word of each term, to show in place of the stem.

        >>> Terms("en").spellings(["Parties vote.", "Every party votes for parties."])
        {'parti': 'parties', 'vote': 'vote', 'everi': 'every', 'for': 'for'}
        """
        counts: dict[str, Counter[str]] = {}
        all_words = [words_of(text) for text in texts]
        for words, terms in zip(all_words, self.of_each(texts), strict=True):
            for word, term in zip(words, terms, strict=True):
                counts.setdefault(term, Counter())[word] += 1
        return {term: seen.most_common(1)[0][0] for term, seen in counts.items()}

    def stop_terms(self) -> frozenset[str]:
        """Return the terms of the stop words.

        >>> "veri" in Terms("en").stop_terms()  # very
        True
        """
        return _stop_terms(self)


@cache
def _stop_terms(terms: Terms) -> frozenset[str]:
    words = sorted(stop_words(terms.language))
    return frozenset(term for found in terms.of_each(words) for term in found)


def _stemmed(texts: Iterable[list[str]], algorithm: str) -> Iterator[list[str]]:
    import Stemmer

    lists = list(texts)
    words = list(set(chain.from_iterable(lists)))
    # A stemmer has state: one per call makes this safe for threads. The words are
    # distinct, so that its cache is of no use.
    stems = Stemmer.Stemmer(algorithm, 0).stemWords(words)
    stem_of = dict(zip(words, stems, strict=True)).__getitem__
    return (list(map(stem_of, found)) for found in lists)
