"""Counting with tokenizers of other packages, one text or many at a time.

Counts leave out the tokens that a tokenizer adds at the start and the end of a text.
Packages are recognized without importing them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import Any

from thatch.arrays import number
from thatch.errors import InputError, InputTypeError


@dataclass(frozen=True)
class TokenCounter:
    """How texts are counted: one, and several at once if that is faster."""

    count: Callable[[str], float]
    count_each: Callable[[Sequence[str]], list[float]] | None = None


def counter_of(tokenizer: Any) -> TokenCounter:
    """Return how a tokenizer counts tokens.

    >>> counter_of(str.split).count("to be or not")
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
        # tiktoken's `encode` refuses text that looks like a special token.
        return _of_tiktoken(tokenizer)
    encode = getattr(tokenizer, "encode", tokenizer)
    # A string has a method `encode` too, which returns bytes.
    if isinstance(tokenizer, str) or not callable(encode):
        raise InputTypeError(
            f"tokenizer is {tokenizer!r}; it must be callable or have a method encode.",
            hint="Pass a function from text to tokens; for names use tokens_by_name.",
        )
    if _adds_special_tokens(encode):
        encode = partial(encode, add_special_tokens=False)
    return TokenCounter(lambda text: _num_tokens(encode(text), text))


def _of_tiktoken(encoding: Any) -> TokenCounter:
    # Its batches give texts to threads one by one, which takes longer than it saves.
    return TokenCounter(lambda text: len(encoding.encode_ordinary(text)))


def _of_hugging_face(tokenizer: Any) -> TokenCounter:
    if tokenizer.truncation is not None or tokenizer.padding is not None:
        # Both change counts; the caller's tokenizer stays as it is.
        tokenizer = type(tokenizer).from_str(tokenizer.to_str())
        tokenizer.no_truncation()
        tokenizer.no_padding()
    # The fast variant, of newer releases, leaves out offsets.
    encode_batch = getattr(tokenizer, "encode_batch_fast", tokenizer.encode_batch)

    def count_each(texts: Sequence[str]) -> list[float]:
        valid = list(map(_without_surrogates, texts))
        return list(map(len, encode_batch(valid, add_special_tokens=False)))

    return TokenCounter(lambda text: count_each([text])[0], count_each)


def _of_sentencepiece(processor: Any) -> TokenCounter:
    def count_each(texts: Sequence[str]) -> list[float]:
        valid = list(map(_without_surrogates, texts))
        encoded = processor.encode(valid, out_type=int, add_bos=False, add_eos=False)
        return list(map(len, encoded))

    return TokenCounter(lambda text: count_each([text])[0], count_each)


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
    """Number of tokens, given a tokenizer's answer."""
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
