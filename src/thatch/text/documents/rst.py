"""Blocks of a reStructuredText, line by line.

This follows docutils as far as sentences are concerned, and knows the directives of
Sphinx. Markers of lists, fields and directives are outside of blocks; comments, targets
and definitions of substitutions are part of no block. Literal blocks, tables and the
content of directives such as ``code-block`` are code; footnotes, citations, captions
and the terms of definitions are asides.
"""

from __future__ import annotations

import re
from pathlib import Path

from thatch.files.encodings import decoded
from thatch.text.documents.blocks import BlockKind, Blocks, placed_lines
from thatch.text.documents.document import Document
from thatch.text.documents.rst_directives import Content, content_of
from thatch.text.documents.rst_inline import inline_markup, substitutions_in

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1+\Z")
_LIST_ITEM = re.compile(
    r"(?:[-*+•‣\u2043]|\(?(?:\d{1,9}|[a-zA-Z]|[ivxlcdm]{1,12}|[IVXLCDM]{1,12}|#)\)"
    r"|(?:\d{1,9}|[a-zA-Z]|[ivxlcdm]{1,12}|[IVXLCDM]{1,12}|#)\.)(?:[ \t]+(?=\S)|\Z)"
)
_FIELD = re.compile(r":(?![: ])((?:[^:\\\n]|\\.|:(?=\S)){1,200}?):(?:[ \t]+|\Z)")
_OPTION = re.compile(
    r"(?:-{1,2}|/)[\w?][\w-]{0,60}(?:[ =]?[\w<>\[\]-]{1,60})?"
    r"(?:, ?-{1,2}[\w-]{1,60}(?:[ =][\w<>-]{1,60})?){0,9}(?:[ \t]{2,}(?=\S)|\Z)"
)
_LINE_OF_VERSE = re.compile(r"\|(?:[ \t]+|\Z)")
_DIRECTIVE = re.compile(r"\.\.[ \t]+([\w:.+-]{1,80}?)[ \t]?::(?:[ \t]+|\Z)")
_NOTE = re.compile(r"\.\.[ \t]+\[[^\]\n]{1,200}\](?:[ \t]+|\Z)")
_EXPLICIT = re.compile(r"\.\.(?:[ \t]|\Z)|__(?:[ \t]|\Z)")
_GRID = re.compile(r"\+(?:[-=]+\+)+\Z")
_TABLE_BORDER = re.compile(r"={2,}(?:[ \t]+={2,})+\Z")
_DATE = re.compile(r"(?:date|created|updated)\b.{0,20}?(\d{4}-\d{2}-\d{2})", re.I)
_HEADER = re.compile(r"[A-Z][\w-]{0,30}:(?: |\Z)")


def read(content: bytes, path: Path, *, encoding: str | None = None) -> Document:
    """Return a reStructuredText; `path` is its name."""
    text = decoded(content, path, encoding=encoding)
    scan = _Scan(text)
    scan.run()
    substitutions = substitutions_in(text)
    blocks, markup = scan.blocks.with_markup(
        lambda start, end: inline_markup(text, start, end, substitutions)
    )
    front = (text[b.start : b.end] for b in blocks[:9] if b.kind is BlockKind.ASIDE)
    date = _DATE.search(text, 0, 2000) if any(front) else None
    return Document(
        text, str(path), blocks, markup=markup, date=date[1] if date else ""
    )


