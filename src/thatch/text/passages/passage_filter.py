"""Passage filters: which passages may be selected, and which must be."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from unicodedata import normalize

import numpy as np

from thatch.arrays import Ints
from thatch.errors import InputError, InputTypeError
from thatch.options import require_integer
from thatch.text.passages.passages import Granularity, Passages

# Short sentences are often fragments of headlines or of dialogue, and those that end in
# a colon only introduce the next. They are left out if enough longer ones remain.
_DEFAULT_MIN_WORDS, _MANY_PASSAGES = 8, 50


@dataclass(frozen=True)
class PassageFilter:
    """Conditions on passages: which may be selected, and which must be.

    Texts are compared without regard to case and white space. Paragraphs and files that
    are near-duplicates of an earlier one may not be selected, nor may sentences with
    figures that a document of a later date replaces.

    >>> from thatch.text.documents.document import Document
    >>> passages = Passages.of([Document("Snow fell. It was cold that day.")])
    >>> PassageFilter(min_words=3).ruled_out(passages)
    {0: 'fewer than 3 words'}
    """

    #: For each of these texts, a passage that contains it must be selected.
    require: tuple[str, ...] = ()
    #: Passages that contain one of these texts may not be selected.
    exclude: tuple[str, ...] = ()
    #: Minimum number of words of a passage. Default: 8 for sentences, if at least 50
    #: have as many, and then no sentence may end in a colon; else none.
    min_words: int | None = None
    #: Maximum number of words of a passage. Default: none.
    max_words: int | None = None

    def __post_init__(self) -> None:
        for name in ("require", "exclude"):
            texts = getattr(self, name)
            if isinstance(texts, str) or not all(isinstance(t, str) for t in texts):
                raise InputTypeError(
                    f"{name} is {texts!r:.60}; a tuple of strings was expected.",
                    hint="Put even a single text in a tuple.",
                )
            for text in texts:
                if not text.strip():
                    raise InputError(
                        f"{name} contains {text!r}, which is part of every passage.",
                        hint="Pass texts that contain a word.",
                    )
        for name in ("min_words", "max_words"):
            limit = getattr(self, name)
            if limit is not None:
                require_integer(name, limit, hint="Omit it for no limit.")
        max_words = inf if self.max_words is None else self.max_words
        if max_words < (self.min_words or 0):
            raise InputError(
                f"max_words is {self.max_words}, below min_words, which is "
                f"{self.min_words or 0}.",
                hint="Swap them.",
            )

    def ruled_out(self, passages: Passages) -> Mapping[int, str]:
        """Indices of the passages that may not be selected, each with the reason."""
        reasons = self._default_reasons(passages) | self._given_reasons(passages)
        if passages.by is not Granularity.SENTENCE:
            allowed = [p for p in range(len(passages)) if p not in reasons]
            reasons |= _duplicate_reasons(passages, allowed)
        else:
            for old, new in superseded(passages).items():
                reasons.setdefault(old, f"superseded by {_place(new, passages)}")
        return reasons

    def _default_reasons(self, passages: Passages) -> dict[int, str]:
        """Reasons that apply if no limits are given, except to required passages."""
        num_long = sum(n >= _DEFAULT_MIN_WORDS for n in passages.num_words)
        has_many = passages.by is Granularity.SENTENCE and num_long >= _MANY_PASSAGES
        if not has_many or self.min_words is not None or self.max_words is not None:
            return {}
        reasons = {}
        for p, num_words in enumerate(passages.num_words):
            if num_words < _DEFAULT_MIN_WORDS:
                reasons[p] = f"fewer than {_DEFAULT_MIN_WORDS} words"
            elif passages.all[p].text.endswith(":"):
                reasons[p] = "introduces the next sentence"
        for text in self.require:
            for p in _passages_with(text, passages):
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
            for p in _passages_with(text, passages):
                reasons[p] = f"excluded: {text}"
        return reasons

    def requirements(
        self, passages: Passages, ruled_out: Mapping[int, str]
    ) -> list[Ints]:
        """For each required text, the passages that contain it: one must be selected.

        Parameters
        ----------
        passages
            The passages.
        ruled_out
            Those that may not be selected, as `ruled_out` returns them.

        Raises
        ------
        InputError
            If no passage that may be selected contains a required text.
        """
        found = []
        for text in self.require:
            matches = _passages_with(text, passages)
            allowed = [p for p in matches if p not in ruled_out]
            if not allowed:
                if matches:
                    raise InputError(
                        f"require contains {text!r}, but no {passages.by} with it may "
                        f"be selected: {ruled_out[matches[0]]}.",
                        hint="Change the condition, or require another text.",
                    )
                raise InputError(
                    f"require contains {text!r}, which occurs in no {passages.by}.",
                    hint="Check the spelling; case and white space are ignored.",
                )
            found.append(np.array(allowed, dtype=np.int64))
        return found


def _duplicate_reasons(passages: Passages, allowed: Sequence[int]) -> dict[int, str]:
    """Reasons of the near-duplicates: which earlier passage each repeats."""
    if len(allowed) < 2:
        return {}
    duplicates = near_duplicates([passages.terms[p] for p in allowed])
    return {
        allowed[k]: f"near-duplicate of {_place(allowed[original], passages)}"
        for k, original in duplicates.items()
    }


def _place(p: int, passages: Passages) -> str:
    passage = passages.all[p]
    name = passages.name_of(passage.document)
    if passages.by is Granularity.FILE:
        return name
    return f"{name}, {passages.by} {passage.position + 1}"


def _passages_with(text: str, passages: Passages) -> Sequence[int]:
    """Passages that contain a text, without regard to case and white space."""
    folded = _folded(text)
    return [p for p, passage in enumerate(passages) if folded in _folded(passage.text)]


def _folded(text: str) -> str:
    return " ".join(normalize("NFC", text).casefold().split())


def near_duplicates(
    term_lists: Sequence[Sequence[str]], *, similarity: float = 0.8
) -> dict[int, int]:
    """Find near-duplicates: index of each, and index of the earlier text it repeats.

    The similarity of two texts is the Jaccard index of their word triples. A text is
    compared only with texts that share one of its rarest triples; every text at least
    as similar as required does.

    >>> near_duplicates(["a b c d".split(), "x y z".split(), "a b c d".split()])
    {2: 0}
    """
    sets = [_runs(terms) for terms in term_lists]
    frequencies = Counter(run for runs in sets for run in runs)
    earlier: dict[tuple[str, ...], list[int]] = defaultdict(list)
    duplicates: dict[int, int] = {}
    for i, runs in enumerate(sets):
        rarest_first = sorted(runs, key=lambda run: (frequencies[run], run))
        num_compared = len(runs) - int(similarity * len(runs) + 1 - 1e-9) + 1
        compared = rarest_first[: max(num_compared, 1)]
        candidates = sorted({j for run in compared for j in earlier[run]})
        original = next(
            (j for j in candidates if _similarity(runs, sets[j]) >= similarity), None
        )
        if original is not None:
            duplicates[i] = original
            continue
        for run in compared:
            earlier[run].append(i)
    return duplicates


def _runs(terms: Sequence[str]) -> frozenset[tuple[str, ...]]:
    # Runs of three words, or of all words if there are fewer.
    length = min(3, len(terms))
    if not length:
        return frozenset()
    return frozenset(zip(*(terms[k:] for k in range(length)), strict=False))


def _similarity(one: frozenset[object], other: frozenset[object]) -> float:
    return len(one & other) / len(one | other)


_FIGURE = re.compile(r"\d[\d.,]*(?<=\d)")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")


def superseded(passages: Passages) -> dict[int, int]:
    """Find superseded passages: index of each, and index of the newer one.

    Two passages of documents of different dates that say the same but for their
    figures: the older one is superseded. Figures of different years do not replace one
    another.

    >>> from thatch.text.documents.document import Document
    >>> old = Document("The storm killed 12 people in the north.", date="2024-05-01")
    >>> new = Document("The storm killed 15 people in the north.", date="2024-05-02")
    >>> superseded(Passages.of([old, new]))
    {0: 1}
    """
    dates = [document.date for document in passages.documents]
    if len(set(filter(None, dates))) < 2:
        return {}
    figures = {
        p: frozenset(_FIGURE.findall(text))
        for p, text in enumerate(passages.contents)
        if dates[passages.all[p].document] and any(map(str.isdigit, text))
    }

    def date_of(p: int) -> str:
        return dates[passages.all[p].document]

    newest_first = sorted(figures, key=lambda p: (date_of(p), p), reverse=True)
    frames = [
        [term for term in passages.terms[p] if not term[0].isdigit()]
        for p in newest_first
    ]
    # Sentences with other figures are alike if they share half of everything else.
    alike = near_duplicates(frames, similarity=0.5)
    found = {}
    for older, newer in sorted(alike.items()):
        p, q = newest_first[older], newest_first[newer]
        if date_of(p) < date_of(q) and _is_replaced(figures[p], figures[q]):
            found[p] = q
    return dict(sorted(found.items()))


def _is_replaced(old: frozenset[str], new: frozenset[str]) -> bool:
    years = [{each for each in found if _YEAR.fullmatch(each)} for found in (old, new)]
    return old != new and years[0] == years[1]
