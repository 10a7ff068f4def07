"""Units of budgets: words, characters, sentences and tokens.

Tokens are counted by tokenizers of other packages, which are recognized without
importing them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence, Sized
from dataclasses import dataclass, field, replace
from functools import partial
from math import isfinite
from typing import Any

from thatch.arrays import number
from thatch.errors import InputError, InputTypeError
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
    # A fast tokenizer of transformers contains one of tokenizers.
    tokenizer = getattr(tokenizer, "backend_tokenizer", tokenizer)
    package = type(tokenizer).__module__.partition(".")[0]
    if package == "tokenizers" and hasattr(tokenizer, "encode_batch"):
        return _of_hugging_face(tokenizer)
    if package == "sentencepiece" and hasattr(tokenizer, "encode"):
        return _of_sentencepiece(tokenizer)
    if hasattr(tokenizer, "encode_ordinary"):
        # tiktoken's `encode` refuses text that looks like a special token. Its batches
        # give texts to threads one by one, which takes longer than it saves.
        return Unit("tokens", lambda text: len(tokenizer.encode_ordinary(text)))
    encode = getattr(tokenizer, "encode", tokenizer)
    # A string has a method `encode` too, which returns bytes.
    if isinstance(tokenizer, str) or not callable(encode):
        raise InputTypeError(
            f"tokenizer is {tokenizer!r}; it must be callable or have a method encode.",
            hint="Pass a function from text to tokens; for names use tokens_by_name.",
        )
    if _adds_special_tokens(encode):
        encode = partial(encode, add_special_tokens=False)
    return Unit("tokens", lambda text: _num_tokens(encode(text), text))


def _of_hugging_face(tokenizer: Any) -> Unit:
    if tokenizer.truncation is not None or tokenizer.padding is not None:
        # Both change counts; the caller's tokenizer stays as it is.
        tokenizer = type(tokenizer).from_str(tokenizer.to_str())
        tokenizer.no_truncation()
        tokenizer.no_padding()
    # The fast variant, of newer releases, leaves out offsets.
    encode_batch = getattr(tokenizer, "encode_batch_fast", tokenizer.encode_batch)
    return _in_batches(lambda texts: encode_batch(texts, add_special_tokens=False))


def _of_sentencepiece(processor: Any) -> Unit:
    return _in_batches(
        lambda texts: processor.encode(
            texts, out_type=int, add_bos=False, add_eos=False
        )
    )


def _in_batches(encode_each: Callable[[list[str]], Iterable[Sized]]) -> Unit:
    def count_each(texts: Sequence[str]) -> list[float]:
        return list(map(len, encode_each(list(map(_without_surrogates, texts)))))

    return Unit("tokens", lambda text: count_each([text])[0], measure_batch=count_each)


def _without_surrogates(text: str) -> str:
    """The text; halves of surrogate pairs, which are in no encoding, replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def _adds_special_tokens(encode: Callable[..., Any]) -> bool:
    try:
        return "add_special_tokens" in inspect.signature(encode).parameters
    except (TypeError, ValueError):  # some compiled functions have no signature
        return False


def _num_tokens(tokens: Any, text: str) -> float:
    if hasattr(tokens, "__len__"):
        return len(tokens)
    num_tokens = number("tokens", tokens)
    if not (isfinite(num_tokens) and num_tokens >= 0):
        raise InputError(
            f"the tokenizer returned {num_tokens} tokens for {text[:40]!r}; the "
            "number must be finite and non-negative.",
            hint="Check the tokenizer.",
        )
    return num_tokens