class _Scan:
    """The lines, the number of the next one, and the open paragraph."""

    def __init__(self, text: str) -> None:
        self._lines = [line.rstrip() for line in text.splitlines()]
        self._starts = [start for start, _, _ in placed_lines(text)]
        self._k = 0
        # Column of the open paragraph; None if the next line decides it.
        self._column: int | None = 0
        # Lines of a literal block are deeper than this.
        self._base = 0
        # Whether the open paragraph announces a literal block.
        self._announces_literal = False
        # Lines deeper than this are notes or captions; -1 outside of them.
        self._aside_column = -1
        # Styles of section titles, in the order in which they appear.
        self._styles: list[tuple[str, bool]] = []
        self._has_tables = True
        self.blocks = Blocks(text)

    def run(self) -> None:
        """Read all lines."""
        self._read_headers()
        while self._k < len(self._lines):
            indent = self._indent(self._k)
            if indent is None:
                self._end_paragraph()
                self._k += 1
                continue
            if self._aside_column >= indent:
                self._close()
                self._aside_column = -1
            if self.blocks.num_open_lines and self._continues(indent):
                self._add_line(self._k, indent)
                self._k += 1
            else:
                self._end_paragraph(has_literal=False)
                self._start(indent)
        self._end_paragraph()

    def _indent(self, k: int) -> int | None:
        """Indentation of a line; None of a blank one, and after the last."""
        if k >= len(self._lines) or not self._lines[k]:
            return None
        return len(self._lines[k]) - len(self._lines[k].lstrip())

    def _close(self, kind: BlockKind | None = None, *, level: int = 0) -> None:
        usual = BlockKind.ASIDE if self._aside_column >= 0 else BlockKind.PROSE
        self.blocks.close(kind or usual, level=level)

    def _continues(self, indent: int) -> bool:
        if self._column is None and indent > self._base:
            self._column = indent
        return indent == self._column

    def _add_line(self, k: int, column: int) -> None:
        """Add a line to the paragraph, without colons that announce a literal block."""
        line = self._lines[k]
        end = len(line)
        self._announces_literal = line.endswith("::") and end - column >= 2
        if self._announces_literal:
            shown = line[column : end - 2]
            # "Text::" is shown as "Text:", and "Text ::" as "Text".
            end -= 1 if shown.strip() and not shown[-1].isspace() else 2
        self.blocks.extend(self._starts[k] + column, self._starts[k] + end)

    def _end_paragraph(self, *, has_literal: bool = True) -> None:
        announces = self._announces_literal and has_literal
        self._announces_literal = False
        self._close()
        if announces:
            while self._k < len(self._lines) and not self._lines[self._k]:
                self._k += 1
            indent = self._indent(self._k)
            if indent is not None and indent > self._base:
                self._add_lines(self._deeper(self._base), BlockKind.CODE)
            # The loop continues with the line after this one.
            self._k -= 1

    def _deeper(self, column: int) -> int:
        """Number of the first line that is not deeper than a column, nor blank."""
        for k in range(self._k, len(self._lines)):
            indent = self._indent(k)
            if indent is not None and indent <= column:
                return k
        return len(self._lines)

    def _is_deep(self, k: int, column: int) -> bool:
        indent = self._indent(k)
        return indent is not None and indent > column

    def _add_lines(self, end: int, kind: BlockKind) -> None:
        for k in range(self._k, end):
            start = self._starts[k]
            self.blocks.extend(start, start + len(self._lines[k]))
        self._close(kind)
        self._k = end

    def _read_headers(self) -> None:
        """Read lines such as ``Title: Ice`` at the start, as PEPs have them."""
        k = 0
        while self._indent(k) is not None and (
            _HEADER.match(self._lines[k]) or (k and self._indent(k))
        ):
            k += 1
        if k > 1 and self._indent(k) is None:
            self._add_lines(k, BlockKind.ASIDE)

    def _start(self, indent: int) -> None:
        line = self._lines[self._k]
        if self._read_title(line, indent) or self._read_table(line, indent):
            return
        column = indent
        for _ in range(20):
            if _EXPLICIT.match(line, column):
                self._read_explicit(line, column)
                return
            item = _LIST_ITEM.match(line, column)
            if item is None:
                break
            column = item.end()
        self._base, self._column = column, column
        if line.startswith(">>> ", column):
            end = self._k
            while self._indent(end) is not None:
                end += 1
            self._add_lines(end, BlockKind.CODE)
        elif _LINE_OF_VERSE.match(line, column):
            self._read_verse(column)
        else:
            self._start_text(line, column)

    def _start_text(self, line: str, column: int) -> None:
        marker = _FIELD.match(line, column) or _OPTION.match(line, column)
        if marker:
            self._base, self._column = column, None
            is_front = not any(
                block.kind in (BlockKind.PROSE, BlockKind.CODE)
                for block in self.blocks.found[:20]
            )
            if line[column] == ":" and is_front and self._aside_column < 0:
                self._aside_column = column
                self._column = None
                marker = None  # the name of the field is worth showing
            column = marker.end() if marker else column
        elif self._is_deep(self._k + 1, column):  # a term, above its definition
            # After " : " there is a classifier, such as the type of a parameter.
            term, start = line[column:].partition(" : ")[0], self._starts[self._k]
            self.blocks.extend(start + column, start + column + len(term))
            self._close(BlockKind.ASIDE)
            self._k += 1
            return
        self._add_line(self._k, column)
        self._k += 1

    def _read_verse(self, column: int) -> None:
        """Read lines of verse; the first, at a column, may follow a list marker."""
        indent: int | None = column
        while indent is not None:
            line, start = self._lines[self._k], self._starts[self._k]
            found = _LINE_OF_VERSE.match(line, indent)
            if found is None:
                break
            self.blocks.extend(start + found.end(), start + len(line))
            self._k += 1
            indent = self._indent(self._k)
        self._close()

    def _read_title(self, line: str, indent: int, *, min_length: int = 4) -> bool:
        """Read a section title or a transition; return whether there was one.

        A transition, and the line below a title that is not short, have a least length.
        """
        below = self._lines[self._k + 1 : self._k + 3]
        if _ADORNMENT.match(line):
            if len(below) == 2 and below[0] and below[1] == line:
                self._add_title(self._k + 1, (line[0], True), num_lines=3)
                return True
            if len(line) >= min_length:
                self._k += 1
                return True
            return False
        is_title = not indent and below and _ADORNMENT.match(below[0])
        if is_title and len(below[0]) >= min(len(line), min_length):
            self._add_title(self._k, (below[0][0], False), num_lines=2)
            return True
        return False

    def _add_title(self, k: int, style: tuple[str, bool], *, num_lines: int) -> None:
        if style not in self._styles:
            self._styles.append(style)
        start = self._starts[k]
        self.blocks.extend(start, start + len(self._lines[k]))
        level = 1 + self._styles.index(style)
        self._close(BlockKind.HEADING, level=level)
        self._k += num_lines

    def _read_table(self, line: str, indent: int) -> bool:
        end = self._k + 1
        if _GRID.match(line, indent):
            while end < len(self._lines) and self._lines[end].startswith(
                ("+", "|"), indent
            ):
                end += 1
        elif _TABLE_BORDER.match(line, indent) and self._has_tables:
            while end < len(self._lines) and not (
                _TABLE_BORDER.match(self._lines[end], indent)
                and self._indent(end + 1) is None
            ):
                end += 1
            if end == len(self._lines):
                # Without an end; and it is not sought again.
                self._has_tables = False
                return False
            end += 1
        else:
            return False
        self._add_lines(end, BlockKind.CODE)
        return True

    def _read_explicit(self, line: str, column: int) -> None:
        """Read a directive, a note, a target, a substitution or a comment."""
        directive, note = _DIRECTIVE.match(line, column), _NOTE.match(line, column)
        self._k += 1
        if note:
            self._aside_column = column
            self._read_argument(line, note.end(), column)
        elif directive is None:
            # ".." before a blank line is an empty comment.
            if line[column:] != ".." or self._indent(self._k) is not None:
                self._k = self._deeper(column)
        else:
            self._read_directive(line, directive, column)

    def _read_argument(self, line: str, start: int, column: int) -> None:
        """Start a paragraph after the marker of a directive or a note."""
        self._base, self._column = column, None
        if line[start:].strip():
            self._k -= 1
            self._add_line(self._k, start)
            self._k += 1
        else:
            self._skip_options(column)

    def _read_directive(self, line: str, directive: re.Match[str], column: int) -> None:
        content = content_of(directive[1])
        argument = directive.end()
        if content is Content.NONE:
            self._k = self._deeper(column)
        elif content is Content.CODE:
            self._add_lines(self._deeper(column), BlockKind.CODE)
        elif content is Content.TEXT:
            self._read_argument(line, argument, column)
        elif content is Content.VERSION:
            version = re.compile(r"\S*[ \t]*").match(line, argument)
            self._read_argument(line, version.end() if version else argument, column)
        elif content is Content.HEADING:
            start = self._starts[self._k - 1]
            self.blocks.extend(start + argument, start + len(line))
            self._close(BlockKind.HEADING, level=len(self._styles) + 1)
            self._k = self._deeper(column)
        else:
            if content is Content.CAPTION:
                self._aside_column = column
            self._skip_arguments(line, argument, column, content)

    def _skip_options(self, column: int) -> None:
        while self._is_deep(self._k, column) and _FIELD.match(
            self._lines[self._k].lstrip()
        ):
            self._k += 1

    def _skip_arguments(
        self, line: str, argument: int, column: int, content: Content
    ) -> None:
        """Skip the arguments and options of a directive; signatures are code."""
        if content is not Content.OBJECT:
            self._skip_options(column)
            return
        end = self._k
        while self._is_deep(end, column):
            end += 1
        start = self._starts[self._k - 1]
        self.blocks.extend(start + argument, start + len(line))
        self._add_lines(end, BlockKind.CODE)
