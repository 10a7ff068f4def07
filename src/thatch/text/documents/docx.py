"""Word documents: the paragraphs, headings and tables of a .docx file.

A .docx file is a ZIP archive of XML files, its parts. Only those with text, styles and
the relationships between parts are read, as streams: memory and time are proportional
to the size of these parts, whatever they contain.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from pathlib import Path
from xml.parsers import expat

from thatch.text.documents.archives import LimitedArchive, refusing_damaged
from thatch.text.documents.document import BlockKind, Document, Part

# Levels of the styles of headings, by their names; "heading 1" is below the title.
_LEVELS = {"title": 1, "subtitle": 2, **{f"heading {k}": 1 + k for k in range(1, 10)}}
_CAPTION = "caption"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def _tags(*names: str) -> tuple[str, ...]:
    return tuple(f"{_WORD} {name}" for name in names)


_DOCUMENT, _BODY, _PARAGRAPH, _RUN, _TEXT = _tags("document", "body", "p", "r", "t")
_LINK, _PROPERTIES, _STYLE_OF_PARAGRAPH = _tags("hyperlink", "pPr", "pStyle")
_TABLE, _ROW, _CELL = _tags("tbl", "tr", "tc")
_BREAK, _RETURN, _TAB, _ALIGNED_TAB, _HYPHEN = _tags(
    "br", "cr", "tab", "ptab", "noBreakHyphen"
)
_STYLE, _NAME, _VALUE, _TYPE, _STYLE_ID = _tags(
    "style", "name", "val", "type", "styleId"
)
_CHARACTERS = {_RETURN: "\n", _TAB: "\t", _ALIGNED_TAB: "\t", _HYPHEN: "-"}
#: Which elements are read inside which; "" contains the root. Others, such as tracked
#: changes, are omitted with all that they contain.
_CHILDREN = {
    "": {_DOCUMENT},
    _DOCUMENT: {_BODY},
    _BODY: {_PARAGRAPH, _TABLE},
    _TABLE: {_ROW},
    _ROW: {_CELL},
    _CELL: {_PARAGRAPH},
    _PARAGRAPH: {_PROPERTIES, _RUN, _LINK},
    _PROPERTIES: {_STYLE_OF_PARAGRAPH},
    _LINK: {_RUN},
    _RUN: {_TEXT, _BREAK, *_CHARACTERS},
}


def read(content: bytes, path: Path, *, encoding: str | None = None) -> Document:
    """Return the text of a Word document; `path` is its name.

    A table is one block, with one row per line; a merged cell appears once. Headers,
    footers and comments are omitted.
    """
    del encoding  # each part declares its own
    hint = "Open it in a word processor and save it again."
    with refusing_damaged(path, "a Word document (.docx)", hint=hint):
        package = _Package(content, path, kind="Word document")
        main = package.target("", f"{_OFFICE}/officeDocument")
        if main is None:
            raise ValueError("no main part")
        styles = package.target(main, f"{_OFFICE}/styles")
        body = _Body(package.styles(styles) if styles else _default_styles())
        package.parse(main, body.start, body.end, body.add_text)
        return Document.from_blocks(body.blocks, str(path))


class _Package(LimitedArchive):
    """The parts of a file."""

    def target(self, part: str, kind: str) -> str | None:
        """The first part to which a part has a relationship; "" is the package."""
        folder, name = posixpath.split(part)
        relationships = posixpath.join(folder, "_rels", f"{name}.rels")
        if relationships not in self.names:
            return None
        found = []

        def start(tag: str, attributes: dict[str, str]) -> None:
            if tag == f"{_PACKAGE} Relationship" and attributes.get("Type") == kind:
                found.append(attributes["Target"])

        self.parse(relationships, start)
        if not found:
            return None
        return posixpath.normpath(posixpath.join("/", folder, found[0])).lstrip("/")

    def styles(self, part: str) -> dict[str, _Style]:
        """What the styles mean that are those of headings or captions."""
        style, found = "", {}

        def start(tag: str, attributes: dict[str, str]) -> None:
            nonlocal style
            if tag == _STYLE:
                style = attributes.get(_STYLE_ID, "")
            elif tag == _NAME:
                meaning = _meaning(attributes.get(_VALUE, ""))
                if meaning:
                    found[style] = meaning

        self.parse(part, start)
        return found

    def parse(
        self,
        part: str,
        start: Callable[[str, dict[str, str]], None],
        end: Callable[[str], None] | None = None,
        text: Callable[[str], None] | None = None,
    ) -> None:
        """Call functions at the start and the end of elements, and with text."""
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = start
        parser.EndElementHandler = end
        parser.CharacterDataHandler = text
        parser.StartDoctypeDeclHandler = _refuse_entities
        num_read = num_parsed = 0
        for piece in self.pieces(part, size=1 << 18):
            # In all encodings that expat knows, these two have their ASCII codes.
            num_marks = piece.count(b"<") + piece.count(b"=")
            self.count("tags and attributes", num_marks)
            parser.Parse(piece)
            num_read += len(piece)
            # Expat 2.6 and later parse an unfinished tag again only when it has become
            # twice as long; until then, the index may be -1.
            num_parsed = max(num_parsed, parser.CurrentByteIndex)
            # A tag is kept until it ends, and it may have a million attributes.
            size = num_read - num_parsed
            self.require("bytes in a tag", size, at_most=8 << 20)
        parser.Parse(b"", True)


_Style = tuple[BlockKind, int]
_TEXT_STYLE: _Style = (BlockKind.PROSE, 0)


def _meaning(name_of_style: str) -> _Style | None:
    """Kind and level of the paragraphs of a style; None of those that are text."""
    name = name_of_style.lower()
    if name == _CAPTION:
        return BlockKind.ASIDE, 0
    if name.startswith(("heading", "title", "subtitle")):
        return BlockKind.HEADING, _LEVELS.get(name, 2)
    return None


def _default_styles() -> dict[str, _Style]:
    """Word's own styles, for a document without a list of them."""
    names = {name.title().replace(" ", ""): name for name in (*_LEVELS, _CAPTION)}
    return {style: _meaning(name) or _TEXT_STYLE for style, name in names.items()}


