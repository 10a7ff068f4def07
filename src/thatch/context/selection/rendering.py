"""Rendering: how selected chunks are printed, and so what they cost."""

from __future__ import annotations

import enum
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from xml.sax.saxutils import quoteattr

from thatch.options import require_choice

# What XML cannot contain, not even as an entity.
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Halves of a pair, which no encoding has.
_SURROGATES = re.compile("[\ud800-\udfff]")
_REPLACEMENT = "\ufffd"


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

    #: A name is converted.
    format: ContextFormat = ContextFormat.TEXT
    #: Printed above the first of several chunks of one source; ``{source}`` is replaced
    #: by its name. Chunks without a source have none. Only for text and Markdown.
    header: str | None = None
    #: Printed between chunks, in text and Markdown.
    separator: str = "\n\n"

    def __post_init__(self) -> None:
        name = require_choice("format", self.format, ContextFormat, default="text")
        object.__setattr__(self, "format", ContextFormat(name))

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
            attribute = f" source={as_xml_value(source)}" if source else ""
            return f"<document{attribute}>\n{as_xml(text)}\n</document>\n"
        if self.format is ContextFormat.JSON:
            named = {"source": source} if source else {}
            return as_json({**named, "text": text}) + ",\n"
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
    """The text as content of an XML element: as it is, or a CDATA section.

    Code with an entity for every angle bracket is hard to read, and has more tokens.
    Characters that XML cannot contain are replaced by U+FFFD.

    >>> as_xml("Snow fell."), as_xml("1 < 2")
    ('Snow fell.', '<![CDATA[1 < 2]]>')
    """
    text = _NOT_IN_XML.sub(_REPLACEMENT, text)
    if "<" not in text and "&" not in text:
        return text
    return "<![CDATA[" + text.replace("]]>", "]]]]><![CDATA[>") + "]]>"


def as_xml_value(text: str) -> str:
    """The text as value of an XML attribute, in quotes.

    Characters that XML cannot contain are replaced by U+FFFD.

    >>> as_xml_value("a&b.md")
    '"a&amp;b.md"'
    """
    return quoteattr(_NOT_IN_XML.sub(_REPLACEMENT, text))


def as_json(value: object) -> str:
    """The value as one line of JSON, which can be encoded.

    Halves of surrogate pairs are replaced by U+FFFD: not every reader of JSON accepts
    them, not even escaped.

    >>> as_json({"source": "café.md"})
    '{"source": "café.md"}'
    """
    return _SURROGATES.sub(_REPLACEMENT, json.dumps(value, ensure_ascii=False))
