"""The pool: chunks with their terms, their structure and near-copies.

Structure comes from metadata, or from what the texts begin with.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import inf
from numbers import Integral

import numpy as np

from thatch.arrays import Floats, Ints, numbered
from thatch.context.selection.chunks import fields_of
from thatch.context.selection.companions import headings_of
from thatch.text.language.words import words_of
from thatch.text.relevance.near_copies import near_copies
from thatch.text.relevance.passage_terms import PassageTerms
from thatch.text.relevance.ranking import centralities, relevances, with_neighbors
from thatch.text.relevance.structure import (
    Structure,
    is_in_sequence,
    with_dates_in_words,
)

# Fields of chunks and of their metadata, as frameworks and people name them.
_SOURCES = (
    *("source", "file_path", "path", "url", "file_name", "filename", "document"),
    *("document_id", "doc_id", "ref_doc_id", "source_id", "conversation", "thread"),
)
_TITLES = ("title", "section", "chapter", "heading", "header", "Header 2", "Header 1")
_SECTIONS = ("session", *_TITLES)
_DATES = ("date", "datetime", "date_time", "time", "timestamp", "created_at", "sent")
_SPEAKERS = ("speaker", "author", "sender", "from", "role", "user")
_POSITIONS = (
    *("chunk_index", "position", "split_id", "chunk_id", "index", "turn", "order"),
    *("start_index", "start_char_idx", "split_idx_start", "start", "line", "page"),
)
# Positions that count characters: neighbors are close, not consecutive.
_OFFSETS = frozenset({"start_index", "start_char_idx", "split_idx_start", "start"})
# Readers of PDF make a document per page, so that offsets start over on each.
_PAGES = ("page", "page_number", "page_label")

# "[8 May, 2023] Ann: ...", with either part alone.
_STAMP = re.compile(r"\s*[\[(](?P<stamp>[^\])\n]{4,60})[\])]\s*[-:]?\s*")
_SPEAKER = re.compile(
    r"(?P<speaker>[^\W\d_][\w.'\u2019-]*(?: [^\W\d_][\w.'\u2019-]*){0,2}):\s+"
)
_CLOCK = re.compile(
    r"T?\b\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\b\.?)?(?:\s+on\b)?", re.IGNORECASE
)
# If none of this many texts does, no other is looked at.
_TEXTS_TO_LOOK_AT = 32
# Share of the score that the caller gives a chunk which its neighbors get, by their
# distance: enough to decide between chunks of nearly the same score.
_SHARES_OF_SCORES = {1: 0.2, 2: 0.1}


@dataclass(frozen=True, eq=False)
class Pool:
    """Chunks to select from: their terms, what they belong to, and near-copies.

    >>> pool = Pool.of(["[8 May] Ann: Snow fell.", "[9 May] Ann: It thawed."])
    >>> pool.structure.speakers, pool.structure.sections
    (('Ann', 'Ann'), array([0, 1]))
    """

    terms: PassageTerms
    structure: Structure
    #: int64, shape (num_chunks,): the chunk that each is a near-copy of, or itself.
    originals: Ints
    #: int64, shape (num_chunks,): the chunk that is the heading of each, or -1.
    headings: Ints
    #: Where each chunk is from; empty if that is not known.
    sources: tuple[str, ...]

    @classmethod
    def of(
        cls,
        texts: Sequence[str],
        chunks: Sequence[object] = (),
        *,
        groups: Sequence[str] | None = None,
        language: str | None = None,
        max_pairs: float = inf,
    ) -> Pool:
        """Find terms and structure of chunks.

        Fields and metadata are those of the caller's chunks. The group of a chunk is
        its section unless it has a field for that. Near-copies are looked for among so
        many pairs of chunks.
        """
        beginnings = _beginnings(texts)
        terms = PassageTerms.of(
            [text[start.end :] for text, start in zip(texts, beginnings, strict=True)],
            language=language,
        )
        sources = _strings_in(chunks, _SOURCES) or ("",) * len(texts)
        days = _days_of(chunks, beginnings)
        speakers = _strings_in(chunks, _SPEAKERS) or tuple(
            each.speaker for each in beginnings
        )
        order, runs = _order_and_runs(chunks, texts, sources)
        headings = _headings_in(order, texts, sources)
        above = tuple(texts[k] if k >= 0 else "" for k in headings.tolist())
        titles = _strings_in(chunks, _TITLES) or above
        has_headings = headings.max(initial=-1) >= 0
        parts = tuple(map(str, headings.tolist())) if has_headings else days
        places = _strings_in(chunks, _SECTIONS) or groups or parts
        sections = numbered(list(zip(sources, places, strict=True)))
        originals = _originals_of(terms, sections, speakers, max_pairs)
        if order is None:
            is_sequence = is_in_sequence(terms, _distinct(originals))
            order = np.arange(len(texts))
            runs = numbered(sources) if is_sequence else order
        in_section = np.stack([runs, sections])
        structure = Structure(
            order,
            numbered(list(map(tuple, in_section.T.tolist()))),
            np.where([bool(place) for place in places], sections, -1),
            [
                f"{title} {with_dates_in_words(day)}".strip()
                for title, day in zip(titles, days, strict=True)
            ],
            speakers,
        )
        return cls(terms, structure, originals, headings, sources)

    def for_query(self, query: str) -> Pool:
        """The pool where near-copies with more terms of a query are the originals.

        What the query asks for may be what a near-copy says differently.

        >>> pool = Pool.of(["The office in Oslo is open from nine to five on Monday.",
        ...                 "The office in Bonn is open from nine to five on Monday."])
        >>> pool.originals, pool.for_query("Bonn").originals
        (array([0, 0]), array([1, 1]))
        """
        asked = list(self.terms.of_query(with_dates_in_words(query)))
        has_term = self.terms.counts(asked) > 0
        frequencies = np.count_nonzero(has_term, axis=0)
        rarities = np.log1p((len(has_term) - frequencies + 0.5) / (frequencies + 0.5))
        return self._with_originals(has_term @ rarities)

    def for_scores(self, relevances: Floats) -> Pool:
        """The pool where near-copies with much higher scores are the originals.

        What is ranked first is no near-copy in any case.
        """
        if not relevances.size:
            return self
        # A near-copy with a higher score than the original represents both, unless the
        # original has this share of it: rankers prefer short texts, and say little by
        # small differences.
        pool = self._with_originals(relevances, 0.7)
        first = int(np.argmax(relevances))
        originals = pool.originals.copy()
        originals[first] = first
        return replace(pool, originals=originals)

    def _with_originals(self, scores: Floats, min_share: float = 1.0) -> Pool:
        highest = np.zeros(len(scores))
        np.maximum.at(highest, self.originals, scores)
        highest = highest[self.originals]
        is_better = (scores == highest) & (scores[self.originals] < min_share * highest)
        better = np.flatnonzero(is_better)[::-1]
        new = np.arange(len(scores))
        # Of several, the first: the last one that is written stays.
        new[self.originals[better]] = better
        return replace(self, originals=new[self.originals])

    def relevances(self, query: str) -> Floats:
        """Relevance of each chunk to a query; a near-copy has that of its original.

        A query of stop words only says nothing, and is as none.
        """
        if words_of(query) and not self.terms.of_query(query):
            return self.centralities()
        kept, found = _distinct(self.originals), np.zeros(len(self.originals))
        found[kept] = relevances(
            self.terms.restricted_to(kept),
            with_dates_in_words(query),
            self.structure.restricted_to(kept),
        )
        return found[self.originals]

    def centralities(self) -> Floats:
        """How much each chunk says of what others say, without a query."""
        kept, found = _distinct(self.originals), np.zeros(len(self.originals))
        found[kept] = centralities(self.terms.restricted_to(kept))
        return found[self.originals]

    def shared(self, relevances: Floats) -> Floats:
        """The relevances, where near-copies have the highest of them."""
        found = np.zeros(len(self.originals))
        np.maximum.at(found, self.originals, relevances)
        return found[self.originals]

    def with_neighbors(self, relevances: Floats) -> Floats:
        """The caller's relevances, with a small share of those of the neighbors.

        The answer is often beside the chunk that a ranker finds. What is ranked first
        stays first.
        """
        kept, found = _distinct(self.originals), np.zeros(len(self.originals))
        found[kept] = with_neighbors(
            relevances[kept], self.structure.restricted_to(kept), _SHARES_OF_SCORES
        )
        worths: Floats = found[self.originals] / max(found.max(initial=0.0), 1.0)
        worths[relevances == relevances.max(initial=0.0)] = 1.0
        return worths


@dataclass(frozen=True, slots=True)
class _Beginning:
    """What a text begins with: a date in brackets, the name of a speaker."""

    stamp: str = ""
    speaker: str = ""
    #: Offset of what follows.
    end: int = 0


def _beginnings(texts: Sequence[str]) -> list[_Beginning]:
    step = max(1, len(texts) // _TEXTS_TO_LOOK_AT)
    few = [*texts[:_TEXTS_TO_LOOK_AT], *texts[::step]]
    found = list(map(_beginning, texts)) if any(_beginning(t).end for t in few) else []
    num_found = sum(each.end > 0 for each in found)
    speakers = Counter(each.speaker for each in found if each.speaker)
    # This share of the texts must begin like this, and each speaker must speak twice.
    is_usual = num_found >= 0.5 * len(texts)
    # Each speaks twice on average, or they are no speakers: "Note: ...".
    if not is_usual or 2 * len(speakers) > max(speakers.total(), 1):
        return [_Beginning()] * len(texts)
    return found


def _beginning(text: str) -> _Beginning:
    stamp = _STAMP.match(text)
    has_date = stamp is not None and any(map(str.isdigit, stamp["stamp"]))
    start = stamp.end() if stamp is not None and has_date else 0
    speaker = _SPEAKER.match(text, start)
    return _Beginning(
        stamp["stamp"] if stamp is not None and has_date else "",
        speaker["speaker"] if speaker else "",
        speaker.end() if speaker else start,
    )


def _strings_in(chunks: Sequence[object], names: Sequence[str]) -> tuple[str, ...]:
    """The first of the fields that chunks have, as strings; empty if none has any."""
    _, values = fields_of(chunks, names)
    return tuple("" if value is None else _shown(value) for value in values)


def _days_of(
    chunks: Sequence[object], beginnings: Sequence[_Beginning]
) -> tuple[str, ...]:
    """The day that each chunk is of, without the time of day."""
    dates = _strings_in(chunks, _DATES) or tuple(each.stamp for each in beginnings)
    return tuple(_CLOCK.sub("", each).strip(" ,") for each in dates)


def _originals_of(
    terms: PassageTerms, sections: Ints, speakers: Sequence[str], max_pairs: float
) -> Ints:
    """The chunk that each is a near-copy of, or itself."""
    # What one person said in one conversation is reworded more freely; paragraphs of
    # one section may be alike and yet say different things.
    is_talk = sections.max(initial=0) > 0 and all(speakers)
    places = None
    if is_talk:
        places = numbered(list(zip(sections.tolist(), speakers, strict=True)))
    return near_copies(terms, places, max_pairs=max_pairs)


def _shown(value: object) -> str:
    return value.isoformat() if isinstance(value, date) else str(value)


def _order_and_runs(
    chunks: Sequence[object], texts: Sequence[str], sources: Sequence[str]
) -> tuple[Ints | None, Ints]:
    """Order of chunks by their positions in their sources, and which are adjacent."""
    name, values = fields_of(chunks, _POSITIONS)
    if not name or not all(map(_is_position, values)):
        return None, np.empty(0, dtype=np.int64)
    positions, numbers = np.array(values, dtype=np.int64), numbered(sources)
    pages = _pages_of(chunks) if name in _OFFSETS else np.zeros_like(positions)
    order = np.lexsort((positions, pages, numbers))
    gaps = np.diff(positions[order])
    if name in _OFFSETS:
        lengths = np.array([len(text) for text in texts])[order]
        # Between neighbors may be a heading or a separator.
        is_adjacent = gaps <= lengths[:-1] + 200
    else:
        is_adjacent = gaps <= 1
    is_adjacent &= (np.diff(numbers[order]) == 0) & (np.diff(pages[order]) <= 1)
    runs = np.zeros(len(texts), dtype=np.int64)
    runs[order[1:]] = np.cumsum(~is_adjacent)
    return order, runs


def _is_position(value: object) -> bool:
    # Numbers of pages and positions are not larger.
    return isinstance(value, Integral) and abs(int(value)) <= 2**53


def _headings_in(
    order: Ints | None, texts: Sequence[str], sources: Sequence[str]
) -> Ints:
    """The heading of each chunk, or -1, where retrievers have shuffled the chunks."""
    if order is None:
        return headings_of(texts, sources)
    found = headings_of(
        [texts[k] for k in order.tolist()], [sources[k] for k in order.tolist()]
    )
    headings = np.empty_like(found)
    headings[order] = np.where(found >= 0, order[found], -1)
    return headings


def _pages_of(chunks: Sequence[object]) -> Ints:
    """Page of each chunk: int64, shape (num_chunks,); 0 if pages are not numbers."""
    found = _strings_in(chunks, _PAGES)
    if not found or not all(
        page.isdecimal() and _is_position(int(page[:20])) for page in found
    ):
        return np.zeros(len(chunks), dtype=np.int64)
    return np.array(list(map(int, found)), dtype=np.int64)


def _distinct(originals: Ints) -> Ints:
    """Chunks that are not near-copies."""
    return np.flatnonzero(originals == np.arange(len(originals)))
