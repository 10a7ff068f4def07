"""Documents: a text with its name and its blocks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from thatch.errors import InputError, InputTypeError
from thatch.text.documents.blocks import Block, BlockKind, plain_blocks

__all__ = ["Block", "BlockKind", "Document"]

# Means "not given": no text has such a block.
_FROM_TEXT = (Block(-1, -1, BlockKind.PROSE),)
_BETWEEN_BLOCKS = "\n\n"


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
        object.__setattr__(self, "blocks", tuple(self.blocks))
        end = 0
        for block in self.blocks:
            if not end <= block.start < block.end <= len(self.text):
                raise InputError(
                    f"blocks contains {block} after offset {end} of {len(self.text)}; "
                    "blocks must be in order, within the text, and not overlap.",
                    hint="Sort the blocks, and shorten those that overlap.",
                )
            end = block.end

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
        from thatch.text.documents.markdown import markdown_blocks

        return cls(text, name, markdown_blocks(text))

    @classmethod
    def from_blocks(
        cls, blocks: Iterable[tuple[BlockKind, str]], name: str = ""
    ) -> Document:
        r"""Return the document made of blocks, each given by its kind and its text.

        Blocks are separated by blank lines; empty ones are omitted.

        >>> blocks = [(BlockKind.HEADING, "Title"), (BlockKind.PROSE, "Text. ")]
        >>> Document.from_blocks(blocks).text
        'Title\n\nText.'
        """
        texts: list[str] = []
        placed: list[Block] = []
        start = 0
        for kind, content in blocks:
            text = content.strip()
            if text:
                texts.append(text)
                placed.append(Block(start, start + len(text), kind))
                start += len(text) + len(_BETWEEN_BLOCKS)
        return cls(_BETWEEN_BLOCKS.join(texts), name, tuple(placed))
