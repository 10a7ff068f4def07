"""Documents: a text, where it came from, and its blocks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from thatch.errors import InputError, InputTypeError
from thatch.text.documents.blocks import Block, BlockKind, plain_blocks

__all__ = ["Block", "BlockKind", "Document"]

# Stands for "not given": no text has it.
_FROM_TEXT = (Block(-1, -1, BlockKind.PROSE),)
_BETWEEN_PARTS = "\n\n"


@dataclass(frozen=True)
class Document:
    r"""A text, with the blocks it is made of.

    Blocks are in order, do not overlap, and neither start nor end with white space.

    >>> document = Document("One\nparagraph.\n\nAnother.", name="notes.txt")
    >>> [document.text[block.start : block.end] for block in document.blocks]
    ['One\nparagraph.', 'Another.']
    """

    #: The source, character for character; offsets point into it.
    text: str
    #: Where it came from: a path, a title, "-" for standard input.
    name: str = ""
    #: Those of a plain text, unless given.
    blocks: tuple[Block, ...] = _FROM_TEXT

    def __post_init__(self) -> None:
        for field in ("text", "name"):
            if not isinstance(getattr(self, field), str):
                raise InputTypeError(
                    f"{field} must be a string, got {getattr(self, field)!r:.60}.",
                    hint="Decode bytes first; read_document reads a file.",
                )
        if self.blocks is _FROM_TEXT:
            object.__setattr__(self, "blocks", plain_blocks(self.text))
            return
        object.__setattr__(self, "blocks", tuple(self.blocks))
        end = 0
        for block in self.blocks:
            if not end <= block.start < block.end <= len(self.text):
                raise InputError(
                    f"blocks must be in order and within the text, got {block} after "
                    f"offset {end} of {len(self.text)}.",
                    hint="Sort them, and cut those that overlap.",
                )
            end = block.end

    @classmethod
    def from_text(cls, text: str, name: str = "") -> Document:
        """Return the document that a plain text is.

        >>> len(Document.from_text("Hello.").blocks)
        1
        """
        return cls(text, name)

    @classmethod
    def from_markdown(cls, text: str, name: str = "") -> Document:
        r"""Return the document that a Markdown text is.

        >>> document = Document.from_markdown("# Title\n\n- item")
        >>> [document.text[block.start : block.end] for block in document.blocks]
        ['Title', 'item']
        """
        from thatch.text.documents.markdown import markdown_blocks

        return cls(text, name, markdown_blocks(text))

    @classmethod
    def from_parts(
        cls, parts: Iterable[tuple[BlockKind, str]], name: str = ""
    ) -> Document:
        r"""Return the document made of blocks whose text is known.

        A blank line goes between them; parts of white space alone are left out.

        >>> parts = [(BlockKind.HEADING, "Title"), (BlockKind.PROSE, "Text. ")]
        >>> Document.from_parts(parts).text
        'Title\n\nText.'
        """
        texts: list[str] = []
        blocks: list[Block] = []
        start = 0
        for kind, part in parts:
            text = part.strip()
            if text:
                texts.append(text)
                blocks.append(Block(start, start + len(text), kind))
                start += len(text) + len(_BETWEEN_PARTS)
        return cls(_BETWEEN_PARTS.join(texts), name, tuple(blocks))
