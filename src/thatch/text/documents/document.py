"""Documents: a text with its name, its blocks and its places."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace

from thatch.errors import InputError, InputTypeError
from thatch.machine.caching import cached_property
from thatch.text.documents.blocks import Block, BlockKind, placed_lines, plain_blocks
from thatch.text.documents.markup import Markup, ShownText

__all__ = ["Block", "BlockKind", "Document", "Part", "Place"]

# Means "not given": no text has such a block.
_FROM_TEXT = (Block(-1, -1, BlockKind.PROSE),)
_BETWEEN_BLOCKS = "\n\n"


@dataclass(frozen=True, slots=True)
class Place:
    """Page, time and speaker of a text, from an offset on.

    >>> Place(0, page=12).page
    12
    """

    #: Offset of the first character.
    start: int
    #: Number of the page, from 1; None where there are no pages.
    page: int | None = None
    #: When it was said or sent, such as ``00:12:07`` or ``2024-05-01 10:30``.
    time: str = ""
    #: Who said or sent it.
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A block that a reader extracted, before it has a place in a document.

    >>> Part(BlockKind.PROSE, "Snow fell.", places=(Place(0, page=3),)).level
    0
    """

    #: What the text is.
    kind: BlockKind
    #: The text.
    text: str
    #: Of a heading: its level, 1 for the title.
    level: int = 0
    #: Pages, times and speakers, by offsets in this text.
    places: tuple[Place, ...] = ()


@dataclass(frozen=True)
class Document:
    r"""A text with its blocks: paragraphs, headings and code.

    Blocks are in order, do not overlap, and neither start nor end with white space.

    >>> document = Document("One\nparagraph.\n\nAnother.", name="notes.txt")
    >>> [document.text[block.start : block.end] for block in document.blocks]
    ['One\nparagraph.', 'Another.']
    """

    #: The source, unchanged; offsets refer to it.
    text: str
    #: A path or a title; "-" for standard input.
    name: str = ""
    #: The blocks. Default: those of a plain text.
    blocks: tuple[Block, ...] = _FROM_TEXT
    #: Characters within blocks that are not shown: in order, without overlaps.
    markup: tuple[Markup, ...] = ()
    #: Pages, times and speakers, in order; each is valid until the next.
    places: tuple[Place, ...] = ()
    #: Date of the document, such as ``2024-05-01``; empty if it is not known.
    date: str = ""
    #: Whether the text was extracted from a file of another kind, such as PDF. Then
    #: its lines are not those that a reader sees.
    is_extracted: bool = False

    def __post_init__(self) -> None:
        for field in ("text", "name"):
            if not isinstance(getattr(self, field), str):
                raise InputTypeError(
                    f"{field} is {getattr(self, field)!r:.60}; a string was expected.",
                    hint="Decode bytes first; to read a file, use read_document.",
                )
        if self.blocks is _FROM_TEXT:
            object.__setattr__(self, "blocks", plain_blocks(self.text))
            return
        for field in ("blocks", "markup"):
            object.__setattr__(self, field, tuple(getattr(self, field)))
            self._require_order(field)

    def _require_order(self, field: str) -> None:
        end = 0
        for span in getattr(self, field):
            if not end <= span.start < span.end <= len(self.text):
                raise InputError(
                    f"{field} contains {span} after offset {end} of {len(self.text)}; "
                    f"{field} must be in order, within the text, and not overlap.",
                    hint="Sort them, and shorten those that overlap.",
                )
            end = span.end

    def shown(self, start: int, end: int) -> ShownText:
        """What is shown of a part of the text, without its markup.

        >>> document = Document.from_markdown("It *rained*.")
        >>> document.shown(0, 12).text
        'It rained.'
        """
        return ShownText.of(self.text, start, end, self.markup)

    def place_at(self, offset: int) -> Place:
        """Page, time and speaker at an offset."""
        k = bisect_right(self.places, offset, key=lambda place: place.start)
        return self.places[k - 1] if k else Place(0)

    def line_at(self, offset: int) -> int | None:
        r"""Number of the line at an offset, from 1; None if lines mean nothing.

        >>> Document("One.\nTwo.").line_at(5)
        2
        """
        if self.is_extracted:
            return None
        return bisect_right(self._line_starts, offset)

    def headings_at(self, offset: int) -> tuple[str, ...]:
        r"""Headings above an offset, from the title down to the innermost.

        >>> document = Document.from_markdown("# A\n\n## B\n\nText.\n\n## C\n\nMore.")
        >>> document.headings_at(document.text.index("More"))
        ('A', 'C')
        """
        k = bisect_right(self._heading_paths[0], offset)
        return self._heading_paths[1][k]

    @cached_property
    def _line_starts(self) -> list[int]:
        return [start for start, _, _ in placed_lines(self.text)] or [0]

    @cached_property
    def _heading_paths(self) -> tuple[list[int], list[tuple[str, ...]]]:
        """Offsets of headings, and the path before the first and after each."""
        starts: list[int] = []
        paths: list[tuple[str, ...]] = [()]
        path: list[tuple[int, str]] = []
        for block in self.blocks:
            if block.kind is BlockKind.HEADING:
                level = block.level or 1
                title = " ".join(self.shown(block.start, block.end).text.split())
                path = [above for above in path if above[0] < level]
                path.append((level, title))
                starts.append(block.start)
                paths.append(tuple(text for _, text in path))
        return starts, paths

    @classmethod
    def from_text(cls, text: str, name: str = "") -> Document:
        """Return the document of a plain text.

        >>> len(Document.from_text("Hello.").blocks)
        1
        """
        return cls(text, name)

    @classmethod
    def from_markdown(cls, text: str, name: str = "") -> Document:
        r"""Return the document of a Markdown text.

        >>> document = Document.from_markdown("# Title\n\n- item")
        >>> [document.text[block.start : block.end] for block in document.blocks]
        ['Title', 'item']
        """
        from thatch.text.documents.markdown import front_matter_date, markdown_blocks

        blocks, markup = markdown_blocks(text)
        return cls(text, name, blocks, markup=markup, date=front_matter_date(text))

    @classmethod
    def from_blocks(
        cls, blocks: Iterable[tuple[BlockKind, str] | Part], name: str = ""
    ) -> Document:
        r"""Return the document made of blocks, each given by its kind and its text.

        Blocks are separated by blank lines; empty ones are omitted. Lines of such a
        document are not cited: its text was extracted from something else.

        >>> blocks = [(BlockKind.HEADING, "Title"), (BlockKind.PROSE, "Text. ")]
        >>> Document.from_blocks(blocks).text
        'Title\n\nText.'
        """
        texts: list[str] = []
        placed: list[Block] = []
        places: list[Place] = []
        start = 0
        for given in blocks:
            part = given if isinstance(given, Part) else Part(*given)
            text = part.text.strip()
            if not text:
                continue
            texts.append(text)
            is_heading = part.kind is BlockKind.HEADING
            level = (part.level or 1) if is_heading else 0
            placed.append(Block(start, start + len(text), part.kind, level))
            skipped = len(part.text) - len(part.text.lstrip())
            places += [
                replace(place, start=start + max(place.start - skipped, 0))
                for place in part.places
            ]
            start += len(text) + len(_BETWEEN_BLOCKS)
        return cls(
            _BETWEEN_BLOCKS.join(texts),
            name,
            tuple(placed),
            places=tuple(places),
            is_extracted=True,
        )
