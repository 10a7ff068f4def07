"""Electronic books (.epub): the chapters in the order of reading.

An EPUB is a ZIP archive of pages. The package file lists them: what is not part of the
reading order, such as the table of contents, is not read.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from thatch.errors import FileFormatError, requiring
from thatch.text.documents.archives import LimitedArchive, refusing_damaged
from thatch.text.documents.document import BlockKind, Document, Part
from thatch.text.documents.html_blocks import page_parts

with requiring("Reading EPUB", package="lxml", extra="files"):
    from lxml import etree

_CONTAINER, _ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
_PAGE_TYPES = ("application/xhtml+xml", "text/html")
_ENCODING = re.compile(rb"<\?xml[^>]{0,200}encoding=[\"']([\w.-]{1,40})[\"']")
_DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")


def read(content: bytes, path: Path, *, encoding: str | None = None) -> Document:
    """Return the text of a book; `path` is its name.

    The title of the book is a heading, and those of chapters are below it.
    """
    del encoding  # each page declares its own
    hint = "Check whether an e-book reader opens it."
    with refusing_damaged(path, "an EPUB", hint=hint):
        book = _Book(content, path)
        document = Document.from_blocks(book.parts(), str(path))
        return replace(document, date=book.date)


class _Book:
    """The files of a book."""

    def __init__(self, content: bytes, path: Path) -> None:
        self._path = path
        self._archive = LimitedArchive(content, path, kind="book")
        container = self._parsed(_CONTAINER)
        self._package_path = container.find(".//{*}rootfile").get("full-path")
        self._package = self._parsed(self._package_path)
        found = _DATE.match(self._metadata("date"))
        #: When it was published, if the book says so.
        self.date = found[0] if found else ""

    def parts(self) -> Iterator[Part]:
        """Blocks of the chapters, in order."""
        title = self._metadata("title")
        yield Part(BlockKind.HEADING, title, 1)
        names = list(self._chapters())
        self._archive.require("chapters", len(names), at_most=10_000)
        self._require_readable(names)
        for name in names:
            page = _decoded(self._content(name))
            self._archive.count("tags", page.count("<"))
            for part in page_parts(page):
                if part.kind is BlockKind.HEADING:
                    part = replace(part, level=part.level + bool(title))
                yield part

    def _metadata(self, name: str) -> str:
        found = self._package.find(f".//{{*}}metadata/{{*}}{name}")
        text = "" if found is None else "".join(found.itertext())
        return " ".join(text.split())

    def _chapters(self) -> Iterator[str]:
        """Names of the pages in the reading order, each once."""
        items = {item.get("id"): item for item in self._package.iterfind(".//{*}item")}
        folder = posixpath.dirname(self._package_path)
        seen = set()
        for reference in self._package.iterfind(".//{*}spine/{*}itemref"):
            item = items.get(reference.get("idref"))
            if item is None or reference.get("linear") == "no":
                continue
            is_contents = "nav" in (item.get("properties") or "").split()
            if is_contents or item.get("media-type") not in _PAGE_TYPES:
                continue
            target = unquote(item.get("href", "").partition("#")[0])
            name = posixpath.normpath(posixpath.join(folder, target))
            if name not in seen:
                seen.add(name)
                yield name

    def _require_readable(self, names: list[str]) -> None:
        """Require that no chapter is encrypted; fonts may be."""
        if _ENCRYPTION not in self._archive.names:
            return
        encrypted = {
            unquote(found.get("URI", ""))
            for found in self._parsed(_ENCRYPTION).iterfind(".//{*}CipherReference")
        }
        if encrypted & set(names):
            raise FileFormatError(
                self._path,
                "the book is encrypted.",
                hint="Only books without digital rights management can be read.",
            )

    def _content(self, name: str) -> bytes:
        return b"".join(self._archive.pieces(name))

    def _parsed(self, name: str) -> Any:
        parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
        return etree.fromstring(self._content(name), parser)


def _decoded(page: bytes) -> str:
    """A page as text, in the encoding that it declares; damaged bytes are replaced."""
    declared = _ENCODING.match(page[:300])
    name = declared[1].decode() if declared else "utf-8"
    known = name.lower().startswith(("utf-8", "iso-8859", "windows-125", "us-ascii"))
    if page.startswith((b"\xff\xfe", b"\xfe\xff")):
        name, known = "utf-16", True
    text = page.decode(name if known else "utf-8", "replace")
    # The parser reports each NUL by itself, which takes a minute for 50 MB of them.
    return text.replace("\0", "")
