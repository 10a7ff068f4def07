"""Definitions in code, found by their first words and by indentation.

This takes a tenth of the time of a parser. In Python, where indentation is syntax, it
finds what a parser finds; in other languages, what is indented as most code is.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import lru_cache
from operator import sub

from thatch.context.repository.code_languages import CodeLanguage
from thatch.context.repository.line_blocks import Lines

_CLOSERS = ("}", ")", "]", "{")
# A label in a class or a function, such as "public:" in C++, at its indentation.
_LABEL = re.compile(r"\w+(?: \w+)?:\Z")
# Lines of a C preprocessor, which are not indented.
_DIRECTIVE = re.compile(
    r"#[ \t]*(?:if|ifdef|ifndef|else|elif|endif|define|undef|pragma)\b"
)


@dataclass(slots=True)
class Definition:
    """A function or a class, by its lines.

    >>> Definition(0, 2, "main", "function").children
    []
    """

    #: The first line, from 0.
    start: int
    #: The line after the last.
    end: int
    #: Its name, without those around it.
    name: str
    #: ``function`` or ``class``.
    kind: str
    #: Definitions in it, in order; only classes have some.
    children: list[Definition] = field(default_factory=list)


@dataclass(slots=True)
class _Open:
    """A definition whose end is not known yet."""

    definition: Definition
    indent: int
    #: Indentation of what it contains.
    body: int = -1


def outline(lines: Lines, language: CodeLanguage) -> list[Definition]:
    r"""Definitions of some code, outer ones with those inside; none overlap.

    >>> from thatch.context.repository.code_languages import language_of
    >>> lines = Lines("class Roof:\n    def mend(self):\n        pass\n\nx = 1\n")
    >>> (roof,) = outline(lines, language_of("roof.py"))
    >>> roof.name, roof.end, [child.name for child in roof.children]
    ('Roof', 3, ['mend'])
    """
    hidden = _hidden(lines, language)
    contents = lines.contents
    ends, first_words = _CLOSERS + language.ends, language.first_words
    found: list[Definition] = []
    stack: list[_Open] = []
    # Lines with this indentation are in a function, where nothing is looked for.
    inside = sys.maxsize
    for k, indent in enumerate(map(sub, map(len, lines.all), map(len, contents))):
        if indent >= inside:
            continue
        content = contents[k]
        if not content or (hidden is not None and hidden[k]):
            continue
        if stack and indent <= stack[-1].indent:
            if content.startswith(language.line_comment):
                continue  # it belongs to what follows, or is within the definition
            if _is_inside(content, indent, stack[-1].indent, ends, language):
                continue
            while stack and indent <= stack[-1].indent:
                _close(stack.pop(), k, lines, language.line_comment)
            inside = sys.maxsize
        if not _may_define(stack, indent) or not content.startswith(first_words):
            continue
        definition = _definition(content, k, language, bool(stack))
        if definition is not None:
            siblings = stack[-1].definition.children if stack else found
            siblings.append(definition)
            stack.append(_Open(definition, indent))
            if definition.kind == "function":
                inside = indent + 1
    for each in stack:
        _close(each, len(contents), lines, language.line_comment)
    return found


def _close(opened: _Open, end: int, lines: Lines, comment: str) -> None:
    """Set the end: before blank lines, and before comments that are not indented."""
    least = opened.definition.start + 1
    while end > least:
        content = lines.contents[end - 1]
        if content and not (
            content.startswith(comment) and lines.indent(end - 1) <= opened.indent
        ):
            break
        end -= 1
    opened.definition.end = end


def _is_inside(
    content: str, indent: int, outer: int, ends: tuple[str, ...], language: CodeLanguage
) -> bool:
    """Whether a line belongs to the open definition despite its indentation."""
    if indent == outer and content.startswith(ends):
        return True
    if not language.hidden or language.hidden[0][0] != "/*":
        return False
    return _LABEL.match(content.rstrip()) is not None or (
        content[0] == "#" and _DIRECTIVE.match(content) is not None
    )


def _may_define(stack: list[_Open], indent: int) -> bool:
    if not stack:
        return indent == 0
    top = stack[-1]
    if top.definition.kind != "class":
        return False
    if top.body < 0 or indent < top.body:
        top.body = indent  # the header may continue on lines with more indentation
    return indent == top.body


def _definition(
    content: str, k: int, language: CodeLanguage, in_class: bool
) -> Definition | None:
    # Definitions are not longer; data may be, and would take time.
    if len(content) > 400:
        return None
    patterns = language.by_words + (language.in_classes if in_class else ())
    for pattern in patterns:
        found = pattern.match(content)
        if found is not None and found["name"]:
            kind = "class" if found["class"] else "function"
            return Definition(k, k + 1, found["name"], kind)
    return None


def _hidden(lines: Lines, language: CodeLanguage) -> bytearray | None:
    """Which lines start within a comment or a text; None if there are none."""
    text, starts = lines.source, lines.offsets
    if not any(opener in text for opener, _ in language.hidden):
        return None
    ends = dict(language.hidden)
    openers, tokens = _patterns(language.line_comment, tuple(ends))
    flags = bytearray(len(lines))
    at = 0
    while found := openers.search(text, at):
        # Before it, the line may have a comment or a short text that contains it.
        k = bisect_right(starts, found.start()) - 1
        at, line_end = max(at, starts[k]), starts[k + 1] - 1
        while at <= line_end and (token := tokens.search(text, at, line_end)):
            at = token.end()
            if token[0] == language.line_comment:
                at = line_end
            elif token[0] in ends:
                at = _after(text, ends[token[0]], at)
                last = bisect_right(starts, at - 1) - 1
                flags[k + 1 : last + 1] = b"\1" * (last - k)
                k, line_end = last, starts[last + 1] - 1
        at = max(at, line_end)
    return flags


@lru_cache
def _patterns(
    comment: str, openers: tuple[str, ...]
) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Matches of what hides lines, and of these, comments and short texts."""
    starts = "|".join(map(re.escape, openers))
    short = r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\''
    return re.compile(starts), re.compile(rf"{starts}|{re.escape(comment)}|{short}")


def _after(text: str, closer: str, start: int) -> int:
    """Offset after the end of a comment or a long text; the end if there is none."""
    while (at := text.find(closer, start)) >= 0:
        num_backslashes = at - len(text[max(at - 20, 0) : at].rstrip("\\"))
        num_backslashes -= max(at - 20, 0)
        if num_backslashes % 2 == 0 or closer == "*/":
            return at + len(closer)
        start = at + 1
    return len(text)
