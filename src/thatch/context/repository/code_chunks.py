"""Chunks of files: code cut at functions and classes, prose at headings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from os.path import commonprefix

from thatch.context.repository.code_languages import CodeLanguage, language_of
from thatch.context.repository.file_kinds import (
    DATA_SUFFIXES,
    PROSE_SUFFIXES,
    suffix_of,
)
from thatch.context.repository.line_blocks import Lines, Span
from thatch.context.repository.outlines import Definition, outline
from thatch.context.repository.sections import (
    Heading,
    heading_paths,
    headings,
    sections,
)

_PATH_SEPARATOR = " > "
# Headers are looked for in the first lines of a definition, and are not longer.
_MAX_HEADER_LINES, _MAX_HEADER_CHARACTERS = 20, 200
#: Functions and classes without methods are divided only if they have more characters.
MAX_DEFINITION_CHARACTERS = 8_000
# The group of pieces that are never merged.
_ALONE = -1
_DECORATORS = ("@", "#[")
_OPENING, _CLOSING = "([{", ")]}"
_C_SUFFIXES = (".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".cu", ".cuh")


@dataclass(frozen=True, slots=True)
class FileChunk:
    """Some lines of a file.

    >>> FileChunk("roof.py", "x = 1", start_line=3, end_line=3).name
    ''
    """

    #: The file, as shown: relative to the folder that was given, with slashes.
    path: str
    #: The lines, as they are in the file.
    text: str
    #: Number of the first line, from 1.
    start_line: int
    #: Number of the last line.
    end_line: int
    #: What is defined, such as ``Stack.push``, or the headings above, such as
    #: ``Guide > Install``; several definitions are separated by commas.
    name: str = ""
    #: ``function``, ``class``, ``code``, ``text`` or ``data``; ``signature`` if it is
    #: only the line that names a definition.
    kind: str = "text"
    #: First lines of the definitions or the headings that it is in, if they are above
    #: it: their numbers and texts, from the outermost.
    enclosing: tuple[tuple[int, str], ...] = ()
    #: Number of the page on which it starts; None where there are no pages.
    page: int | None = None


@dataclass(slots=True)
class _Piece:
    """Lines that are not divided further; neighbors may become one chunk."""

    start: int
    end: int
    names: tuple[str, ...]
    kind: str
    #: Only pieces of the same group are merged; of group `_ALONE`, none.
    group: int = 0
    #: Lines with the headers of what it is in, ascending.
    headers: tuple[int, ...] = ()


def cut(text: str, path: str, *, parse: bool = True) -> list[FileChunk]:
    r"""Cut the text of a file into chunks of about 60 lines or 2,000 characters.

    Each line that is not blank is in exactly one chunk, in order. A function of up to
    8,000 characters is one chunk, and so is a small class. A large class is divided
    into its header with the fields, and its methods. Other chunks have at most 4,000
    characters, unless one line is longer. Imports and sections next to each other are
    in one chunk, and so are all definitions of a short file. Comments and decorators
    right above a definition belong to it.

    Parameters
    ----------
    text
        The text.
    path
        The file, as shown; the format follows from its suffix.
    parse
        Whether to parse code by tree-sitter, if it is installed. Otherwise,
        definitions are found by their first words and by indentation, in a tenth of
        the time. Python is never parsed: its definitions are found exactly.

    >>> chunks = cut("import os\n\n\ndef a():\n    pass\n" + "x = 1\n" * 60, "a.py")
    >>> [(c.start_line, c.end_line, c.name, c.kind) for c in chunks]
    [(1, 1, '', 'code'), (4, 5, 'a', 'function'), (6, 65, '', 'code')]
    """
    lines = Lines(text)
    suffix = suffix_of(path.rpartition("/")[2])
    language = language_of(path)
    if language is not None:
        definitions = _definitions(text, lines, language, parse=parse)
        cutter = _CodeCutter(lines, language, has_types=suffix in _C_SUFFIXES)
        pieces = list(_merged(lines, cutter.pieces(definitions)))
    elif suffix in PROSE_SUFFIXES or _is_prose_name(path):
        return cut_sections(text, path, headings(lines.all, suffix))
    else:
        kind = "data" if suffix in DATA_SUFFIXES else "text"
        spans = lines.blocks(0, len(lines))
        pieces = [_Piece(start, end, (), kind) for start, end in spans]
    return [_chunk(lines, path, piece) for piece in pieces]


def cut_sections(text: str, path: str, found: list[Heading]) -> list[FileChunk]:
    r"""Cut prose at its headings, which are `found` in order, and at its paragraphs.

    >>> text = "# A\n\n" + "Snow fell. " * 300
    >>> [chunk.name for chunk in cut_sections(text, "a.md", [(0, 1, "A")])]
    ['A', 'A']
    """
    lines = Lines(text)
    pieces: list[_Piece] = []
    starts = sections(found)
    ends = [start for start, _ in starts[1:]] + [len(lines)]
    headers = {
        path[-1][0]: tuple(_heading_line(lines, heading) for heading in path)
        for path in heading_paths(found)
    }
    for (start, titles), end in zip(starts, ends, strict=True):
        around = _Piece(start, end, titles, "text", headers=headers.get(start, ()))
        pieces += _blocks(lines, start, end, around)
    return [
        _chunk(lines, path, piece, separator=_PATH_SEPARATOR)
        for piece in _merged_sections(lines, pieces)
    ]


def _heading_line(lines: Lines, heading: Heading) -> int:
    """The line of a heading that has its title: some have a line above it."""
    start, _, title = heading
    last = min(start + 2, len(lines))
    return next((k for k in range(start, last) if title in lines.all[k]), start)


def _blocks(lines: Lines, start: int, end: int, around: _Piece) -> Iterator[_Piece]:
    """Pieces of lines that are not divided by definitions or headings."""
    for first, last in lines.blocks(start, end):
        headers = tuple(k for k in around.headers if k < first)
        yield _Piece(first, last, around.names, around.kind, around.group, headers)


def _is_prose_name(path: str) -> bool:
    name = path.rpartition("/")[2].upper()
    return name.startswith(("README", "LICENSE", "CHANGES", "AUTHORS", "CONTRIBUTING"))


def _definitions(
    text: str, lines: Lines, language: CodeLanguage, *, parse: bool
) -> list[Definition]:
    if parse and language.wheel:
        from thatch.context.repository.syntax_trees import has_parser, parsed_outline

        if has_parser(language):
            return parsed_outline(text, language)
    return outline(lines, language)


class _CodeCutter:
    def __init__(
        self, lines: Lines, language: CodeLanguage, *, has_types: bool
    ) -> None:
        self._lines = lines
        self._comments = language.comments
        self._has_types = has_types
        self._num_groups = 1
        # A short file is one chunk, whatever blank lines it ends with.
        self._is_short = lines.fits(*lines.trimmed(0, len(lines)))

    def pieces(self, definitions: list[Definition]) -> Iterator[_Piece]:
        return self._divided(0, len(self._lines), definitions, _Piece(0, 0, (), "code"))

    def _divided(
        self, start: int, end: int, definitions: list[Definition], around: _Piece
    ) -> Iterator[_Piece]:
        """Pieces of some lines; what is outside of definitions belongs to `around`."""
        position = start
        for definition in definitions:
            if definition.start < position:
                continue
            first = self._with_comments(definition.start, position)
            yield from _blocks(self._lines, position, first, around)
            position = max(min(definition.end, end), first)
            yield from self._of_definition(definition, (first, position), around)
        yield from _blocks(self._lines, position, end, around)

    def _of_definition(
        self, definition: Definition, span: Span, around: _Piece
    ) -> Iterator[_Piece]:
        start, end = self._lines.trimmed(*span)
        name = ".".join((*around.names, definition.name)).strip(".")
        names = (name,) if name else ()
        kind, headers = definition.kind, around.headers
        group = around.group if self._is_short else _ALONE
        whole = _Piece(start, end, names, kind, group, headers)
        if self._lines.fits(start, end):
            yield whole
            return
        headers = (*headers, self._header_line(definition))
        if definition.children:
            self._num_groups += 1
            inner = _Piece(start, end, names, kind, self._num_groups, headers)
            yield from self._divided(start, end, definition.children, inner)
        elif self._lines.is_too_large(start, end, MAX_DEFINITION_CHARACTERS):
            inner = _Piece(start, end, names, kind, _ALONE, headers)
            yield from _blocks(self._lines, start, end, inner)
        elif start < end:
            yield whole

    def _header_line(self, definition: Definition) -> int:
        """The line that names a definition: a parser counts decorators to it."""
        start = definition.start
        for k in range(start, min(definition.end, start + _MAX_HEADER_LINES)):
            content = self._lines.contents[k]
            if definition.name in content and not content.startswith(_DECORATORS):
                return k
        return start

    def _with_comments(self, start: int, least: int) -> int:
        """First line of the comments and decorators right above a line."""
        all_lines = self._lines.all
        k = start
        while k > least:
            line = all_lines[k - 1].strip()
            if not line:
                break
            if line.endswith("*/") and "/*" not in line:
                opening = self._comment_start(k - 1, least)
                if opening < 0:
                    break
                k = opening
            elif line.startswith(self._comments) or self._continues(line):
                k -= 1
            elif line[0] in _CLOSING:
                opening = self._decorator_start(k - 1, least)
                if opening < 0:
                    break
                k = opening
            else:
                break
        return k

    def _decorator_start(self, k: int, least: int) -> int:
        """First line of a decorator that line k ends; -1 if there is none.

        Brackets in texts and comments are counted, too: then it is mostly not found.
        """
        lines, depth = self._lines, 0
        for i in range(k, max(k - _MAX_HEADER_LINES, least - 1), -1):
            line = lines.contents[i]
            if not line:
                break
            depth += sum(map(line.count, _CLOSING)) - sum(map(line.count, _OPENING))
            if depth <= 0:
                return i if line.startswith(_DECORATORS) else -1
        return -1

    def _comment_start(self, k: int, least: int) -> int:
        lines = self._lines.all
        return next((i for i in range(k, least - 1, -1) if "/*" in lines[i]), -1)

    def _continues(self, line: str) -> bool:
        """Whether a line of C has the type of the function on the next line."""
        return self._has_types and line[0] != "#" and line[-1] not in ";{}:,\\)"


def _merged(lines: Lines, pieces: Iterable[_Piece]) -> Iterator[_Piece]:
    """Join small neighbors of the same group."""

    def larger(first: _Piece, second: _Piece) -> _Piece | None:
        is_one_group = first.group == second.group >= 0
        if not (is_one_group and lines.fits(first.start, second.end)):
            return None
        names = tuple(dict.fromkeys(first.names + second.names))
        mixed = "class" if first.group else "code"
        kind = first.kind if first.kind == second.kind else mixed
        return replace(first, end=second.end, names=names, kind=kind)

    return _joined(pieces, larger)


def _merged_sections(lines: Lines, pieces: list[_Piece]) -> Iterator[_Piece]:
    """Join small neighbors; their name is that of the section around them."""

    def larger(first: _Piece, second: _Piece) -> _Piece | None:
        if not lines.fits(first.start, second.end):
            return None
        shared = tuple(commonprefix([first.names, second.names]))
        names = shared or first.names or second.names
        return replace(first, end=second.end, names=names)

    return _joined(pieces, larger)


def _joined(
    pieces: Iterable[_Piece], larger: Callable[[_Piece, _Piece], _Piece | None]
) -> Iterator[_Piece]:
    """Join each piece to those before it, unless that gives None."""
    current: _Piece | None = None
    for piece in pieces:
        joined = None if current is None else larger(current, piece)
        if current is not None and joined is None:
            yield current
        current = joined or piece
    if current is not None:
        yield current


def _chunk(
    lines: Lines, path: str, piece: _Piece, *, separator: str = ", "
) -> FileChunk:
    return FileChunk(
        path,
        lines.text(piece.start, piece.end),
        piece.start + 1,
        piece.end,
        separator.join(piece.names),
        piece.kind,
        tuple(
            (k + 1, lines.all[k].rstrip())
            for k in piece.headers
            if len(lines.all[k]) <= _MAX_HEADER_CHARACTERS
        ),
    )
