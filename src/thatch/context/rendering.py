"""Rendering: how selected chunks are printed, and so what they cost."""

from __future__ import annotations

import enum
import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from xml.sax.saxutils import quoteattr

__all__ = ["ContextFormat", "Order", "Rendering", "as_xml"]


class ContextFormat(enum.StrEnum):
    """What a context is printed as."""

    #: The chunks with blank lines between them.
    TEXT = "text"
    #: The same, with a heading per source.
    MARKDOWN = "markdown"
    #: An element per chunk.
    XML = "xml"
    #: A list with an object per chunk.
    JSON = "json"


class Order(enum.StrEnum):
    """Order in which chunks are printed."""

    #: As in their sources, or as in the input where that is not known.
    SOURCE = "source"
    #: The most relevant first.
    RELEVANCE = "relevance"
    #: The most relevant at both ends, which models read best.
    EDGES = "edges"


@dataclass(frozen=True)
class Rendering:
    r"""How chunks become one text: format, headers and separator.

    >>> rendering = Rendering(ContextFormat.MARKDOWN)
    >>> print(rendering.joined([("a.md", "Snow fell."), ("a.md", "We left.")]))
    ## a.md
    <BLANKLINE>
    Snow fell.
    <BLANKLINE>
    We left.
    """

    format: ContextFormat = ContextFormat.TEXT
    #: Printed above the first of several chunks of one source; ``{source}`` is replaced
    #: by its name. Chunks without a source have none. Only for text and Markdown.
    header: str | None = None
    #: Printed between chunks, in text and Markdown.
    separator: str = "\n\n"

    @property
    def has_elements(self) -> bool:
        """Whether each chunk is an element of its own, as in XML and JSON."""
        return self.format in (ContextFormat.XML, ContextFormat.JSON)

    def block(self, source: str, text: str) -> str:
        r"""One chunk as it adds to the printed text, without the header of its source.

        >>> Rendering(ContextFormat.XML).block("a.md", "1 < 2")
        '<document source="a.md">\n<![CDATA[1 < 2]]>\n</document>\n'
        """
        if self.format is ContextFormat.XML:
            attribute = f" source={quoteattr(source)}" if source else ""
            return f"<document{attribute}>\n{as_xml(text)}\n</document>\n"
        if self.format is ContextFormat.JSON:
            named = {"source": source} if source else {}
            return json.dumps({**named, "text": text}, ensure_ascii=False) + ",\n"
        return self.separator + text

    def header_of(self, source: str) -> str:
        """What is printed above the chunks of a source."""
        usual = "## {source}\n\n" if self.format is ContextFormat.MARKDOWN else ""
        header = usual if self.header is None else self.header
        return header.replace("{source}", source) if source else ""

    @property
    def frame(self) -> str:
        """What is printed around all chunks."""
        if self.format is ContextFormat.XML:
            return "<documents>\n</documents>"
        return "[\n]" if self.format is ContextFormat.JSON else ""

    def joined(self, chunks: Sequence[tuple[str, str]]) -> str:
        """The printed text of chunks, each with its source and its text.

        It is empty if there are none, in any format: no budget is too small for it.
        """
        if not chunks:
            return ""
        if self.format is ContextFormat.XML:
            body = "".join(self.block(*chunk) for chunk in chunks)
            return f"<documents>\n{body}</documents>"
        if self.format is ContextFormat.JSON:
            body = "".join(self.block(*chunk) for chunk in chunks).removesuffix(",\n")
            return f"[\n{body}\n]"
        runs = groupby(chunks, key=lambda chunk: chunk[0])
        return self.separator.join(
            self.header_of(source) + self.separator.join(text for _, text in run)
            for source, run in runs
        )


def as_xml(text: str) -> str:
    """The text as it is, within marks if it contains signs of XML.

    Code with an entity for every angle bracket is hard to read, and has more tokens.
    """
    if "<" not in text and "&" not in text:
        return text
    return "<![CDATA[" + text.replace("]]>", "]]]]><![CDATA[>") + "]]>"
