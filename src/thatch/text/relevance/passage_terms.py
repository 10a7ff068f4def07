"""Content terms of passages, as numbers: what relevance is computed from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

import numpy as np

from thatch.arrays import Floats, Ints, distinct, numbered
from thatch.machine.caching import cached_property
from thatch.text.language.detection import guess_languages
from thatch.text.language.terms import Terms
from thatch.text.language.word_numbers import numbered_words
from thatch.text.language.words import words_of

# Stop words have this number, and are left out.
_NO_TERM = -1


@dataclass(frozen=True, eq=False)
class PassageTerms:
    """The terms of each passage without stop words, numbered by a vocabulary.

    The two arrays are parallel: occurrence k is that of term ``terms[k]`` in passage
    ``owners[k]``. They are in the order of the text.

    >>> terms = PassageTerms.of(["The snow fell.", "It snows and snows."])
    >>> terms.owners, terms.terms
    (array([0, 0, 1, 1]), array([0, 1, 0, 0]))
    """

    #: int64, shape (num_occurrences,), ascending.
    owners: Ints
    #: int64, shape (num_occurrences,).
    terms: Ints
    num_passages: int
    #: Number of each term.
    vocabulary: Mapping[str, int]
    #: Language codes of the passages, that of most of them first.
    languages: tuple[str, ...]

    @classmethod
    def of(cls, texts: Sequence[str], *, language: str | None = None) -> PassageTerms:
        """Find the terms of texts."""
        languages = [language] * len(texts) if language else _languages(texts)
        # Words are numbered first: there are far fewer different ones.
        numbers, lengths, words = numbered_words(texts)
        vocabulary: dict[str, int] = {}
        terms = np.empty_like(numbers)
        codes = np.repeat(numbered(languages), lengths)
        for code, name in enumerate(dict.fromkeys(languages)):
            is_in = codes == code
            term_of = np.full(len(words), _NO_TERM)
            term_of[numbers[is_in]] = 0
            used = np.flatnonzero(term_of == 0)
            term_of[used] = _term_numbers([words[k] for k in used], name, vocabulary)
            terms[is_in] = term_of[numbers[is_in]]
        owners = np.repeat(np.arange(len(texts)), lengths)
        is_term = terms != _NO_TERM
        return cls(
            owners[is_term],
            terms[is_term],
            len(texts),
            vocabulary,
            tuple(code for code, _ in Counter(languages).most_common()),
        )

    @classmethod
    def of_lists(
        cls,
        term_lists: Sequence[Sequence[str]],
        *,
        languages: Sequence[str],
        stop_terms: AbstractSet[str] = frozenset(),
    ) -> PassageTerms:
        """The terms of passages that are known already, without stop words.

        >>> PassageTerms.of_lists([["the", "snow"]], languages=["en"]).vocabulary
        {'the': 0, 'snow': 1}
        """
        vocabulary: dict[str, int] = {}
        kept = [[t for t in terms if t not in stop_terms] for terms in term_lists]
        numbers = [vocabulary.setdefault(t, len(vocabulary)) for ts in kept for t in ts]
        return cls(
            np.repeat(np.arange(len(kept)), list(map(len, kept))),
            np.array(numbers, dtype=np.int64),
            len(kept),
            vocabulary,
            tuple(code for code, _ in Counter(languages).most_common()),
        )

    @cached_property
    def lengths(self) -> Floats:
        """Number of terms of each passage: float64, shape (num_passages,)."""
        counts = np.bincount(self.owners, minlength=self.num_passages)
        return counts.astype(np.float64)

    @cached_property
    def pairs(self) -> Ints:
        """Distinct pairs of passage and term, ascending: passage * num_terms + term."""
        return distinct(self.owners * self.num_terms + self.terms)

    @property
    def num_terms(self) -> int:
        """Size of the vocabulary."""
        return len(self.vocabulary)

    @cached_property
    def document_frequencies(self) -> Ints:
        """Number of passages that contain each term: int64, shape (num_terms,)."""
        return np.bincount(
            self.pairs % max(self.num_terms, 1), minlength=self.num_terms
        )

    @cached_property
    def rarities(self) -> Floats:
        """Inverse document frequency of each term: float64, shape (num_terms,)."""
        frequencies = self.document_frequencies
        return np.log1p((self.num_passages - frequencies + 0.5) / (frequencies + 0.5))

    def of_query(
        self, query: str, *, with_stop_words: bool = False
    ) -> dict[str, float]:
        """Terms of a query and how often it has each.

        In a pool of several languages, every language has a term for each word.
        """
        words = words_of(query)
        counts: Counter[str] = Counter()
        for code in self.languages or tuple(guess_languages([query])):
            terms = Terms(code)
            term_of = terms.of_words(set(words))
            stop = frozenset[str]() if with_stop_words else terms.stop_terms()
            found = Counter(term_of[word] for word in words)
            counts |= Counter({t: c for t, c in found.items() if t not in stop})
        return dict(counts)

    def counts(self, terms: Sequence[str]) -> Floats:
        """How often each passage has each of some terms.

        float64, shape (num_passages, len(terms)).
        """
        column_of = np.full(self.num_terms + 1, len(terms))
        for column, term in enumerate(terms):
            column_of[self.vocabulary.get(term, self.num_terms)] = column
        columns = column_of[self.terms]
        is_asked = columns < len(terms)
        table = np.zeros((self.num_passages, len(terms)))
        np.add.at(table, (self.owners[is_asked], columns[is_asked]), 1.0)
        return table

    def with_labels(self, labels: Sequence[str]) -> PassageTerms:
        """The terms of the passages together with those of a label for each."""
        distinct_labels = sorted(set(labels) - {""})
        if not distinct_labels:
            return self
        # Few passages have a label of their own: most are repeated.
        of_labels = PassageTerms.of(distinct_labels, language=self.languages[0])
        vocabulary = dict(self.vocabulary)
        numbers = np.array(
            [vocabulary.setdefault(t, len(vocabulary)) for t in of_labels.vocabulary],
            dtype=np.int64,
        )
        starts = np.searchsorted(of_labels.owners, np.arange(1, len(distinct_labels)))
        split = np.split(numbers[of_labels.terms], starts)
        terms_of = dict(zip(distinct_labels, split, strict=True))
        added = [terms_of.get(label, numbers[:0]) for label in labels]
        owners = np.repeat(np.arange(len(labels)), [each.size for each in added])
        owners = np.concatenate([self.owners, owners])
        order = np.argsort(owners, kind="stable")
        terms = np.concatenate([self.terms, *added])[order]
        return replace(self, owners=owners[order], terms=terms, vocabulary=vocabulary)

    def restricted_to(self, passages: Ints) -> PassageTerms:
        """The terms of some of the passages, which are renumbered."""
        number_of = np.full(self.num_passages, -1)
        number_of[passages] = np.arange(len(passages))
        owners = number_of[self.owners]
        is_kept = owners >= 0
        order = np.argsort(owners[is_kept], kind="stable")
        return replace(
            self,
            owners=owners[is_kept][order],
            terms=self.terms[is_kept][order],
            num_passages=len(passages),
        )


def _term_numbers(
    words: Sequence[str], language: str, vocabulary: dict[str, int]
) -> Ints:
    """Number of the term of each word; new terms are added to the vocabulary."""
    terms = Terms(language)
    stop = terms.stop_terms()
    numbers = [
        _NO_TERM if term in stop else vocabulary.setdefault(term, len(vocabulary))
        for term in terms.of_words(words).values()
    ]
    return np.array(numbers, dtype=np.int64)


def _languages(texts: Sequence[str]) -> list[str]:
    """Language of each text; that of a sample, if three quarters of it have one."""
    step = max(1, len(texts) // 16)
    sample = Counter(guess_languages(texts[::step]))
    for language, count in sample.most_common(1):
        if count >= 0.75 * sample.total():
            return [language] * len(texts)
    return guess_languages(texts)
