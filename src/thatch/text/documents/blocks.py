"""Blocks: the paragraphs, headings and code of a text, by offsets into it.

This module finds them in plain text, `markdown` in Markdown. Both read the lines once
and accept any string: what is neither heading nor code is prose.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from thatch.text.documents.markup import Markup, merged

_BULLET = re.compile(r"(?:[-*][ \t\xa0]+|•[ \t\xa0]*)(?=\S)")
_RULE = re.compile(r"([=\-~*_#^])\1{2,}\Z")
_UNDERLINES = "=-~^"
_PARAGRAPH_ENDS = ("\f", "\v", "\x1c", "\x1d", "\u2029")


class BlockKind(enum.Enum):
    """The kind of a block."""

    #: Sentences.
    PROSE = "prose"
    #: A title, without its markup.
    HEADING = "heading"
    #: Code, tables and front matter: unchanged, never split into sentences.
    CODE = "code"
    #: Captions, references and notes: beside the text, not part of it.
    ASIDE = "aside"


@dataclass(frozen=True, slots=True)
class Block:
    """A run of text of one kind, by offsets into the document's text.

    >>> Block(0, 5, BlockKind.HEADING).end
    5
    """

    #: Offset of the first character.
    start: int
    #: Offset after the last character.
    end: int
    #: What the text is.
    kind: BlockKind
    #: Of a heading: its level, 1 for the title. Of anything else: 0.
    level: int = 0


class Blocks:
    r"""Collects the lines of blocks; lines are added to the open block until it closes.

    >>> blocks = Blocks("one\ntwo ")
    >>> blocks.extend(0, 3)
    >>> blocks.extend(4, 8)
    >>> blocks.close()
    >>> blocks.found
    [Block(start=0, end=7, kind=<BlockKind.PROSE: 'prose'>, level=0)]
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._spans: list[tuple[int, int]] = []
        #: The closed blocks.
        self.found: list[Block] = []
        #: What is between the lines of a block and is no white space, such as the
        #: markers of a quotation.
        self.markup: list[Markup] = []

    @property
    def num_open_lines(self) -> int:
        """Number of lines of the open block so far."""
        return len(self._spans)

    @property
    def open_text(self) -> str:
        """The last line of the open block."""
        return self._text[slice(*self._spans[-1])] if self._spans else ""

    def extend(self, start: int, end: int) -> None:
        """Add a line to the open block, without white space around it."""
        line = self._text[start:end]
        stripped = line.lstrip()
        start += len(line) - len(stripped)
        end = start + len(stripped.rstrip())
        if start < end:
            self._spans.append((start, end))

    def close(self, kind: BlockKind = BlockKind.PROSE, *, level: int = 0) -> None:
        """Close the open block, if there is one."""
        if not self._spans:
            return
        start, end = self._spans[0][0], self._spans[-1][1]
        self.found.append(Block(start, end, kind, level))
        if kind is not BlockKind.CODE:
            for (_, above), (below, _) in pairwise(self._spans):
                if not self._text[above:below].isspace():
                    self.markup.append(Markup(above, below, "\n"))
        self._spans.clear()

    def with_markup(
        self, within: Callable[[int, int], Iterable[Markup]]
    ) -> tuple[tuple[Block, ...], tuple[Markup, ...]]:
        """The closed blocks and their markup; a function finds it between offsets."""
        markup = self.markup.copy()
        for block in self.found:
            if block.kind is not BlockKind.CODE:
                markup += within(block.start, block.end)
        return tuple(self.found), merged(markup)

    def close_lines(self) -> None:
        """Close the open block: one paragraph, or one per line if lines are long."""
        # Text is not wrapped at this width.
        if any(end - start > 200 for start, end in self._spans):
            prose = BlockKind.PROSE
            self.found += [Block(start, end, prose) for start, end in self._spans]
            self._spans.clear()
        self.close()


def placed_lines(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and text of each line, with its line break."""
    end = 0
    for line in text.splitlines(keepends=True):
        start, end = end, end + len(line)
        yield start, end, line


def plain_blocks(text: str) -> tuple[Block, ...]:
    """Paragraphs of a plain text, list items and underlined headings.

    Blank lines, form feeds and U+2029 end a paragraph. Its lines are one block, unless
    one of them is longer than wrapped text: then each line is a block. A line that
    starts with ``-``, ``*`` or ``•`` is a list item where a list can start: at the
    start of a paragraph, after a colon, or after another item. Bullets and lines such
    as ``-----`` are not part of any block.
    """
    blocks = Blocks(text)
    in_list = False
    for start, end, line in placed_lines(text):
        content = line.strip()
        if not content:
            blocks.close_lines()
            in_list = False
        elif _RULE.match(content):
            _close_at_rule(blocks, content)
            in_list = False
        else:
            bullet = _BULLET.match(content)
            if bullet and (in_list or _list_can_start(blocks, content)):
                blocks.close_lines()
                in_list = True
                start += line.index(content[0]) + bullet.end()
            blocks.extend(start, end)
        if line.endswith(_PARAGRAPH_ENDS):
            blocks.close_lines()
            in_list = False
    blocks.close_lines()
    return tuple(blocks.found)


def _list_can_start(blocks: Blocks, content: str) -> bool:
    # Within a paragraph, wrapping may have put a dash at the start of a line.
    is_inside = blocks.num_open_lines > 0 and not blocks.open_text.endswith(":")
    return content.startswith("•") or not is_inside


def _close_at_rule(blocks: Blocks, rule: str) -> None:
    if blocks.num_open_lines == 1 and rule[0] in _UNDERLINES:
        blocks.close(BlockKind.HEADING, level=1 + _UNDERLINES.index(rule[0]))
    else:
        blocks.close_lines()
