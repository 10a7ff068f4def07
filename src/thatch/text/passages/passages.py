"""Passages: the sentences, paragraphs or files from which a summary is selected."""

from __future__ import annotations

import enum
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from thatch.files.scripts import SCRIPTS
from thatch.machine.caching import cached_property
from thatch.text.documents.document import BlockKind, Document
from thatch.text.language.detection import guess_languages
from thatch.text.language.sentences import sentence_spans
from thatch.text.language.terms import Terms, spellings
from thatch.text.language.words import count_words, surface_words

# Addresses of pages and of mail, without the punctuation after them.
_ADDRESS = re.compile(
    r"\b(?:[a-zA-Z][a-zA-Z0-9+.-]{1,20}://|www\.)[^\s<>]*[^\s<>.,;:!?\"')\]]"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+"
)

_WIDE = SCRIPTS["han"] + SCRIPTS["kana"] + "\u3001\u3002\uff0c"
_LINE_END = rf"(?<=[{_WIDE}])[ \t]*[\r\n]+[ \t]*(?=[{_WIDE}])"


class Granularity(enum.StrEnum):
    """What a summary consists of: sentences, paragraphs or whole files."""

    SENTENCE = "sentence"
    PARAGRAPH = "paragraph"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence, a paragraph or a whole file, and its place in the documents."""

    #: The text to print: a sentence on one line and without markup, anything else
    #: unchanged.
    text: str
    #: Index of its document, from 0.
    document: int
    #: Index among the passages of its document, from 0.
    position: int
    #: Offset of its start in the text of its document.
    start: int
    #: Offset of its end in the text of its document.
    end: int


@dataclass(frozen=True, eq=False)
class Passages:
    """The passages of documents, in order.

    >>> texts = ["One. Two.", "Three."]
    >>> passages = Passages.of([Document.from_text(text) for text in texts])
    >>> [(p.text, p.document, p.position) for p in passages]
    [('One.', 0, 0), ('Two.', 0, 1), ('Three.', 1, 0)]
    """

    #: The documents.
    documents: tuple[Document, ...]
    #: Their passages.
    all: tuple[Passage, ...]
    #: What the passages are.
    by: Granularity
    #: Language code of each document.
    languages: tuple[str, ...]

    @classmethod
    def of(
        cls,
        documents: Sequence[Document],
        *,
        by: Granularity = Granularity.SENTENCE,
        language: str | None = None,
    ) -> Passages:
        """Split documents into passages.

        Parameters
        ----------
        documents
            The documents.
        by
            What the passages are.
        language
            Language code of all documents. Default: guessed for each of them.
        """
        languages = (
            languages_of(documents) if language is None else [language] * len(documents)
        )
        split = _SPLITTERS[by]
        passages = (
            Passage(text, d, position, start, end)
            for d, document in enumerate(documents)
            for position, (text, start, end) in enumerate(split(document, languages[d]))
        )
        return cls(tuple(documents), tuple(passages), by, tuple(languages))

    def __iter__(self) -> Iterator[Passage]:
        return iter(self.all)

    def __len__(self) -> int:
        return len(self.all)

    def name_of(self, document: int) -> str:
        """Name of a document; if it has none, its number from 1."""
        return self.documents[document].name or f"document {document + 1}"

    @cached_property
    def contents(self) -> tuple[str, ...]:
        """What each passage says: its text without markup and without addresses."""
        if self.by is Granularity.SENTENCE:
            texts = [passage.text for passage in self.all]
        else:
            texts = [
                self.documents[p.document].shown(p.start, p.end).text for p in self.all
            ]
        return tuple(map(_without_addresses, texts))

    @cached_property
    def language(self) -> str:
        """Language code of most of the text."""
        sizes: Counter[str] = Counter()
        for document, language in zip(self.documents, self.languages, strict=True):
            sizes[language] += len(document.text)
        return sizes.most_common(1)[0][0] if sizes else "en"

    @cached_property
    def terms(self) -> tuple[list[str], ...]:
        """Terms of each passage, in the language of its document."""
        found: list[list[str]] = [[]] * len(self.all)
        for language in dict.fromkeys(self.languages):
            indices = [
                p
                for p, passage in enumerate(self.all)
                if self.languages[passage.document] == language
            ]
            texts = (self.contents[p] for p in indices)
            for p, terms in zip(indices, Terms(language).of_each(texts), strict=True):
                found[p] = terms
        return tuple(found)

    @cached_property
    def spellings(self) -> dict[str, str]:
        """The word to show for each term, as it is written most often."""
        return spellings(self._written, self.terms)

    @cached_property
    def surface_forms(self) -> dict[str, tuple[str, ...]]:
        """The words that have each term, in lower case, in the order of the text."""
        pairs = dict.fromkeys(
            zip(
                chain.from_iterable(self.terms),
                (word.lower() for word in chain.from_iterable(self._written)),
                strict=True,
            )
        )
        found: dict[str, list[str]] = {}
        for term, word in pairs:
            found.setdefault(term, []).append(word)
        return {term: tuple(words) for term, words in found.items()}

    @cached_property
    def _written(self) -> list[list[str]]:
        """The words of each passage as they are written, one per term."""
        words = map(surface_words, self.contents)
        return [
            # A few letters become two in lower case, which may add a word.
            written if len(written) == len(terms) else terms
            for written, terms in zip(words, self.terms, strict=True)
        ]

    @cached_property
    def stop_terms(self) -> frozenset[str]:
        """Terms that are stop words, most often, in the language of their document."""
        stop = {language: Terms(language).stop_terms() for language in self.languages}
        if len(stop) == 1:
            return next(iter(stop.values()))
        excess: Counter[str] = Counter()
        for passage, terms in zip(self.all, self.terms, strict=True):
            stop_terms = stop[self.languages[passage.document]]
            for term in terms:
                excess[term] += 1 if term in stop_terms else -1
        return frozenset(term for term in excess if excess[term] > 0)

    @cached_property
    def num_words(self) -> tuple[int, ...]:
        """Number of words of each passage."""
        return tuple(count_words(passage.text) for passage in self.all)


def languages_of(documents: Sequence[Document]) -> list[str]:
    """Guess the language of each document, and return their codes.

    >>> languages_of([Document("Съешь ещё этих мягких булок.")])
    ['ru']
    """
    return guess_languages(document.text for document in documents)


_Texts = Iterator[tuple[str, int, int]]


def _files(document: Document, language: str) -> _Texts:
    del language
    text = document.text
    start = len(text) - len(text.lstrip())
    if start < len(text):
        end = len(text.rstrip())
        yield text[start:end], start, end


def _paragraphs(document: Document, language: str) -> _Texts:
    del language
    for block in document.blocks:
        if block.kind is not BlockKind.HEADING:
            yield document.text[block.start : block.end], block.start, block.end


def _sentences(document: Document, language: str) -> _Texts:
    for block in document.blocks:
        if block.kind is BlockKind.PROSE:
            shown = document.shown(block.start, block.end)
            for start, end in sentence_spans(shown.text, language=language):
                sentence = _on_one_line(shown.text[start:end], language)
                yield sentence, *shown.source_span(start, end)


def _on_one_line(sentence: str, language: str) -> str:
    if language in ("ja", "yue", "zh"):
        # Where a line ends, nothing is meant: there are no spaces between words.
        sentence = re.sub(_LINE_END, "", sentence)
    return " ".join(sentence.split())


_SPLITTERS = {
    Granularity.FILE: _files,
    Granularity.PARAGRAPH: _paragraphs,
    Granularity.SENTENCE: _sentences,
}


def _without_addresses(text: str) -> str:
    # Most texts have none, and a search for a substring is faster than a pattern.
    is_plain = "://" not in text and "www." not in text and "@" not in text
    return text if is_plain else _ADDRESS.sub(" ", text)
