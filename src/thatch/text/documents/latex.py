r"""LaTeX: the text of a source, without its commands.

The text of the document is the source itself; commands, comments and braces are markup.
Accents and symbols are shown as letters, also in formulas within a line. Displayed
formulas, tables and listings are code; captions and bibliographies are asides;
footnotes, citations and references are not shown. Of the preamble, only the title is
read.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from thatch.files.encodings import decoded
from thatch.text.documents.blocks import Block, BlockKind
from thatch.text.documents.document import Document
from thatch.text.documents.latex_commands import (
    HEADING_LEVELS,
    SYMBOLS,
    accented,
    is_dropped,
    math_markup,
    num_hidden,
)
from thatch.text.documents.markup import Markup, merged

_TOKEN = re.compile(
    r"\\(?:[a-zA-Z@]+\*?|[^a-zA-Z@]|\Z)|%[^\n]*|[{}~]|\$\$?|---?|``|''|`"
    r"|\n[ \t\r]*\n\s*",
    re.DOTALL,
)
_BRACE = re.compile(r"\\.|%[^\n]*|[{}]", re.DOTALL)
_BODY = re.compile(r"^[^%\n]*?\\begin\{document\}", re.MULTILINE)
_END = re.compile(r"^[^%\n]*?(?=\\end\{document\})", re.MULTILINE)
_PREAMBLE = re.compile(r"\\(title|date)\b\*?\s*(?:\[[^\[\]]{0,500}\])?\s*(?=\{)")
_NAME = re.compile(r"\{([a-zA-Z@]{1,40}\*?)\}")
_OPTIONAL = re.compile(r"[ \t]*\[[^\[\]]{0,300}\]")
_GROUP = re.compile(r"\s*(?=\{)")
_ISO_DATE = re.compile(r"\{(\d{4}-\d{2}-\d{2})\}")
_SPACE_BEFORE = re.compile(r"[\s~]*\Z")
_MATH_ENDS = {"$": re.compile(r"(?<!\\)\$"), "(": re.compile(r"\\\)")}
_DISPLAY_ENDS = {"$$": "$$", "[": "\\]"}
_CODE = re.compile(
    r"(?:[vV]erbatim|lstlisting|minted|alltt|equation|align|alignat|flalign|gather"
    r"|multline|eqnarray|displaymath|math|array|tabular[xy]?|longtable|tabbing|tikzpicture"
    r"|pgfpicture|algorithm\w*|picture|forest|code|CCSXML|filecontents|comment)\*?"
)
_DROPPED = re.compile(r"(?:filecontents|comment|CCSXML)\*?")
_FLOAT = re.compile(r"(?:wrap|sideways|sub)?(?:figure|table)\*?|float|marginfigure")
_MAX_MATH = 2_000


def read(content: bytes, path: Path, *, encoding: str | None = None) -> Document:
    """Return the text of a LaTeX source; `path` is its name."""
    text = decoded(content, path, encoding=encoding)
    scan = _Scan(text)
    scan.run()
    used = sorted({block.level for block in scan.blocks if block.level})
    levels = {level: 1 + k for k, level in enumerate(used)}
    blocks = [replace(block, level=levels.get(block.level, 0)) for block in scan.blocks]
    markup = tuple(_within(scan.markup, blocks))
    return Document(text, str(path), tuple(blocks), markup=markup, date=scan.date)


def _within(markup: list[Markup], blocks: list[Block]) -> list[Markup]:
    """The markup inside of blocks other than code."""
    kept, k = [], 0
    for mark in merged(markup):
        while k < len(blocks) and blocks[k].end <= mark.start:
            k += 1
        is_inside = k < len(blocks) and blocks[k].start <= mark.start
        if is_inside and blocks[k].kind is not BlockKind.CODE:
            kept.append(replace(mark, end=min(mark.end, blocks[k].end)))
    return kept


class _Scan:
    """The state of a scan: the open paragraph, and the groups and floats around it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._closing = _matching_braces(text)
        # The shown characters of the open paragraph.
        self._first: int | None = None
        self._last = 0
        # What ends with a closing brace: a heading or a caption.
        self._ends: dict[int, tuple[BlockKind, int]] = {}
        self._num_floats = 0
        self._in_bibliography = False
        # What has no end: it is not sought again.
        self._without_end: set[str] = set()
        self.blocks: list[Block] = []
        self.markup: list[Markup] = []
        self.date = ""

    def run(self) -> None:
        """Read the title in the preamble, and the body."""
        body = _BODY.search(self._text)
        end = _END.search(self._text, body.end() if body else 0)
        if body:
            self._read_preamble(body.start())
        first = body.end() if body else 0
        self._scan(first, end.end() if end else len(self._text))

    def _read_preamble(self, end: int) -> None:
        place = 0
        while found := _PREAMBLE.search(self._text, place, end):
            place = self._closing.get(found.end(), found.end()) + 1
            if found[1] == "title":
                self._ends[place - 1] = BlockKind.HEADING, HEADING_LEVELS["title"]
                self._scan(found.end(), place)
            else:
                date = _ISO_DATE.match(self._text, found.end())
                self.date = date[1] if date else ""

    def _scan(self, start: int, end: int) -> None:
        place = start
        while place < end:
            token = _TOKEN.search(self._text, place, end)
            self._show(place, token.start() if token else end)
            if token is None:
                break
            place = max(self._read(token, end), token.end())
        self._close()

    def _show(self, start: int, end: int) -> None:
        shown = self._text[start:end].strip()
        if not shown or (self._num_floats and not self._ends):
            return
        start = self._text.index(shown[0], start)
        if self._first is None:
            self._first = start
        self._last = start + len(shown)

    def _hide(self, start: int, end: int, shown: str = "") -> int:
        if start < end:
            self.markup.append(Markup(start, end, shown))
            if shown.strip():
                self._show(start, end)
        return end

    def _close(self, kind: BlockKind | None = None, level: int = 0) -> None:
        usual = BlockKind.ASIDE if self._in_bibliography else BlockKind.PROSE
        if self._first is not None:
            self.blocks.append(Block(self._first, self._last, kind or usual, level))
        self._first = None

    def _read(self, token: re.Match[str], end: int) -> int:
        """Read a token, and perhaps what follows; return where to continue."""
        mark, start, after = token[0], token.start(), token.end()
        if mark[0] == "\\":
            return self._read_command(mark[1:], start, after, end)
        if mark[0] == "%":
            return self._read_comment(start, after)
        if mark[0] == "$":
            return self._read_math(mark, start, after, end)
        if mark[0] == "\n":
            # A group may have ended within code.
            self._ends = {place: e for place, e in self._ends.items() if place > start}
            if not self._ends:
                self._close()
            return after
        if mark == "}" and start in self._ends:
            self._close(*self._ends.pop(start))
            return after
        return self._hide(start, after, _TYPOGRAPHY.get(mark, ""))

    def _read_comment(self, start: int, after: int) -> int:
        """Hide a comment; a line that is nothing else is hidden with its end."""
        line_start = self._text.rfind("\n", 0, start) + 1
        is_whole_line = not self._text[line_start:start].strip()
        return self._hide(start, min(after + is_whole_line, len(self._text)))

    def _read_math(self, mark: str, start: int, after: int, end: int) -> int:
        """Read a formula; one that is displayed is code."""
        if mark in _DISPLAY_ENDS:
            return self._read_code(start, after, _DISPLAY_ENDS[mark], end)
        limit = min(after + _MAX_MATH, end)
        closing = _MATH_ENDS[mark].search(self._text, after, limit)
        self._hide(start, after)
        if closing is None:
            return after
        first, last = closing.span()
        if mark == "$" and "\n\n" in self._text[after:first]:
            return after
        self.markup += math_markup(self._text, after, first)
        self._show(after, first)
        return self._hide(first, last)

    def _read_code(self, start: int, after: int, last: str, end: int) -> int:
        """Read what is displayed until its end as code; without an end, skip a mark."""
        closing = -1
        if last not in self._without_end:
            closing = self._text.find(last, after, end)
        if closing < 0:
            self._without_end.add(last)
            return self._hide(start, after)
        self._close()
        stop = closing + len(last)
        is_dropped_name = _DROPPED.fullmatch(last[5:-1]) is not None
        if not (is_dropped_name or self._num_floats):
            self.blocks.append(Block(start, stop, BlockKind.CODE))
        return stop

    def _read_command(self, name: str, start: int, after: int, end: int) -> int:
        bare = name.rstrip("*")
        if name in ("[", "("):
            return self._read_math(name, start, after, end)
        if bare in ("begin", "end"):
            return self._read_environment(bare, start, after, end)
        if bare in HEADING_LEVELS or bare == "caption":
            return self._read_titled(bare, start, after)
        if bare in ("item", "par", "bibitem"):
            self._close()
            return self._skip_arguments(after, 9 if bare == "bibitem" else 0)
        if bare in ("verb", "lstinline"):
            return self._read_verbatim(start, after)
        if bare == "def":
            opening = self._text.find("{", after, after + 200)
            return self._hide(start, self._closing.get(opening, after - 1) + 1)
        accent = accented(self._text, start, after)
        if accent:
            return self._hide(start, *accent)
        if is_dropped(bare):
            return self._hide(self._before(start), self._skip_arguments(after, 9))
        return self._read_symbol(bare, start, after)

    def _read_symbol(self, name: str, start: int, after: int) -> int:
        """Read a command that shows a symbol, its arguments, or nothing."""
        if name in SYMBOLS:
            if name[-1:].isalpha() and self._text.startswith("{}", after):
                after += 2
            elif SYMBOLS[name].isalpha() and self._text.startswith(" ", after):
                after += 1  # as in "Stra\ss e"
            return self._hide(start, after, SYMBOLS[name])
        skipped = self._skip_arguments(after, num_hidden(name))
        if skipped == after and self._text[after : after + 1] == " ":
            after += 1 if name.isalpha() else 0
        return self._hide(start, max(skipped, after))

    def _before(self, start: int) -> int:
        """Start of the white space before a citation, which would be left over."""
        done = self.markup[-1].end if self.markup else 0
        least = max(start - 20, min(done, start))
        space = _SPACE_BEFORE.search(self._text[least:start])
        blank = space[0] if space else ""
        if "\n\n" in blank:
            return start
        start -= len(blank)
        # The space of a command, as in "cf.\\ ", is left over as well.
        if start == done and self.markup and self.markup[-1].shown.isspace():
            return self._before(self.markup.pop().start)
        return start

    def _skip_arguments(self, place: int, num_groups: int) -> int:
        """Where optional arguments, and some in braces, end."""
        while True:
            optional = _OPTIONAL.match(self._text, place)
            group = _GROUP.match(self._text, place) if num_groups else None
            if optional:
                place = optional.end()
            elif group and group.end() in self._closing:
                place = self._closing[group.end()] + 1
                num_groups -= 1
            else:
                return place

    def _read_titled(self, name: str, start: int, after: int) -> int:
        """Start a heading or a caption, which ends with its group."""
        opening = _GROUP.match(self._text, self._skip_arguments(after, 0))
        closing = self._closing.get(opening.end()) if opening else None
        if opening is None or closing is None:
            return self._hide(start, after)
        self._close()
        level = HEADING_LEVELS.get(name, 0)
        kind = BlockKind.HEADING if level else BlockKind.ASIDE
        self._ends[closing] = kind, level
        return opening.end() + 1

    def _read_verbatim(self, start: int, after: int) -> int:
        mark = self._text[after : after + 1]
        line_end = self._text.find("\n", after, after + _MAX_MATH)
        stop = line_end if line_end >= 0 else after + _MAX_MATH
        closing = self._text.find({"{": "}"}.get(mark, mark), after + 1, stop)
        if not mark.strip() or closing < 0:
            return self._hide(start, after)
        self._hide(start, after + 1)
        self._show(after + 1, closing)
        return self._hide(closing, closing + 1)

    def _read_environment(self, which: str, start: int, after: int, end: int) -> int:
        named = _NAME.match(self._text, after)
        if named is None:
            return self._hide(start, after)
        name = named[1]
        after = named.end()
        self._close()
        if which == "begin" and _CODE.fullmatch(name):
            return self._read_code(start, after, f"\\end{{{name}}}", end)
        step = 1 if which == "begin" else -1
        if _FLOAT.fullmatch(name):
            self._num_floats = max(self._num_floats + step, 0)
        elif name == "thebibliography":
            self._in_bibliography = which == "begin"
            return self._skip_arguments(after, 1 if which == "begin" else 0)
        if name in ("minipage", "multicols", "adjustwidth"):
            return self._skip_arguments(after, 1 if which == "begin" else 0)
        return self._skip_arguments(after, 0)


_TYPOGRAPHY = {
    **{"~": " ", "--": "\u2013", "---": "\u2014"},
    **{"``": "\u201c", "''": "\u201d", "`": "\u2018"},
}


def _matching_braces(text: str) -> dict[int, int]:
    """Where the group that opens at an offset closes."""
    opened: list[int] = []
    closing: dict[int, int] = {}
    for found in _BRACE.finditer(text):
        if found[0] == "{":
            opened.append(found.start())
        elif found[0] == "}" and opened:
            closing[opened.pop()] = found.start()
    return closing
