"""HTML: the main text of a page, found by trafilatura."""

from __future__ import annotations

import codecs
import logging
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.etree import ElementTree

from thatch.errors import MissingExtraError
from thatch.files.encodings import decoded
from thatch.text.documents.document import BlockKind, Document

try:
    import trafilatura
    from lxml import etree
except ImportError as error:
    raise MissingExtraError(
        "Reading HTML", package="trafilatura", extra="files"
    ) from error

__all__ = ["read"]

# Without a handler, Python prints its warnings to standard error.
logging.getLogger("trafilatura").addHandler(logging.NullHandler())

_Blocks = Iterator[tuple[BlockKind, str]]
_CHARSET = re.compile(rb"<meta[^>]{1,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.I)
# Encodings that Python knows and browsers do not: they escape characters, and some take
# time quadratic in the length of a page.
_ENCODINGS_OF_PYTHON = frozenset(
    ("idna", "punycode", "raw-unicode-escape", "unicode-escape", "utf-7")
)
# Browsers search as many bytes for it.
_CHARSET_BYTES = 1024
# trafilatura takes time quadratic in the number of cells per table.
_CELL = re.compile(r"<t[dh]\b", re.IGNORECASE)
_MAX_CELLS = 5_000
# On shorter pages trafilatura may miss a part of the text.
_MIN_CHARACTERS = 250
_SKIPPED_TAGS = frozenset(
    ("title", "script", "style", "template", "svg", "nav", "footer", "aside", "button")
)
# Written as one string, because a list would take one line per word.
_INLINE_TAGS = frozenset(
    re.findall(
        r"\w+",
        "a abbr b bdi bdo cite code del dfn em font i ins kbd label mark q s samp "
        "small span strong sub sup time tt u var wbr",
    )
)


def read(content: bytes, path: Path, *, encoding: str | None = None) -> Document:
    """Return the main text of a page, without menus and footers.

    Of a page of a few words, or with more than 5000 cells of tables, everything is
    returned except elements such as ``nav`` and ``footer``.

    Parameters
    ----------
    content
        The page.
    path
        Its name, for the document and for errors.
    encoding
        Name of the encoding. Default: the one that a byte order mark or the page itself
        names, else UTF-8.

    Raises
    ------
    FileFormatError
        If the content is not text in that encoding.

    >>> read(b"<nav>Home</nav><p>It <b>rained</b>.</p>", Path("news.html")).text
    'It rained.'
    """
    if encoding is None and content[:2] not in (
        codecs.BOM_UTF16_LE,
        codecs.BOM_UTF16_BE,
    ):
        encoding = _declared_encoding(content)
    page = decoded(content, path, encoding=encoding)
    if len(_CELL.findall(page)) <= _MAX_CELLS:
        found = trafilatura.extract(page, output_format="xml", include_comments=False)
        main = ElementTree.fromstring(found).find("main") if found else None
        document = Document.from_blocks(_blocks(main), str(path))
        if len(document.text) >= _MIN_CHARACTERS:
            return document
    return Document.from_blocks(_WholePage.blocks(page), str(path))


def _declared_encoding(content: bytes) -> str | None:
    found = _CHARSET.search(content[:_CHARSET_BYTES])
    if found is None:
        return None
    try:
        name = codecs.lookup(found[1].decode("ascii")).name
        "".encode(name)
    except (LookupError, UnicodeError):
        return None  # unknown, or not an encoding of text, such as hex
    return None if name in _ENCODINGS_OF_PYTHON else name


def _blocks(parent: ElementTree.Element | None) -> _Blocks:
    """Blocks of the XML that trafilatura returns."""
    for element in parent if parent is not None else ():
        if element.tag == "head":
            yield BlockKind.HEADING, _text(element)
        elif element.tag == "code":
            yield BlockKind.CODE, "".join(element.itertext())
        elif element.tag == "table":
            rows = (" | ".join(map(_text, row)) for row in element.iter("row"))
            yield BlockKind.CODE, "\n".join(rows)
        elif element.tag in ("list", "quote", "div") and len(element):
            yield BlockKind.PROSE, " ".join((element.text or "").split())
            yield from _blocks(element)
        else:
            yield BlockKind.PROSE, _text(element)
        yield BlockKind.PROSE, " ".join((element.tail or "").split())


def _text(element: ElementTree.Element) -> str:
    for line_break in element.iter("lb"):
        line_break.text = " "
    return " ".join("".join(element.itertext()).split())


class _WholePage:
    """Target of a parser that collects all text, divided at tags that are not inline.

    Python's own parser takes time quadratic in the number of unfinished tags; this one
    does not, and it builds no tree, so that tags may be nested to any depth.
    """

    def __init__(self) -> None:
        self._num_skipped_tags = 0
        self._words: list[str] = []
        self._found: list[str] = []

    @classmethod
    def blocks(cls, page: str) -> _Blocks:
        parser = etree.HTMLParser(target=cls(), encoding="utf-8", huge_tree=True)
        parser.feed(page.encode("utf-8", "replace"))
        for text in parser.close():
            yield BlockKind.PROSE, text

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        del attributes
        self._num_skipped_tags += tag in _SKIPPED_TAGS
        self._divide_at(tag)

    def end(self, tag: str) -> None:
        self._num_skipped_tags -= tag in _SKIPPED_TAGS
        self._divide_at(tag)

    def data(self, text: str) -> None:
        if not self._num_skipped_tags:
            self._words.append(text)

    def close(self) -> list[str]:
        self._divide_at("html")
        return self._found

    def _divide_at(self, tag: str) -> None:
        if tag not in _INLINE_TAGS:
            self._found.append(" ".join("".join(self._words).split()))
            self._words.clear()
