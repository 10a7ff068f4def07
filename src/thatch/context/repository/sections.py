"""Sections of prose by its headings: Markdown, reStructuredText, AsciiDoc and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thatch.text.documents.document import Document

#: Line from 0, level from 1, title.
Heading = tuple[int, int, str]
#: First line from 0, and the titles from the outermost to the innermost.
Section = tuple[int, tuple[str, ...]]

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HASHES = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*\r?\Z")
_EQUALS = re.compile(r"(={1,6})[ \t]+(\S.*?)[ \t]*=*\r?\Z")
_UNDERLINE = re.compile(r"([=\-~^\"'`#*+:.<>_])\1{2,}[ \t]*\r?\Z")
_LATEX_COMMANDS = "part|chapter|section|subsection|subsubsection|paragraph"
_LATEX = re.compile(rf"[ \t]*\\({_LATEX_COMMANDS})\*?\{{(.*?)\}}")
_LATEX_LEVELS = _LATEX_COMMANDS.split("|")
_LITERAL = re.compile(r"(-{4,}|\.{4,})[ \t]*\r?\Z")


def headings(lines: list[str], suffix: str) -> list[Heading]:
    """Headings of a text, in order.

    >>> headings(["# Roofs", "", "## Reed", "Grows in water."], ".md")
    [(0, 1, 'Roofs'), (2, 2, 'Reed')]
    """
    return list(_FINDERS.get(suffix, _underlined)(lines))


def document_headings(document: Document) -> list[Heading]:
    r"""Headings of a document that a reader extracted, by the lines of its text.

    >>> from thatch.text.documents.document import Document
    >>> document_headings(Document.from_markdown("Snow.\n\n# Ice\n"))
    [(2, 1, 'Ice')]
    """
    from thatch.text.documents.blocks import BlockKind

    return [
        (
            document.text.count("\n", 0, block.start),
            block.level or 1,
            " ".join(document.text[block.start : block.end].split()),
        )
        for block in document.blocks
        if block.kind is BlockKind.HEADING
    ]


def sections(found: list[Heading]) -> list[Section]:
    """Sections that start at headings; the first one starts at line 0.

    >>> sections([(2, 1, "Roofs"), (4, 2, "Reed")])
    [(0, ()), (2, ('Roofs',)), (4, ('Roofs', 'Reed'))]
    """
    parts: list[Section] = []
    if not found or found[0][0] > 0:
        parts.append((0, ()))
    for path in heading_paths(found):
        parts.append((path[-1][0], tuple(title for _, _, title in path)))
    return parts


def heading_paths(found: list[Heading]) -> list[tuple[Heading, ...]]:
    """Each heading with those that it is below, from the outermost to itself.

    >>> heading_paths([(2, 1, "Roofs"), (4, 2, "Reed")])
    [((2, 1, 'Roofs'),), ((2, 1, 'Roofs'), (4, 2, 'Reed'))]
    """
    paths: list[tuple[Heading, ...]] = []
    path: tuple[Heading, ...] = ()
    for heading in found:
        path = (*(above for above in path if above[1] < heading[1]), heading)
        paths.append(path)
    return paths


def _markdown(lines: list[str]) -> Iterator[Heading]:
    fence = ""
    is_paragraph = False
    start = _after_front_matter(lines)
    for k in range(start, len(lines)):
        line = lines[k]
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        if fence or mark:
            is_paragraph = False
            continue
        if found := _HASHES.match(line):
            yield k, len(found[1]), found[2]
            is_paragraph = False
        elif is_paragraph and line[:1] in "=-" and _UNDERLINE.match(line):
            yield k - 1, 1 if line[0] == "=" else 2, lines[k - 1].strip()
            is_paragraph = False
        else:
            is_paragraph = bool(line.strip()) and not line.startswith(
                ("    ", "\t", "|")
            )


def _after_front_matter(lines: list[str]) -> int:
    if lines and lines[0].rstrip() == "---":
        for k in range(1, min(len(lines), 200)):
            if lines[k].rstrip() == "---":
                return k + 1
    return 0


def _underlined(lines: list[str]) -> Iterator[Heading]:
    """Titles with a line of one character below, and perhaps one above.

    The level of a character is that of its first occurrence, as in reStructuredText.
    """
    levels: dict[str, int] = {}
    for k in range(1, len(lines)):
        line = lines[k]
        mark = line[:1]
        if not mark or mark.isalnum() or not _UNDERLINE.match(line):
            continue
        title = lines[k - 1].rstrip()
        is_title = bool(title) and any(character.isalnum() for character in title)
        if not is_title or len(line.rstrip()) < len(title.strip()):
            continue
        above = lines[k - 2] if k > 1 else ""
        has_overline = above[:1] == mark and _UNDERLINE.match(above) is not None
        if title[0].isspace() and not has_overline:
            continue
        if above.strip() and not has_overline:
            continue  # the last line of a paragraph or of a table
        level = levels.setdefault(mark * (1 + has_overline), len(levels) + 1)
        yield k - 1 - has_overline, level, title.strip()


def _asciidoc(lines: list[str]) -> Iterator[Heading]:
    literal = ""
    for k, line in enumerate(lines):
        if mark := _LITERAL.match(line):
            literal = "" if literal == mark[1] else literal or mark[1]
        elif not literal and (found := _EQUALS.match(line)):
            yield k, len(found[1]), found[2]


def _latex(lines: list[str]) -> Iterator[Heading]:
    for k, line in enumerate(lines):
        if "\\" in line and (found := _LATEX.match(line)):
            yield k, 1 + _LATEX_LEVELS.index(found[1]), found[2]


_FINDERS: dict[str, Callable[[list[str]], Iterator[Heading]]] = {
    **dict.fromkeys((".md", ".markdown", ".mdown", ".mkd", ".mdx"), _markdown),
    **dict.fromkeys((".adoc", ".asciidoc"), _asciidoc),
    **dict.fromkeys((".tex", ".latex"), _latex),
}