def _refuse_entities(*_: object) -> None:
    # Entities and default attributes may expand to any size; Word writes none.
    raise ValueError("a document type declaration")


class _Body:
    """The blocks of a document, from its elements in order."""

    def __init__(self, styles: dict[str, _Style]) -> None:
        self.blocks: list[Part] = []
        self._styles = styles
        self._open = [""]
        #: Number of open elements that are omitted.
        self._num_omitted = 0
        self._style = _TEXT_STYLE
        self._text: list[str] = []
        self._cell: list[str] = []
        self._row: list[str] = []
        self._table: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Open an element."""
        if self._num_omitted:
            self._num_omitted += 1
            return
        if tag not in _CHILDREN.get(self._open[-1], ()):
            if self._open == [""]:
                raise ValueError(f"the root is {tag}")
            self._num_omitted = 1
            return
        self._open.append(tag)
        if tag == _PARAGRAPH:
            self._style = _TEXT_STYLE
        elif tag == _STYLE_OF_PARAGRAPH:
            name = attributes.get(_VALUE, "")
            self._style = self._styles.get(name, _TEXT_STYLE)
        elif tag == _BREAK:
            # Breaks of pages and columns are of other types.
            if attributes.get(_TYPE, "textWrapping") == "textWrapping":
                self._text.append("\n")
        elif tag in _CHARACTERS:
            self._text.append(_CHARACTERS[tag])

    def add_text(self, text: str) -> None:
        """Add text to the open element; white space between elements is none."""
        if self._open[-1] == _TEXT and not self._num_omitted:
            self._text.append(text)

    def end(self, tag: str) -> None:
        """Close the open element, and add what is complete."""
        if self._num_omitted:
            self._num_omitted -= 1
            return
        self._open.pop()
        if tag == _PARAGRAPH:
            text = _taken(self._text, "")
            if self._open[-1] == _CELL:
                self._cell.append(text)
            elif text:
                kind, level = self._style
                self.blocks.append(Part(kind, text, level))
        elif tag == _CELL:
            self._row.append(" ".join(_taken(self._cell, " ").split()))
        elif tag == _ROW:
            self._table.append(_taken(self._row, " | "))
        elif tag == _TABLE:
            self.blocks.append(Part(BlockKind.CODE, _taken(self._table, "\n")))


def _taken(texts: list[str], separator: str) -> str:
    joined = separator.join(texts)
    texts.clear()
    return joined
