"""Blocks of a Markdown text, line by line.

This follows CommonMark and GitHub's tables as far as sentences are concerned. Markers
of lists, quotes and headings are outside of blocks; link definitions, rules, comments
and lines that consist of tags or pictures are not part of any block. Markup within a
block, such as ``**``, the address of a link or the marker of a quoted line, is listed
beside the blocks (`markdown_inline`), because offsets refer to the source.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain, pairwise

from thatch.text.documents.blocks import Block, BlockKind, Blocks
from thatch.text.documents.markdown_inline import inline_markup, link_labels
from thatch.text.documents.markup import Markup, merged

__all__ = ["front_matter_date", "markdown_blocks"]

_CODE_INDENT = 4
# People do not nest deeper; markers beyond this depth are read as text.
_MAX_CONTAINERS = 100
_SPACE = re.compile(r"[ \t]*")
_QUOTE = re.compile(r"(?:>[ \t]?)+")
_LIST_ITEM = re.compile(r"([-+*]|\d{1,9}[.)])([ \t]+|(?=\r?\n?\Z))(\[[ xX]\][ \t]+)?")
_FOOTNOTE = re.compile(r"\[\^[^\]\n]{1,200}\]:[ \t]*")
_FENCE = re.compile(r"(`{3,})[^`\n]*\Z|(~{3,})")
_HEADING = re.compile(r"#{1,6}(?=[ \t]|\Z)[ \t]*")
_HEADING_END = re.compile(r"(?:\A|[ \t])#+\Z")
_UNDERLINE = re.compile(r"(?:=+|-+)\Z")
_LINK_LABEL = re.compile(r"\[(?!\^)[^\]\n]{1,1000}\]:")
# The address and the title of a link may be on the lines after its label.
_TITLE = r"""(?:"[^"]*"|'[^']*'|\([^()]*\))"""
_ADDRESS = rf"(?:<[^<>]*>|[^\s<]\S*)(?:[ \t]+{_TITLE})?"
_LINK_ADDRESS = re.compile(rf"{_ADDRESS}\Z")
_LINK_TITLE = re.compile(rf"{_TITLE}\Z")
_TABLE_RULE = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?\Z")
_TAGS = re.compile(r"(?:</?[A-Za-z][^<>]*>\s*)+\Z")
_PICTURES = re.compile(
    r"(?:\[?!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])(?:\](?:\([^)]*\)|\[[^\]]*\]))?\s*)+\Z"
)
# Templates and fences of site generators, and the kinds of notes.
_TEMPLATE = re.compile(
    r"\{[%{!*<].*[%}!*>]\}\Z|(?:/{3}|:{3,})(?:[ \t]*[\w{].*)?\Z|\[!\w+\]\Z|!!!.*\Z"
)
_VERBATIM_TAG = re.compile(r"<(pre|script|style|textarea)\b", re.IGNORECASE)
_WITHOUT_TEXT = (_TAGS, _PICTURES, _TEMPLATE)
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
    end = scan.skip_front_matter()
    lines = text[end:].splitlines(keepends=True)
    for line, next_line in pairwise([*lines, ""]):
        start, end = end, end + len(line)
        scan.read(start, end, next_line)
    blocks, between_lines = scan.finish()
    labels = link_labels(text)
    within = (
        mark
        for block in blocks
        if block.kind is not BlockKind.CODE
        for mark in inline_markup(text, block.start, block.end, labels=labels)
    )
    return blocks, merged(chain(between_lines, within))


def front_matter_date(text: str) -> str:
    r"""Date that the front matter of a Markdown text gives; empty if there is none.

    >>> front_matter_date("---\ntitle: Ice\ndate: 2024-05-01\n---\nIt froze.\n")
    '2024-05-01'
    """
    found = _FRONT_MATTER.match(text)
    date = _DATE.search(text, 0, found.end()) if found else None
    return date[1] if date else ""


@dataclass(frozen=True)
class _Verbatim:
    """An open block of code, and how it ends."""

    #: Matches the line that ends it; None for indented code, which ends by indentation.
    last: re.Pattern[str] | None
    is_quoted: bool = False
    #: Minimum indentation of the lines of indented code.
    column: int = 0


