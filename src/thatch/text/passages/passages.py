"""Passages: the sentences, paragraphs or files from which a summary is selected."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from thatch.caching import cached_property
from thatch.text.documents.document import BlockKind, Document
from thatch.text.language.languages import guess_language
from thatch.text.language.sentences import sentence_spans
from thatch.text.language.words import count_words

__all__ = ["Granularity", "Passage", "Passages", "language_of"]


class Granularity(enum.StrEnum):
    """What a summary consists of: sentences, paragraphs or whole files."""

    SENTENCE = "sentence"
    PARAGRAPH = "paragraph"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence, a paragraph or a whole file, and its place in the documents."""

    #: The text to print: a sentence on one line, anything else unchanged.
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
    #: Language code of the documents.
    language: str

    @classmethod
    def of(
        cls,
        documents: Sequence[Document],
        *,
        by: Granularity = Granularity.SENTENCE,
        language: str | None = None,
    ) -> Passages:
        """Split documents into passages. Default language: guessed from them."""
        language = language or language_of(documents)
        passages = (
            Passage(_printed(document.text[start:end], by), d, position, start, end)
            for d, document in enumerate(documents)
            for position, (start, end) in enumerate(_spans(document, by, language))
        )
        return cls(tuple(documents), tuple(passages), by, language)

    def __iter__(self) -> Iterator[Passage]:
        return iter(self.all)

    def __len__(self) -> int:
        return len(self.all)

    def name_of(self, document: int) -> str:
        """Name of a document; if it has none, its number from 1."""
        return self.documents[document].name or f"document {document + 1}"

    @cached_property
    def num_words(self) -> tuple[int, ...]:
        """Number of words of each passage."""
        return tuple(count_words(passage.text) for passage in self.all)


def language_of(documents: Sequence[Document]) -> str:
    """Guess the language of documents, and return its code.

    >>> language_of([Document("Съешь ещё этих мягких булок.")])
    'ru'
    """
    return guess_language("".join(document.text[:2000] for document in documents[:10]))


def _spans(
    document: Document, by: Granularity, language: str
) -> Iterator[tuple[int, int]]:
    text = document.text
    if by is Granularity.FILE:
        start = len(text) - len(text.lstrip())
        if start < len(text):
            yield start, len(text.rstrip())
        return
    for block in document.blocks:
        if by is Granularity.PARAGRAPH and block.kind is not BlockKind.HEADING:
            yield block.start, block.end
        elif by is Granularity.SENTENCE and block.kind is BlockKind.PROSE:
            paragraph = text[block.start : block.end]
            for start, end in sentence_spans(paragraph, language=language):
                yield block.start + start, block.start + end


def _printed(text: str, by: Granularity) -> str:
    return " ".join(text.split()) if by is Granularity.SENTENCE else text
