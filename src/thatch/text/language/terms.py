"""Terms: the words of a text in lower case and reduced to stems."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

from thatch.text.language.languages import (
    fillers,
    is_unspaced,
    stemmer_of,
    stop_words,
)
from thatch.text.language.words import words_of

# Words of these letters alone are particles and endings, where there are kanji as well.
_HIRAGANA = re.compile("[\u3040-\u309f\u30fc]+")
_IDEOGRAPH = re.compile("[\u3400-\u9fff\uf900-\ufaff]")


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
        lists = list(map(words_of, texts))
        term_of = self.of_words(set(chain.from_iterable(lists)))
        return (list(map(term_of.__getitem__, found)) for found in lists)

    def of_words(self, words: Iterable[str]) -> dict[str, str]:
        """The term of each of some distinct words, which are in lower case.

        >>> Terms("en").of_words(["parties", "party"])
        {'parties': 'parti', 'party': 'parti'}
        """
        algorithm = stemmer_of(self.language)
        if not self.is_stemmed or algorithm is None:
            return {word: word for word in words}
        return _stems(words, algorithm)

    def stop_terms(self) -> frozenset[str]:
        """Return the terms of the stop words."""
        return _stop_terms(self)


def is_telling(word: str, language: str) -> bool:
    """Whether a word says something to a reader who sees it alone.

    Numbers, single letters and fillers do not.

    >>> [is_telling(word, "en") for word in ("crew", "would", "37", "p")]
    [True, False, False, False]
    """
    is_long = len(word) > 1 or _IDEOGRAPH.match(word) is not None
    is_word = is_long and any(map(str.isalpha, word))
    is_filler = word.lower() in fillers(language) or bool(_HIRAGANA.fullmatch(word))
    return is_word and not is_filler


def spellings(
    words_of_each: Sequence[Sequence[str]], terms_of_each: Sequence[Sequence[str]]
) -> dict[str, str]:
    """Return the most frequent spelling of each term, to show in place of the stem.

    The first word of a text may have its capital for that reason: its spelling counts
    only for words that are nowhere else.

    >>> words = [["Parties", "in", "Paris"], ["All", "parties"]]
    >>> spellings(words, [["parti", "in", "pari"], ["all", "parti"]])
    {'parti': 'parties', 'in': 'in', 'pari': 'Paris', 'all': 'All'}
    """
    texts = list(zip(terms_of_each, words_of_each, strict=True))
    counts = Counter(
        chain.from_iterable(zip(terms, words, strict=True) for terms, words in texts)
    )
    firsts = Counter((terms[0], words[0]) for terms, words in texts if terms)
    totals: Counter[tuple[str, str]] = Counter()
    for (term, word), count in counts.items():
        totals[term, word.lower()] += count
    best: dict[str, tuple[tuple[int, int], str]] = {}
    for (term, word), count in counts.items():
        rank = totals[term, word.lower()], count - firsts[term, word]
        if term not in best or rank > best[term][0]:
            best[term] = rank, word
    return {term: word for term, (_, word) in best.items()}


@cache
def _stop_terms(terms: Terms) -> frozenset[str]:
    words = sorted(stop_words(terms.language))
    found = terms.of_each(words)
    if is_unspaced(terms.language):
        # Half a word says something else.
        found = (each for each in found if len(each) == 1)
    return frozenset(chain.from_iterable(found))


def _stems(words: Iterable[str], algorithm: str) -> dict[str, str]:
    import Stemmer

    distinct = list(words)
    # A stemmer has state: one per call makes this safe for threads. The words are
    # distinct, so that its cache is of no use.
    stems = Stemmer.Stemmer(algorithm, 0).stemWords(distinct)
    return dict(zip(distinct, stems, strict=True))
