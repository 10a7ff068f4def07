"""Markup within the paragraphs of a Markdown text: emphasis, links, tags, code.

This follows CommonMark as far as a reader is concerned: what a browser would not show
is markup, and entities are shown as their characters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from html.entities import html5

from thatch.text.documents.markup import Markup

__all__ = ["inline_markup", "link_labels"]

# One pass finds all places at which something other than plain text may start.
_SPECIAL = re.compile(r"\\|`+|!?\[|\]|<|&|\*+|_+|~+")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~]|\r?\n)")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_ADDRESS_IN_ANGLES = re.compile(
    r"<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[^\s<>@]{1,100}@[^\s<>@]{1,200})>"
)
_TAG = re.compile(
    r"<(?:/?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]{0,2000})?/?|![A-Z][^<>]{0,2000})>"
)
_BREAKING_TAG = re.compile(r"</?(?:br|p|div|li|td|tr)\b", re.IGNORECASE)
# What follows the text of a link: an address, perhaps with a title, or a label.
_TITLE = r"""(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?"""
_TARGET = re.compile(
    r"\(\s*(?:<[^<>\n]*>|(?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*\))*)" + _TITLE + r"\s*\)"
)
_LABEL = re.compile(r"\[([^\[\]]{0,1000})\]")
_DEFINITION = re.compile(r"^[ >]*\[(?!\^)([^\[\]\n]{1,1000})\]:", re.MULTILINE)
_MAX_LABEL_CHARACTERS = 1000
_MAX_OPEN = 100


@dataclass(slots=True)
class _Bracket:
    """An opening bracket whose partner was not found yet."""

    start: int
    end: int
    is_image: bool
    #: How many delimiters of emphasis were open before it.
    num_delimiters: int


@dataclass(slots=True)
class _Delimiter:
    """A run of ``*``, ``_`` or ``~`` that may open or close emphasis."""

    start: int
    end: int
    character: str
    can_open: bool
    can_close: bool
    #: Its length before parts of it had partners.
    length: int

    def matches(self, closing: _Delimiter) -> bool:
        """Whether a run may close this one: a rule of CommonMark about triples."""
        if self.character != closing.character:
            return False
        if not (self.can_close or closing.can_open) or self.character == "~":
            return True
        total = self.length + closing.length
        return total % 3 != 0 or (self.length % 3 == 0 and closing.length % 3 == 0)


def link_labels(text: str) -> frozenset[str]:
    r"""Labels of the link definitions of a text, as `inline_markup` compares them.

    >>> link_labels("See [the docs].\n\n[The  Docs]: https://example.org\n")
    frozenset({'the docs'})
    """
    return frozenset(_folded(found[1]) for found in _DEFINITION.finditer(text))


def inline_markup(
    text: str, start: int, end: int, *, labels: frozenset[str] = frozenset()
) -> list[Markup]:
    """Markup within a paragraph; some of it may lie inside of other markup.

    Parameters
    ----------
    text
        The text of the document.
    start, end
        The paragraph.
    labels
        Labels of link definitions, from `link_labels`.

    >>> text = "A **bold** [link](https://example.org)."
    >>> [text[m.start : m.end] for m in inline_markup(text, 0, len(text))]
    ['[', '](https://example.org)', '**', '**']
    """
    scan = _Scan(text, start, end, labels)
    scan.run()
    return scan.found


class _Scan:
    """The state of a scan of one paragraph."""

    def __init__(self, text: str, start: int, end: int, labels: frozenset[str]) -> None:
        self._text, self._start, self._end = text, start, end
        self._labels = labels
        self._brackets: list[_Bracket] = []
        # A link contains no link: of so many brackets, only those of pictures count.
        self._num_inactive = 0
        self._delimiters: list[_Delimiter] = []
        # Lengths of runs of backticks that have no partner: they are not sought again.
        self._unpaired_ticks: set[int] = set()
        #: What was found.
        self.found: list[Markup] = []

    def run(self) -> None:
        """Read the paragraph."""
        place = self._start
        while True:
            special = _SPECIAL.search(self._text, place, self._end)
            if special is None:
                break
            place = self._read(special)
        self.found += _emphasis(self._delimiters)

    def _read(self, special: re.Match[str]) -> int:
        """Read what starts here; return where to continue."""
        mark, start, end = special[0], special.start(), special.end()
        if mark == "\\":
            return self._read_escape(start)
        if mark[0] == "`":
            return self._read_code(start, end)
        if mark in ("[", "!["):
            opening = _Bracket(start, end, mark[0] == "!", len(self._delimiters))
            self._brackets.append(opening)
            return end
        if mark == "]":
            return self._close_bracket(start)
        if mark in "<&":
            return self._read_tag(start)
        self._add_delimiter(start, end)
        return end

    def _hide(self, start: int, end: int, shown: str = "") -> int:
        self.found.append(Markup(start, end, shown))
        return end

    def _read_escape(self, start: int) -> int:
        if _ESCAPED.match(self._text, start, self._end) is None:
            return start + 1
        self._hide(start, start + 1)
        return start + 2

    def _read_code(self, start: int, end: int) -> int:
        length = end - start
        if length in self._unpaired_ticks:
            return end
        closing = re.compile(rf"(?<!`)`{{{length}}}(?!`)").search(
            self._text, end, self._end
        )
        if closing is None:
            self._unpaired_ticks.add(length)
            return end
        self._hide(start, end)
        return self._hide(closing.start(), closing.end())

    def _read_tag(self, start: int) -> int:
        text, end = self._text, self._end
        entity = _ENTITY.match(text, start, end)
        if entity:
            is_known = entity[0][1] == "#" or entity[0][1:] in html5
            if is_known:
                self._hide(start, entity.end(), unescape(entity[0]))
            return entity.end()
        address = _ADDRESS_IN_ANGLES.match(text, start, end)
        if address:
            self._hide(start, start + 1)
            return self._hide(address.end() - 1, address.end())
        tag = _TAG.match(text, start, end)
        if tag:
            breaks = _BREAKING_TAG.match(tag[0])
            return self._hide(start, tag.end(), " " if breaks else "")
        return start + 1

    def _close_bracket(self, start: int) -> int:
        """Read the link, picture or footnote that ends here, if there is one."""
        after = start + 1
        if not self._brackets:
            return after
        opening = self._brackets.pop()
        is_active = len(self._brackets) >= self._num_inactive
        self._num_inactive = min(self._num_inactive, len(self._brackets))
        if not (opening.is_image or is_active):
            return after
        is_long = start - opening.end > _MAX_LABEL_CHARACTERS
        content = "" if is_long else self._text[opening.end : start]
        if content.startswith("^") and not opening.is_image:
            return self._hide(opening.start, after)
        end = self._end_of_target(start, content)
        if end is None:
            return after
        if opening.is_image:
            del self._delimiters[opening.num_delimiters :]
            return self._hide(opening.start, end)
        # Emphasis inside of the text of a link ends inside of it.
        inside = self._delimiters[opening.num_delimiters :]
        del self._delimiters[opening.num_delimiters :]
        self.found += _emphasis(inside)
        self._hide(opening.start, opening.end)
        self._num_inactive = len(self._brackets)
        return self._hide(start, end)

    def _end_of_target(self, start: int, content: str) -> int | None:
        """Where the address or label after a closing bracket ends; None without one."""
        target = _TARGET.match(self._text, start + 1, self._end)
        if target:
            return target.end()
        label = _LABEL.match(self._text, start + 1, self._end)
        if label and _folded(label[1] or content) in self._labels:
            return label.end()
        return start + 1 if _folded(content) in self._labels else None

    def _add_delimiter(self, start: int, end: int) -> None:
        before = self._text[start - 1] if start > self._start else " "
        after = self._text[end] if end < self._end else " "
        character = self._text[start]
        opens = _flanks(after, before)
        closes = _flanks(before, after)
        if character == "_":  # not within words, such as in snake_case
            opens, closes = (
                opens and (not closes or _is_punctuation(before)),
                closes and (not opens or _is_punctuation(after)),
            )
        if character == "~" and end - start != 2:
            return
        if opens or closes:
            run = _Delimiter(start, end, character, opens, closes, end - start)
            self._delimiters.append(run)


def _flanks(inner: str, outer: str) -> bool:
    """Whether a run of delimiters belongs to the word on its inner side."""
    if inner.isspace():
        return False
    return not _is_punctuation(inner) or outer.isspace() or _is_punctuation(outer)


def _is_punctuation(character: str) -> bool:
    return not character.isalnum() and not character.isspace()


def _emphasis(delimiters: list[_Delimiter]) -> Iterator[Markup]:
    """Pair up runs of delimiters: each closing one with the last that opens."""
    opened: list[_Delimiter] = []
    num_open: Counter[str] = Counter()
    for run in delimiters:
        while run.can_close and run.start < run.end and num_open[run.character]:
            place = _last_match(opened, run)
            if place is None:
                break
            for skipped in opened[place + 1 :]:
                num_open[skipped.character] -= 1
            del opened[place + 1 :]
            partner = opened[-1]
            length = min(run.end - run.start, partner.end - partner.start)
            yield Markup(partner.end - length, partner.end)
            yield Markup(run.start, run.start + length)
            partner.end -= length
            run.start += length
            if partner.start == partner.end:
                num_open[opened.pop().character] -= 1
        if run.can_open and run.start < run.end:
            opened.append(run)
            num_open[run.character] += 1


def _last_match(opened: list[_Delimiter], run: _Delimiter) -> int | None:
    # Far away there is no partner in any text that people write.
    least = max(0, len(opened) - _MAX_OPEN)
    places = range(len(opened) - 1, least - 1, -1)
    return next((k for k in places if opened[k].matches(run)), None)


def _folded(label: str) -> str:
    return " ".join(label.split()).casefold()
