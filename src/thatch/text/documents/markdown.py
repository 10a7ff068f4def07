"""Blocks of a Markdown text, and the markup within them.

pulldown-cmark parses the text: CommonMark, with GitHub's tables, footnotes, task lists
and struck text. It says where in the source each piece of shown text is; whatever lies
between the pieces of a line, such as ``**`` or the address of a link, is markup.
Markers of lists, quotes and headings are outside of blocks. Link definitions, rules,
comments, and lines of nothing but tags or pictures are not part of any block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import unescape
from typing import TYPE_CHECKING, Any

import numpy as np
from pyromark import Options, events_with_range

from thatch.text.documents.blocks import Block, BlockKind, Blocks
from thatch.text.documents.markup import Markup, merged

if TYPE_CHECKING:
    from pyromark.event import Event

_EXTENSIONS = (
    Options.ENABLE_TABLES
    | Options.ENABLE_FOOTNOTES
    | Options.ENABLE_STRIKETHROUGH
    | Options.ENABLE_TASKLISTS
)
_INLINE = frozenset(("Emphasis", "Strong", "Strikethrough", "Link", "Image"))
# Templates and fences of site generators, and the kinds of notes.
_TEMPLATE = re.compile(
    r"\{[%{!*<].*[%}!*>]\}\Z|(?:/{3}|:{3,})(?:[ \t]*[\w{].*)?\Z|\[!\w+\]\Z|!!!.*\Z"
)
# HTML that is kept unchanged, as code and tables of Markdown are.
_VERBATIM_TAG = re.compile(
    r"<(?:pre|script|style|textarea|table|thead|tbody|tr|t[dh])\b", re.IGNORECASE
)
_BREAKING_TAG = re.compile(r"</?(?:br|p|div|li|td|tr)\b", re.IGNORECASE)
# The end of a line, and the quotation marks at the start of the next.
_LINE_END = re.compile(r"(?:\r\n?|\n)[ \t>]*")
# No tag contains "<", so that each character is looked at once.
_HTML = re.compile(
    rf"{_LINE_END.pattern}|<!--|</?[A-Za-z][^<>]*>|<[!?][^<>]*>|&#?\w{{1,32}};"
)
# If the first line is two or more words without a colon, it is not YAML: then the
# dashes are a rule.
_FRONT_MATTER = re.compile(
    r"---[ \t]*\r?\n(?=#|[\w\"'.-]+[ \t]*:)(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)"
)
_DATE = re.compile(r"^date[ \t]*:[ \t]*[\"']?(\d{4}-\d{2}-\d{2})", re.I | re.MULTILINE)


def markdown_blocks(text: str) -> tuple[tuple[Block, ...], tuple[Markup, ...]]:
    r"""Blocks of a Markdown text, and the markup within them.

    >>> text = "# Title\n\nTwo\nlines.\n\n1. *item*\n\n> quoted\n\n```\nx = 1\n```\n"
    >>> blocks, markup = markdown_blocks(text)
    >>> [(text[b.start:b.end], b.kind.value) for b in blocks]
    [('Title', 'heading'), ('Two\nlines.', 'prose'), ('*item*', 'prose'),
     ('quoted', 'prose'), ('```\nx = 1\n```', 'code')]
    >>> [text[m.start:m.end] for m in markup]
    ['*', '*']
    """
    scan = _Scan(text)
    front_matter = _FRONT_MATTER.match(text)
    first = front_matter.end() if front_matter else 0
    scan.add_verbatim(0, first)
    for event, start, end in _events(text, first):
        scan.read(event, start, end)
    scan.close()
    return tuple(scan.blocks.found), merged([*scan.blocks.markup, *scan.markup])


def front_matter_date(text: str) -> str:
    r"""Date that the front matter of a Markdown text gives; empty if there is none.

    >>> front_matter_date("---\ntitle: Ice\ndate: 2024-05-01\n---\nIt froze.\n")
    '2024-05-01'
    """
    found = _FRONT_MATTER.match(text)
    date = _DATE.search(text, 0, found.end()) if found else None
    return date[1] if date else ""


def _events(text: str, first: int) -> Iterator[tuple[Event, int, int]]:
    """What the parser finds from an offset on, by offsets of characters."""
    text = text[first:]
    offsets: Sequence[int] = range(first, first + len(text) + 1)
    if not text.isascii():
        # Half of a surrogate pair has no UTF-8; any other character will do.
        source = text.encode(errors="replace")
        text = source.decode()
        # The parser counts bytes: each character has one that does not continue it.
        is_start = (np.frombuffer(source, np.uint8) & 0b1100_0000) != 0b1000_0000
        steps = np.concatenate(([first], is_start))
        offsets = np.cumsum(steps, dtype=np.uint32).data
    for event, span in events_with_range(text, options=_EXTENSIONS):
        yield event, offsets[span["start"]], offsets[span["end"]]


class _Scan:
    """The state after the events read so far: the open line, in the open block."""

    def __init__(self, text: str) -> None:
        self._text = text
        # Where the open line starts and ends; the start is -1 if no line is open.
        self._start = self._end = -1
        # Offset after the last piece of the line that is shown.
        self._shown_end = -1
        self._has_text = False
        self._line_markup: list[Markup] = []
        # What is inside of a picture, code or a table is not read.
        self._skipped = range(0)
        self.blocks = Blocks(text)
        self.markup: list[Markup] = []

    def read(self, event: Event, start: int, end: int) -> None:
        """Read what the parser found between two offsets."""
        if start >= self._skipped.start and end <= self._skipped.stop:
            return
        if isinstance(event, str):
            self._end_line()
            if event == "Rule":
                self.close()
            return
        content: Any
        ((kind, content),) = event.items()
        if kind == "Text":
            is_entity = self._text[start] == "&" and self._text[start:end] != content
            self._show(start, end, content if is_entity else None)
        elif kind == "Start":
            self._enter(content, start, end)
        elif kind == "End":
            self._leave(content, end)
        elif kind == "Code":
            self._read_code(start, end)
        elif kind == "InlineHtml":
            self._read_tag(start, end)
        elif kind == "FootnoteReference":
            self._hide(start, end)

    def close(self, *, heading_level: int = 0) -> None:
        """Close the open block, if there is one."""
        self._end_line(is_heading=heading_level > 0)
        kind = BlockKind.HEADING if heading_level else BlockKind.PROSE
        self.blocks.close(kind, level=heading_level)

    def add_verbatim(self, start: int, end: int) -> None:
        """Add a block of code."""
        self.blocks.extend(start, end)
        self.blocks.close(BlockKind.CODE)

    def _enter(self, content: Any, start: int, end: int) -> None:
        name = _name_of(content)
        if name in _INLINE:
            self._begin(start)
            if name == "Image":
                self._hide(start, end)
                self._skipped = range(start, end)
            return
        self.close()
        if name in ("CodeBlock", "Table"):
            self.add_verbatim(start, end)
        elif name == "HtmlBlock":
            self._read_html(start, end)
        else:
            return
        self._skipped = range(start, end)

    def _leave(self, content: Any, end: int) -> None:
        name = _name_of(content)
        if name in _INLINE:
            self._end = end
        elif name == "Heading":
            self.close(heading_level=int(content["Heading"].removeprefix("H")))
        else:
            self.close()

    def _begin(self, start: int) -> None:
        if self._start < 0:
            self._start = self._shown_end = start

    def _hide(self, start: int, end: int) -> None:
        self._begin(start)
        self._end = end

    def _show(self, start: int, end: int, shown: str | None = None) -> None:
        """Add a piece to the line: as it is in the source, or something instead."""
        self._begin(start)
        if start > self._shown_end:
            self._line_markup.append(Markup(self._shown_end, start))
        if shown is not None:
            self._line_markup.append(Markup(start, end, shown))
        self._end = self._shown_end = end
        if not self._has_text:
            piece = self._text[start:end] if shown is None else shown
            self._has_text = bool(piece.strip())

    def _end_line(self, *, is_heading: bool = False) -> None:
        if self._start < 0:
            return
        if self._end > self._shown_end:
            self._line_markup.append(Markup(self._shown_end, self._end))
        content = self._text[self._start : self._end].strip()
        if self._has_text and (is_heading or not _TEMPLATE.match(content)):
            self.blocks.extend(self._start, self._end)
            self.markup += self._line_markup
        else:
            self.blocks.close()
        self._start = -1
        self._has_text = False
        self._line_markup.clear()

    def _read_code(self, start: int, end: int) -> None:
        source = self._text[start:end]
        num_ticks = len(source) - len(source.lstrip("`"))
        self._begin(start)
        place, last = start + num_ticks, end - num_ticks
        for line_end in _LINE_END.finditer(self._text, place, last):
            self._show(place, line_end.start())
            self._end_line()
            place = line_end.end()
        self._show(place, last)
        self._end = end

    def _read_tag(self, start: int, end: int) -> None:
        if _BREAKING_TAG.match(self._text, start):
            self._show(start, end, " ")
        else:
            self._hide(start, end)

    def _read_html(self, start: int, end: int) -> None:
        """Read lines of HTML, in which Markdown means nothing."""
        if _VERBATIM_TAG.match(self._text, start):
            if _HTML.sub("", self._text[start:end]).strip():
                self.add_verbatim(start, end)
            return
        place = start
        while found := _HTML.search(self._text, place, end):
            if found.start() > place:
                self._show(place, found.start())
            place = self._read_html_mark(found, end)
        if place < end:
            self._show(place, end)
        self.close()

    def _read_html_mark(self, found: re.Match[str], end: int) -> int:
        """Read the end of a line, a comment, an entity or a tag; return its end."""
        mark, start, place = found[0], found.start(), found.end()
        if mark[0] in "\r\n":
            self._end_line()
        elif mark == "<!--":
            closing = self._text.find("-->", start, end)
            place = end if closing < 0 else closing + len("-->")
            self._hide(start, place)
        elif mark[0] == "&":
            self._show(start, place, unescape(mark))
        else:
            self._read_tag(start, place)
        return place


def _name_of(tag: Any) -> str:
    return tag if isinstance(tag, str) else next(iter(tag))
