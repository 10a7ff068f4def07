"""Rules: which passages may be chosen, and which must."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from unicodedata import normalize

import numpy as np

from thatch.arrays import Ints
from thatch.errors import InputError, InputTypeError
from thatch.text.language.terms import Terms
from thatch.text.passages.near_duplicates import near_duplicates
from thatch.text.passages.passages import Granularity, Passages

__all__ = ["PassageFilter"]

# Shorter sentences are mostly remains of headlines and of talk, and what ends in a
# colon says nothing yet: where so many are longer, they are left out.
_USUAL_MIN_WORDS, _MANY_PASSAGES = 8, 50


@dataclass(frozen=True)
class PassageFilter:
    """Which passages may be chosen, and which must.

    >>> PassageFilter(min_words=9, max_words=3)
    Traceback (most recent call last):
    thatch.errors.InputError: max_words must be >= min_words, got 3 and 9. Swap them.
    """

    #: Texts: one passage that holds it must be chosen, for each.
    require: tuple[str, ...] = ()
    #: Texts: no passage that holds one of them may be chosen.
    exclude: tuple[str, ...] = ()
    #: The fewest and the most words of a passage. If neither is given and 50 sentences
    #: have 8 words or more, shorter ones are left out, and those that end in a colon.
    min_words: int | None = None
    max_words: int | None = None

    def __post_init__(self) -> None:
        for name in ("require", "exclude"):
            texts = getattr(self, name)
            if isinstance(texts, str) or not all(isinstance(t, str) for t in texts):
                raise InputTypeError(
                    f"{name} must be a tuple of strings, got {texts!r:.60}.",
                    hint="Put a single text into a tuple too.",
                )
            for text in texts:
                if not text.strip():
                    raise InputError(
                        f"{name} must hold a word, got {text!r}.",
                        hint="Every passage would match.",
                    )
        for name in ("min_words", "max_words"):
            limit = getattr(self, name)
            if limit is not None and not (isinstance(limit, int) and limit >= 0):
                raise InputError(
                    f"{name} must be a whole number >= 0, got {limit!r}.",
                    hint="Leave it out for none.",
                )
        most = inf if self.max_words is None else self.max_words
        if most < (self.min_words or 0):
            raise InputError(
                f"max_words must be >= min_words, got {self.max_words} and "
                f"{self.min_words or 0}.",
                hint="Swap them.",
            )

    def ruled_out(self, passages: Passages) -> Mapping[int, str]:
        """Why each passage that may not be chosen may not."""
        reasons = self._usual_reasons(passages) | self._given_reasons(passages)
        if passages.by is not Granularity.SENTENCE:
            allowed = [p for p in range(len(passages)) if p not in reasons]
            reasons |= _copies(passages, allowed)
        return reasons

    def _usual_reasons(self, passages: Passages) -> dict[int, str]:
        """What is left out unless lengths were given, or it is required."""
        num_long = sum(n >= _USUAL_MIN_WORDS for n in passages.num_words)
        is_rich = passages.by is Granularity.SENTENCE and num_long >= _MANY_PASSAGES
        if not is_rich or self.min_words is not None or self.max_words is not None:
            return {}
        reasons = {}
        for p, num_words in enumerate(passages.num_words):
            if num_words < _USUAL_MIN_WORDS:
                reasons[p] = f"fewer than {_USUAL_MIN_WORDS} words"
            elif passages.all[p].text.endswith(":"):
                reasons[p] = "leads to what follows"
        for text in self.require:
            for p in _holders(text, passages):
                reasons.pop(p, None)
        return reasons

    def _given_reasons(self, passages: Passages) -> dict[int, str]:
        reasons = {}
        for p, num_words in enumerate(passages.num_words):
            if num_words < (self.min_words or 0):
                reasons[p] = f"fewer than {self.min_words} words"
            elif self.max_words is not None and num_words > self.max_words:
                reasons[p] = f"more than {self.max_words} words"
        for text in self.exclude:
            for p in _holders(text, passages):
                reasons[p] = f"excluded: {text}"
        return reasons

    def requirements(
        self, passages: Passages, ruled_out: Mapping[int, str]
    ) -> list[Ints]:
        """Passages of which one must be chosen, for each text required."""
        found = []
        for text in self.require:
            holders = _holders(text, passages)
            allowed = [p for p in holders if p not in ruled_out]
            if not allowed:
                reason = f": {ruled_out[holders[0]]}" if holders else ""
                raise InputError(
                    f"require must be a part of a passage that may be chosen, got "
                    f"{text!r}{reason}.",
                    hint="Copy a few words of one passage; a paragraph has more.",
                )
            found.append(np.array(allowed, dtype=np.int64))
        return found


def _copies(passages: Passages, allowed: Sequence[int]) -> dict[int, str]:
    """What each near-copy among the passages that may be chosen repeats."""
    texts = [passages.all[p].text for p in allowed]
    if len(texts) < 2:
        return {}
    copies = near_duplicates(list(Terms(passages.language).of_each(texts)))
    return {
        allowed[k]: f"near-copy of {_place(allowed[original], passages)}"
        for k, original in copies.items()
    }


def _place(p: int, passages: Passages) -> str:
    passage = passages.all[p]
    name = passages.name_of(passage.document)
    if passages.by is Granularity.FILE:
        return name
    return f"{name}, {passages.by} {passage.position + 1}"


def _holders(text: str, passages: Passages) -> Sequence[int]:
    """Passages that hold a text, whatever its case and white space."""
    sought = _folded(text)
    return [p for p, passage in enumerate(passages) if sought in _folded(passage.text)]


def _folded(text: str) -> str:
    return " ".join(normalize("NFC", text).casefold().split())
