"""HTML: the main text of a page, found by trafilatura."""

from __future__ import annotations

import codecs
import logging
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from thatch.errors import requiring
from thatch.files.encodings import decoded
from thatch.text.documents.document import BlockKind, Document, Part
from thatch.text.documents.html_blocks import page_parts

with requiring("Reading HTML", package="trafilatura", extra="files"):
    import trafilatura

# Without a handler, Python prints its warnings to standard error.
logging.getLogger("trafilatura").addHandler(logging.NullHandler())

# Browsers search the first 1024 bytes for it.
_CHARSET = re.compile(rb"<meta[^>]{1,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.I)
# Encodings that Python knows and browsers do not: they escape characters, and some take
# time quadratic in the length of a page.
_ENCODINGS_OF_PYTHON = frozenset(
    ("idna", "punycode", "raw-unicode-escape", "unicode-escape", "utf-7")
)
_CELL = re.compile(r"<t[dh]\b", re.IGNORECASE)
_META = re.compile(
    r"<meta\b([^<>]{1,500})>|\"datePublished\"\s*:\s*(\"[^\"<>]{1,40}\")"
)
_PUBLISHED = re.compile(
    r"(?:name|property|itemprop)\s*=\s*[\"']?(?:article:published_time|datepublished|"
    r"date|dc\.date(?:\.issued)?|dcterms\.(?:date|issued)|publishdate|pubdate|"
    r"citation_publication_date|parsely-pub-date)[\"'\s]",
    re.IGNORECASE,
)
_DATE = re.compile(r"[\"'](\d{4})[-/](\d{2})[-/](\d{2})")


def read(content: bytes, path: Path, *, encoding: str | None = None) -> Document:
    """Return the main text of a page, without menus and footers.

    Of a page of a few words, without prose, or with more than 5000 cells of tables,
    everything is returned except elements such as ``nav`` and ``footer``.

    Default encoding: the one that a byte order mark or the page itself names, else
    UTF-8.
    """
    if encoding is None and content[:2] not in (
        codecs.BOM_UTF16_LE,
        codecs.BOM_UTF16_BE,
    ):
        encoding = _declared_encoding(content)
    page = decoded(content, path, encoding=encoding)
    # trafilatura takes time quadratic in the number of cells per table.
    if len(_CELL.findall(page)) <= 5_000:
        found = trafilatura.extract(page, output_format="xml", include_comments=False)
        main = ElementTree.fromstring(found).find("main") if found else None
        document = Document.from_blocks(_blocks(main), str(path))
        has_prose = any(block.kind is BlockKind.PROSE for block in document.blocks)
        # On shorter pages trafilatura may miss a part of the text.
        if has_prose and len(document.text) >= 250:
            return replace(document, date=_published(page))
    document = Document.from_blocks(page_parts(page), str(path))
    return replace(document, date=_published(page))


def _published(page: str) -> str:
    """The date that a page declares, such as 2024-05-01; empty if there is none."""
    for found in _META.finditer(page, 0, 100_000):  # in the head of the page
        if found[2] or _PUBLISHED.search(f"{found[1]} "):
            date = _DATE.search(found[2] or found[1])
            if date:
                return "-".join(date.groups())
    return ""


def _declared_encoding(content: bytes) -> str | None:
    found = _CHARSET.search(content[:1024])
    if found is None:
        return None
    try:
        name = codecs.lookup(found[1].decode("ascii")).name
        "".encode(name)
    except (LookupError, UnicodeError):
        return None  # unknown, or not an encoding of text, such as hex
    return None if name in _ENCODINGS_OF_PYTHON else name


def _blocks(parent: ElementTree.Element | None) -> Iterator[Part]:
    """Blocks of the XML that trafilatura returns."""
    for element in parent if parent is not None else ():
        if element.tag == "head":
            level = element.get("rend", "")[1:]
            yield Part(
                BlockKind.HEADING, _text(element), int(level) if level.isdigit() else 1
            )
        elif element.tag == "code":
            yield Part(BlockKind.CODE, "".join(element.itertext()))
        elif element.tag == "table":
            rows = (" | ".join(map(_text, row)) for row in element.iter("row"))
            yield Part(BlockKind.CODE, "\n".join(rows))
        elif element.tag in ("list", "quote", "div") and len(element):
            yield Part(BlockKind.PROSE, " ".join((element.text or "").split()))
            yield from _blocks(element)
        elif element.tag == "item" and any(map(_is_block, element)):
            yield from _blocks(_with_paragraphs(element))
        else:
            yield Part(BlockKind.PROSE, _text(element))
        yield Part(BlockKind.PROSE, " ".join((element.tail or "").split()))


def _is_block(element: ElementTree.Element) -> bool:
    is_listing = element.tag == "code" and "\n" in "".join(element.itertext())
    return is_listing or element.tag in ("list", "quote", "p", "table", "head")


def _with_paragraphs(item: ElementTree.Element) -> ElementTree.Element:
    """An item of a list, in which the text between blocks is in paragraphs."""
    divided = ElementTree.Element("item")
    paragraph = ElementTree.SubElement(divided, "p")
    paragraph.text = item.text
    for child in item:
        if not _is_block(child):
            paragraph.append(child)
            continue
        tail, child.tail = child.tail, None
        divided.append(child)
        paragraph = ElementTree.SubElement(divided, "p")
        paragraph.text = tail
    return divided


def _text(element: ElementTree.Element) -> str:
    for line_break in element.iter("lb"):
        line_break.text = " "
    return " ".join("".join(element.itertext()).split())
