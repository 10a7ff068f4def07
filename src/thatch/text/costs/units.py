"""Units of budgets: words, characters, sentences and tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from thatch.text.costs.token_counters import counter_of
from thatch.text.costs.token_estimates import estimate_tokens, estimate_tokens_of_each
from thatch.text.language.detection import guess_language
from thatch.text.language.sentences import sentence_spans
from thatch.text.language.words import count_words


@dataclass(frozen=True)
class Unit:
    """A unit of the size of texts, and how texts are measured in it.

    >>> WORDS.measure("Say it in five words.")
    5
    """

    #: Name to show: ``words``.
    name: str
    #: Returns the size of a text.
    measure: Callable[[str], float] = field(repr=False)
    #: What users should know, such as that sizes are estimates.
    note: str = ""
    #: Whether texts joined by white space have the sum of their sizes.
    adds_up: bool = False
    #: Whether the size of a text is the number of its sentences, as thatch splits it.
    counts_sentences: bool = False
    #: Returns the sizes of several texts, as `measure` does; None if nothing is faster.
    measure_batch: Callable[[Sequence[str]], Sequence[float]] | None = field(
        default=None, repr=False
    )

    def measure_each(self, texts: Iterable[str]) -> list[float]:
        """Size of each text; equal texts are measured once.

        >>> WORDS.measure_each(["One.", "Two words.", "One."])
        [1, 2, 1]
        """
        given = list(texts)
        distinct = list(dict.fromkeys(given))
        if self.measure_batch is None:
            sizes: Iterable[float] = map(self.measure, distinct)
        else:
            sizes = self.measure_batch(distinct)
        size_of = dict(zip(distinct, sizes, strict=True))
        return [size_of[text] for text in given]

    def with_note(self, note: str) -> Unit:
        """Return the unit with another note."""
        return replace(self, note=note)


def sentences_in(language: str | None) -> Unit:
    """Sentences of a language; if it is None, it is guessed for every text.

    >>> sentences_in("de").measure("Er kam am 3. März. Sie auch.")
    2
    """

    def measure(text: str) -> int:
        code = guess_language(text) if language is None else language
        return sum(1 for _ in sentence_spans(text, language=code))

    return Unit("sentences", measure, counts_sentences=True)


WORDS = Unit("words", count_words, adds_up=True)
CHARACTERS = Unit("characters", len, adds_up=True)
SENTENCES = sentences_in(None)
TOKENS = Unit(
    "tokens (estimated)",
    estimate_tokens,
    "tokens are estimated: no tokenizer was named",
    measure_batch=estimate_tokens_of_each,
)


def tokens_by(tokenizer: Any) -> Unit:
    """Tokens as a tokenizer counts them.

    Parameters
    ----------
    tokenizer
        A tokenizer of tiktoken, tokenizers, transformers or SentencePiece; or any
        function, or object with a method ``encode``, that returns the tokens of a text
        or their number. Tokens that a tokenizer of these packages adds at the start
        and the end of a text are not counted, and its limit of length is ignored.

    >>> tokens_by(str.split).measure("to be or not")
    4
    """
    counter = counter_of(tokenizer)
    return Unit("tokens", counter.count, measure_batch=counter.count_each)
