"""Rules: which passages may be chosen, and which must."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from thatch.arrays import Ints
from thatch.errors import InputError, InputTypeError
from thatch.text.near_copies import near_copies
from thatch.text.passages import By, Passages
from thatch.text.terms import Terms

__all__ = ["Rules"]

# Shorter sentences are mostly remains of headlines and of talk: where so many are
# longer, they are left out.
_USUAL_MIN_WORDS, _MANY_PASSAGES = 8, 50


@dataclass(frozen=True)
class Rules:
    """Which passages may be chosen, and which must.

    >>> Rules(min_words=9, max_words=3)
    Traceback (most recent call last):
    thatch.errors.InputError: max_words must be >= min_words, got 3 and 9. Swap them.
    """

    #: Texts: one passage that holds it must be chosen, for each.
    require: tuple[str, ...] = ()
    #: Texts: no passage that holds one of them may be chosen.
    exclude: tuple[str, ...] = ()
    #: The fewest words of a passage; unless given, 8 if 50 sentences have as many.
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
        most = inf if self.max_words is None else self.max_words
        if most < (self.min_words or 0):
            raise InputError(
                f"max_words must be >= min_words, got {self.max_words} and "
                f"{self.min_words or 0}.",
                hint="Swap them.",
            )

    def ruled_out(self, passages: Passages) -> Mapping[int, str]:
        """Why each passage that may not be chosen may not."""
        reasons: dict[int, str] = {}
        if passages.by is not By.SENTENCE and len(passages) > 1:
            terms = Terms(passages.language).of_each(p.text for p in passages)
            for p, original in near_copies(list(terms)).items():
                reasons[p] = f"near-copy of {_place(original, passages)}"
        if _is_rich(passages):
            reasons |= {
                p: "leads to what follows"
                for p, passage in enumerate(passages)
                if passage.text.endswith(":")
            }
        least = self._least_words(passages)
        for p, num_words in enumerate(passages.num_words):
            if num_words < least:
                reasons[p] = f"fewer than {least} words"
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
                    hint="Copy a few words from the text.",
                )
            found.append(np.array(allowed, dtype=np.int64))
        return found

    def _least_words(self, passages: Passages) -> int:
        if self.min_words is not None:
            return self.min_words
        return _USUAL_MIN_WORDS if _is_rich(passages) else 0


def _is_rich(passages: Passages) -> bool:
    """Whether there are so many long sentences that some kinds need not be chosen."""
    num_long = sum(n >= _USUAL_MIN_WORDS for n in passages.num_words)
    return passages.by is By.SENTENCE and num_long >= _MANY_PASSAGES


def _place(p: int, passages: Passages) -> str:
    passage = passages.all[p]
    name = passages.name_of(passage.document)
    if passages.by is By.FILE:
        return name
    return f"{name}, {passages.by} {passage.position + 1}"


def _holders(text: str, passages: Passages) -> Sequence[int]:
    """Passages that hold a text, whatever its case and white space."""
    sought = " ".join(text.casefold().split())
    return [
        p
        for p, passage in enumerate(passages)
        if sought in " ".join(passage.text.casefold().split())
    ]
