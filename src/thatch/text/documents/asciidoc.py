"""Blocks of an AsciiDoc text, line by line.

Markers of lists and titles are outside of blocks; comments, attributes and macros such
as ``image::`` are part of no block. Listings, literals and tables are code; titles of
blocks are asides. Markup within a block is listed beside the blocks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from thatch.files.encodings import decoded
from thatch.text.documents.blocks import BlockKind, Blocks, placed_lines
from thatch.text.documents.document import Document
from thatch.text.documents.markup import Markup

_HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(?=\S)")
# What is between two of these lines is code, or a comment.
_FENCE = re.compile(r"(-{4,}|\.{4,}|\+{4,}|/{4,}|[|,:!]={3,}|`{3,}|-{2})(?:\w+)?\Z")
# What is between these is text.
_FRAME = re.compile(r"(?:={4,}|\*{4,}|_{4,})\Z")
# Of titles of two lines, by level.
_UNDERLINES = "=-~^+"
_ATTRIBUTE = re.compile(r":!?[\w-]{1,100}!?:(?:[ \t]|\Z)")
_REVISION = re.compile(r"(?:v?[\d.]+,?[ \t]*)?(\d{4}-\d{2}-\d{2})?")
_REVISION_DATE = re.compile(r":revdate:.*?(\d{4}-\d{2}-\d{2})")
_BLOCK_ATTRIBUTES = re.compile(r"\[{1,2}[^\]\n]{0,500}\]{1,2}\Z")
_BLOCK_TITLE = re.compile(r"\.(?=[^\s.])")
_MACRO = re.compile(
    r"(?:image|video|audio|include|toc|ifdef|ifndef|endif|ifeval|kroki|plantuml)::|'{3}\Z"
    r"|<{3}\Z|\+\Z|//(?!/)|--\Z"
)
_MARKER = re.compile(
    r"[ \t]*(?:\*{1,6}|-|\.{1,6}|\d{1,9}\.|[a-z]\.|<(?:\d{1,3}|\.)>)[ \t]+"
    r"(?:\[[ xX*]\][ \t]+)?(?=\S)"
)
_TERM = re.compile(r"([^\n]{1,200}?)(?::{2,4}|;;)(?:[ \t]+|\Z)")
_ADMONITION = re.compile(r"(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION):[ \t]+(?=\S)")
_CODE_STYLE = re.compile(
    r"\[(?:source|listing|literal|stem|latexmath|asciimath|verse)\b"
)
_INLINE = re.compile(
    r"\b(?:https?|ftp|mailto|link|xref|image|footnote|kbd|btn|menu|pass|stem|icon|term)"
    r":{1,2}[^\s\[\]]{0,500}\[(?P<text>[^\[\]\n]{0,500})\]"
    r"|<<(?P<id>[^<>,\n]{1,200})(?:,[ \t]*(?P<title>[^<>\n]{1,200}))?>>"
    r"|\[\[[^\[\]\n]{1,200}\]\]|\(\(\([^()\n]{1,200}\)\)\)|\{(?P<name>[\w-]{1,60})\}"
    r"|\\(?=[*_`#^~{<])|\[[.#%][^\[\]\n]{0,100}\](?=[#*_`])"
    r"|(?<![\w*])(?P<mark>\*{1,2}|_{1,2}|`{1,2}|#{1,2})(?=[^\s*_`#])"
)
_HIDDEN_MACROS = ("image", "footnote", "icon")
_CHARACTERS = {
    **{"nbsp": " ", "amp": "&", "lt": "<", "gt": ">", "plus": "+", "sp": " "},
    **{"zwsp": "", "empty": "", "blank": "", "apos": "'", "quot": '"', "vbar": "|"},
    **{"ldquo": "\u201c", "rdquo": "\u201d", "lsquo": "\u2018", "rsquo": "\u2019"},
    **{"deg": "°", "caret": "^", "asterisk": "*", "tilde": "~", "backtick": "`"},
}


def read(content: bytes, path: Path, *, encoding: str | None = None) -> Document:
    """Return an AsciiDoc text; `path` is its name."""
    text = decoded(content, path, encoding=encoding)
    scan = _Scan(text)
    for start, end, line in placed_lines(text):
        scan.read(start, end, line.rstrip())
    scan.close()
    blocks, markup = scan.blocks.with_markup(partial(_inline_markup, text))
    return Document(text, str(path), blocks, markup=markup, date=scan.date)


class _Scan:
    """The state after the lines read so far."""

    def __init__(self, text: str) -> None:
        self.blocks = Blocks(text)
        self.date = ""
        # The line that ends the open code.
        self._fence = ""
        # Whether the next paragraph is code, by the attributes above it.
        self._is_code = False
        # Whether the text of a definition follows, which may be indented.
        self._is_defined = False
        # Whether the header goes on: the author, the revision and attributes.
        self._is_header = False

    def close(self) -> None:
        """Close the open paragraph."""
        is_code = self._is_code and self.blocks.num_open_lines > 0
        self.blocks.close(BlockKind.CODE if is_code else BlockKind.PROSE)
        self._is_code = self._is_code and not is_code

    def read(self, start: int, end: int, line: str) -> None:
        """Read a line."""
        if self._fence:
            self._read_code(start, end, line)
        elif not line.strip():
            self.close()
            self._is_header = False
        elif self._is_header:
            self._read_header(line)
        elif not self._read_special(start, line):
            self._read_text(start, end, line)

    def _read_code(self, start: int, end: int, line: str) -> None:
        if line == self._fence:
            # Comments are between slashes.
            is_comment = line[0] == "/"
            self.blocks.close(BlockKind.ASIDE if is_comment else BlockKind.CODE)
            self._fence, self._is_code = "", False
        elif self._fence[0] != "/":
            self.blocks.extend(start, end)

    def _read_header(self, line: str) -> None:
        revision = _REVISION.match(line)
        if revision and revision[1] and not self.date:
            self.date = revision[1]
        if found := _REVISION_DATE.match(line):
            self.date = found[1]

    def _read_special(self, start: int, line: str) -> bool:
        """Read a line that is not text; return whether it was one."""
        if self._is_underline(line):
            self._close_heading(1 + _UNDERLINES.index(line[0]))
            return True
        is_inside = self.blocks.num_open_lines > 0
        fence, heading = _FENCE.match(line), _HEADING.match(line)
        title = _BLOCK_TITLE.match(line)
        if fence and (line != "--" or self._is_code):
            self.close()
            self._fence = "```" if line.startswith("```") else line
        elif heading and not is_inside:
            self.blocks.extend(start + heading.end(), start + len(line))
            self._close_heading(len(heading[0].split()[0]))
        elif title and not is_inside:
            self.blocks.extend(start + title.end(), start + len(line))
            self.blocks.close(BlockKind.ASIDE)
        elif _BLOCK_ATTRIBUTES.match(line) and not is_inside:
            self._is_code = _CODE_STYLE.match(line) is not None
        elif _FRAME.match(line) or _MACRO.match(line):
            self.close()
        elif _ATTRIBUTE.match(line) and not is_inside:
            pass
        else:
            return False
        return True

    def _close_heading(self, level: int) -> None:
        self.blocks.close(BlockKind.HEADING, level=level)
        self._is_header = level == 1 and len(self.blocks.found) == 1

    def _is_underline(self, line: str) -> bool:
        """Whether the line makes a title of the one above, which is as long."""
        title = self.blocks.open_text
        return (
            self.blocks.num_open_lines == 1
            and line[0] in _UNDERLINES
            and line == line[0] * len(line)
            and abs(len(line) - len(title)) <= 1
            and not title.endswith((".", ":"))
        )

    def _read_text(self, start: int, end: int, line: str) -> None:
        is_inside = self.blocks.num_open_lines > 0
        marker = _MARKER.match(line)
        if marker and not self._is_code:
            self.close()
            start += marker.end()
        elif not is_inside and not self._is_code:
            if line[0] in " \t" and not self._is_defined:
                self._is_code = True  # an indented paragraph is literal
            else:
                start = self._read_term(start, line)
                admonition = _ADMONITION.match(line)
                start += admonition.end() if admonition else 0
        elif _TERM.match(line) and not self._is_code and "::" in line:
            self.close()
            start = self._read_term(start, line)
        self.blocks.extend(start, end)
        self._is_defined = self._is_defined and not self.blocks.num_open_lines

    def _read_term(self, start: int, line: str) -> int:
        """Read the term of a definition; return where the text after it starts."""
        term = _TERM.match(line)
        if term is None:
            return start
        self.blocks.extend(start, start + len(term[1]))
        self.blocks.close(BlockKind.ASIDE)
        self._is_defined = True
        return start + term.end()


def _inline_markup(text: str, start: int, end: int) -> Iterator[Markup]:
    """Markup within a paragraph; some of it may lie inside of other markup."""
    # Marks that have no partner: it is not sought again.
    unpaired: set[str] = set()
    place = start
    while found := _INLINE.search(text, place, end):
        place = found.end()
        mark = found["mark"]
        if mark:
            closing = None
            if mark not in unpaired:
                last = re.escape(mark) + ("" if len(mark) > 1 else r"(?!\w)")
                pattern = re.compile(rf"(?<=\S){last}(?!{re.escape(mark[0])})")
                limit = min(place + 1_000, end)  # longer emphasis is not sought
                closing = pattern.search(text, place, limit)
            if closing:
                yield Markup(found.start(), found.end())
                yield Markup(closing.start(), closing.end())
            else:
                unpaired.add(mark)
        else:
            place += found[0] == "\\"  # what follows is no markup
            yield from _hidden(found)


def _hidden(found: re.Match[str]) -> Iterator[Markup]:
    """What is not shown of a macro, a reference, an attribute or an escape."""
    start, end = found.span()
    for group in ("text", "title", "id"):
        shown = found[group]
        if shown:
            if found[0].startswith(_HIDDEN_MACROS):
                yield Markup(start, end)
            else:
                # Attributes of a link, such as window=_blank, follow its text.
                first = found.start(group)
                last = first + len(shown.partition(",")[0])
                yield Markup(start, first)
                yield Markup(last, end)
            return
    if found["name"]:
        name = found["name"].lower()
        if name in _CHARACTERS:
            yield Markup(start, end, _CHARACTERS[name])
    elif found["text"] == "" and found[0].startswith(("http", "ftp", "mailto")):
        yield Markup(end - 2, end)
    else:
        yield Markup(start, end)
