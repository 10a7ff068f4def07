"""Blocks: the paragraphs, headings and code of a text, by offsets into it.

Here they are found in plain text, in `markdown` in Markdown. Both read a text line by
line, once, and take any string: what they cannot tell they take for prose.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass

__all__ = ["Block", "BlockKind", "Blocks", "plain_blocks"]

# No one wraps lines as wide as this: one line that is longer, and each is a paragraph.
_WIDEST_WRAPPED_LINE = 200
_BULLET = re.compile(r"(?:[-*][ \t\xa0]+|•[ \t\xa0]*)(?=\S)")
_RULE = re.compile(r"([=\-~*_#^])\1{2,}\Z")
_UNDERLINES = "=-~^"
_PARAGRAPH_ENDS = ("\f", "\v", "\x1c", "\x1d", "\u2029")


class BlockKind(enum.Enum):
    """What a block holds."""

    #: Sentences.
    PROSE = "prose"
    #: A title, without its marks.
    HEADING = "heading"
    #: Code, tables, front matter: kept as they are, never split into sentences.
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Block:
    """A run of text of one kind, by offsets into the document's text.

    >>> Block(0, 5, BlockKind.HEADING).end
    5
    """

    start: int
    end: int
    kind: BlockKind


class Blocks:
    r"""Blocks as they are found, line after line; one may be open.

    >>> blocks = Blocks("one\ntwo ")
    >>> blocks.extend(0, 3)
    >>> blocks.extend(4, 8)
    >>> blocks.close()
    >>> blocks.found
    [Block(start=0, end=7, kind=<BlockKind.PROSE: 'prose'>)]
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._spans: list[tuple[int, int]] = []
        #: Those that are closed.
        self.found: list[Block] = []

    @property
    def num_open_lines(self) -> int:
        """How many lines the open block has so far."""
        return len(self._spans)

    @property
    def open_text(self) -> str:
        """The last line of the open block."""
        return self._text[slice(*self._spans[-1])] if self._spans else ""

    def extend(self, start: int, end: int) -> None:
        """Add a line, or what is left of it without white space, to the open block."""
        line = self._text[start:end]
        stripped = line.lstrip()
        start += len(line) - len(stripped)
        end = start + len(stripped.rstrip())
        if start < end:
            self._spans.append((start, end))

    def close(self, kind: BlockKind = BlockKind.PROSE) -> None:
        """End the open block, if there is one."""
        if self._spans:
            self.found.append(Block(self._spans[0][0], self._spans[-1][1], kind))
            self._spans.clear()

    def close_lines(self) -> None:
        """End the open block, as one paragraph a line where lines are not wrapped."""
        if any(end - start > _WIDEST_WRAPPED_LINE for start, end in self._spans):
            prose = BlockKind.PROSE
            self.found += [Block(start, end, prose) for start, end in self._spans]
            self._spans.clear()
        self.close()


def plain_blocks(text: str) -> tuple[Block, ...]:
    r"""Paragraphs of a plain text, list items and underlined headings.

    Blank lines, form feeds and U+2029 end a paragraph. Its lines are one block, unless
    one is so long that the text is clearly not wrapped: then each line is a block. A
    line that starts with ``-``, ``*`` or ``•`` is a list item where a list can start:
    at the start of a paragraph, after a colon, or after another item; its bullet
    belongs to no block, and neither does a line such as ``-----``.

    >>> text = "Title\n=====\nTwo\nlines.\n\n- one\n- two"
    >>> [(text[b.start:b.end], b.kind.value) for b in plain_blocks(text)]
    [('Title', 'heading'), ('Two\nlines.', 'prose'), ('one', 'prose'), ('two', 'prose')]
    """
    blocks = Blocks(text)
    end = 0
    in_list = False
    for line in text.splitlines(keepends=True):
        start, end = end, end + len(line)
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
    # Within a paragraph a dash may just have come to stand at the start of a line.
    is_inside = blocks.num_open_lines > 0 and not blocks.open_text.endswith(":")
    return content.startswith("•") or not is_inside


def _close_at_rule(blocks: Blocks, rule: str) -> None:
    if blocks.num_open_lines == 1 and rule[0] in _UNDERLINES:
        blocks.close(BlockKind.HEADING)
    else:
        blocks.close_lines()