class _Scan:
    """The state after the lines read so far: open block, open containers, open code."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._blocks = Blocks(text)
        # Columns at which the text of the open list items starts.
        self._lists: list[int] = []
        self._starts_quoted = False
        self._is_quoted = False
        # Number of quotation marks before the last line.
        self._quote_depth = 0
        self._is_table = False
        self._verbatim: _Verbatim | None = None
        # Matches this line, and the next, if it continues a link definition.
        self._continuation: re.Pattern[str] | None = None
        self._next_continuation: re.Pattern[str] | None = None
        # Offset at which the last comment ended, possibly in the middle of a line.
        self._comment_end = 0
        self._has_comments = True

    def skip_front_matter(self) -> int:
        """Add the front matter as a block, and return where it ends."""
        found = _FRONT_MATTER.match(self._text)
        if found is None:
            return 0
        self._blocks.extend(0, found.end())
        self._blocks.close(BlockKind.CODE)
        return found.end()

    def finish(self) -> tuple[tuple[Block, ...], list[Markup]]:
        self._close()
        return tuple(self._blocks.found), self._blocks.markup

    def read(self, start: int, end: int, next_line: str) -> None:
        self._continuation, self._next_continuation = self._next_continuation, None
        start = max(start, self._comment_end)
        code = self._verbatim
        if start >= end or (code and self._continues(code, start, end)):
            return
        if self._text[start:end].isspace():
            self._close()
            return
        start, column = self._enter_containers(start, end)
        if self._text[start:end].strip():
            self._read_leaf(start, end, column, next_line)
        else:
            self._close()

    def _close(self, *, heading_level: int = 0) -> None:
        is_code = self._is_table or self._verbatim is not None
        kind = BlockKind.CODE if is_code else BlockKind.PROSE
        self._blocks.close(
            BlockKind.HEADING if heading_level else kind, level=heading_level
        )
        self._is_table = False
        self._verbatim = None

    def _continues(self, code: _Verbatim, start: int, end: int) -> bool:
        """Add the line if it belongs to the open code; return whether it does."""
        content = self._text[start:end].strip()
        if code.last is None:
            indent = _width(_leading_space(self._text, start, end))
            if content and indent < code.column:
                self._close()
                return False
            self._blocks.extend(start, end)
            return True
        if code.is_quoted and not content.startswith(">"):
            self._close()
            return False
        self._blocks.extend(start, end)
        if code.last.search(content):
            self._close()
        return True

    def _enter_containers(self, start: int, end: int) -> tuple[int, int]:
        """Return the offset and the column of the text after the markers."""
        column = depth = 0
        self._start_line(self._text[start:end].lstrip(" \t").startswith(">"))
        is_rule = _is_rule(self._text[start:end])
        for _ in range(_MAX_CONTAINERS):
            space = _leading_space(self._text, start, end)
            indent = column + _width(space)
            first = start + len(space)
            if indent >= self._base(indent) + _CODE_INDENT or is_rule:
                break
            quote = _QUOTE.match(self._text, first, end)
            if quote:
                self._is_quoted = True
                depth += quote[0].count(">")
                if depth != self._quote_depth:
                    self._close_paragraph()
                start, column = quote.end(), 0
                continue
            mark = self._list_mark(first, end, indent)
            if mark is None:
                break
            start, column = mark
        self._quote_depth = depth
        return start, column

    def _start_line(self, starts_quoted: bool) -> None:
        # Lists end where a quote starts or ends.
        if starts_quoted != self._starts_quoted:
            self._lists.clear()
        self._starts_quoted = self._is_quoted = starts_quoted

    def _base(self, indent: int) -> int:
        """Column that indentation is relative to: that of the innermost list item."""
        return next((c for c in reversed(self._lists) if c <= indent), 0)

    def _list_mark(self, first: int, end: int, indent: int) -> tuple[int, int] | None:
        """Open the list item or footnote that starts here.

        Return the offset and the column of its text; None if there is neither.
        """
        footnote = _FOOTNOTE.match(self._text, first, end)
        if footnote:
            self._close_paragraph()
            return footnote.end(), indent
        item = _LIST_ITEM.match(self._text, first, end)
        if item is None or not self._can_start_item(item[1], is_empty=not item[2]):
            return None
        self._close_paragraph()
        while self._lists and self._lists[-1] > indent:
            self._lists.pop()
        space = _width(item[2])
        column = indent + len(item[1]) + (space if space <= _CODE_INDENT else 1)
        self._lists.append(column)
        return item.end(), column

    def _can_start_item(self, mark: str, *, is_empty: bool) -> bool:
        if not self._blocks.num_open_lines:
            return True
        # Wrapping may have put a number, such as a year, at the start of a line.
        is_number = mark[:-1].isdigit() and int(mark[:-1]) != 1
        return not is_empty and (bool(self._lists) or not is_number)

    def _close_paragraph(self) -> None:
        if not self._is_table:
            self._close()

    def _read_leaf(self, start: int, end: int, column: int, next_line: str) -> None:
        space = _leading_space(self._text, start, end)
        indent = column + _width(space)
        content = self._text[start + len(space) : end].rstrip()
        is_paragraph = self._blocks.num_open_lines > 0 and not self._is_table
        if is_paragraph and self._is_underline(content, indent):
            self._close(heading_level=1 if content[0] == "=" else 2)
        elif not is_paragraph and indent >= self._base(indent) + _CODE_INDENT:
            self._close()
            self._verbatim = _Verbatim(None, column=self._base(indent) + _CODE_INDENT)
            self._blocks.extend(start, end)
        elif self._read_special(start, end, content, next_line):
            self._leave_lists(indent)
        else:
            if not is_paragraph:
                self._leave_lists(indent)
            self._read_prose(start, end)

    def _is_underline(self, content: str, indent: int) -> bool:
        return bool(_UNDERLINE.match(content)) and indent >= (self._lists or [0])[-1]

    def _leave_lists(self, indent: int) -> None:
        while self._lists and self._lists[-1] > indent:
            self._lists.pop()

    def _read_special(self, start: int, end: int, content: str, next_line: str) -> bool:
        """Read a line that is not prose; return whether it was one."""
        if self._is_table and "|" in content:
            self._blocks.extend(start, end)
        elif "|" in content and _is_table_rule(next_line):
            self._close()
            self._is_table = True
            self._blocks.extend(start, end)
        elif self._opens_verbatim(content):
            self._blocks.extend(start, end)
            if self._ends_on_first_line(content):
                self._close()
        elif _HEADING.match(content):
            self._read_heading(start, end, content)
        elif self._defines_link(content, next_line) or self._has_no_text(content):
            self._close()
        else:
            if self._is_table:
                self._close()
            return False
        return True

    def _opens_verbatim(self, content: str) -> bool:
        fence, tag = _FENCE.match(content), _VERBATIM_TAG.match(content)
        if fence:
            mark = fence[1] or fence[2]
            prefix = r"\A[> \t]*" if self._is_quoted else r"\A"
            last = re.compile(rf"{prefix}{mark[0]}{{{min(len(mark), 1000)},}}\Z")
        elif tag:
            last = re.compile(rf"</{tag[1]}>", re.IGNORECASE)
        else:
            return False
        self._close()
        self._verbatim = _Verbatim(last, is_quoted=self._is_quoted)
        return True

    def _ends_on_first_line(self, content: str) -> bool:
        code = self._verbatim
        is_tag = content.startswith("<")
        return bool(code and code.last and is_tag and code.last.search(content))

    def _read_heading(self, start: int, end: int, content: str) -> None:
        self._close()
        mark = _HEADING.match(content)
        title = content[mark.end() if mark else 0 :]
        level = len(content) - len(content.lstrip("#"))
        first = self._text.index(content, start, end) + len(content) - len(title)
        # Any number of marks at the end is part of the markup too.
        kept = _HEADING_END.sub("", title.rstrip()) if title.endswith("#") else title
        self._blocks.extend(first, first + len(kept))
        self._close(heading_level=level)

    def _has_no_text(self, content: str) -> bool:
        if _is_rule(content) or any(p.match(content) for p in _WITHOUT_TEXT):
            return True
        is_inside = self._blocks.num_open_lines > 0
        return not is_inside and _UNDERLINE.match(content) is not None

    def _defines_link(self, content: str, next_line: str) -> bool:
        """Whether the line is part of a link definition, which has up to three."""
        continuation = self._continuation
        if continuation is not None and continuation.match(content):
            if continuation is _LINK_ADDRESS:
                self._next_continuation = _LINK_TITLE
            return True
        label = _LINK_LABEL.match(content)
        if label is None or self._blocks.num_open_lines > 0:
            return False
        if content[label.end() :].strip():
            self._next_continuation = _LINK_TITLE
            return True
        if _LINK_ADDRESS.match(next_line.lstrip("> \t").rstrip()):
            self._next_continuation = _LINK_ADDRESS
            return True
        return False

    def _read_prose(self, start: int, end: int) -> None:
        """Add the line to the paragraph, without comments."""
        first, num_ticks = start, 0
        while self._has_comments:
            opening = self._text.find("<!--", first, end)
            if opening < 0:
                break
            num_ticks += self._text.count("`", first, opening)
            first = opening + 4
            if num_ticks % 2:
                continue  # inside inline code, so not a comment
            closing = self._text.find("-->", first)
            if closing < 0:
                self._has_comments = False
                break
            self._blocks.extend(start, opening)
            self._close()
            start = first = self._comment_end = closing + 3
            if start >= end:
                return
        self._blocks.extend(start, end)


def _leading_space(text: str, start: int, end: int) -> str:
    found = _SPACE.match(text, start, end)
    return found[0] if found else ""


def _width(space: str) -> int:
    return len(space.expandtabs(_CODE_INDENT))


def _is_table_rule(line: str) -> bool:
    content = line.lstrip("> \t").rstrip()
    return "|" in content and _TABLE_RULE.match(content) is not None


def _is_rule(line: str) -> bool:
    """Whether the line consists of three or more of one character, such as * * *."""
    first = line.lstrip()[:1]
    if not first or first not in "-*_":
        return False
    marks = "".join(line.split())
    return len(marks) >= 3 and marks == first * len(marks)
