"""Markup within the paragraphs of a reStructuredText: roles, emphasis, links."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping

from thatch.text.documents.markup import Markup

_SUBSTITUTION = re.compile(
    r"^[ \t]*\.\.[ \t]+\|([^|\n]{1,100})\|[ \t]+(\w{1,30})::[ \t]*([^\n]*)",
    re.MULTILINE,
)
_CODE = re.compile(r"(?:0x|x|\\x|U\+?|u\+?|\\u)([0-9a-fA-F]{1,6})|(\d{1,7})")
_SPECIAL = re.compile(
    r"\\|``|_?`|\*\*?|\||:[\w.+:-]{1,80}:`|\[[^\]\s]{1,100}\]_"
    r"|(?<![\w`*|\\])[A-Za-z0-9](?:[\w.+:-]{0,100}[A-Za-z0-9])?__?(?![\w`])"
)
_AFTER = r"(?=[\s'\")\]}>/\\:.,;!?\-\u2010-\u2015\u2018-\u201f]|\Z)"
_CLOSING = {
    "``": re.compile(r"(?<=\S)``(?!`)"),
    "`": re.compile(r"(?<![\s\\])`"),
    "**": re.compile(rf"(?<=\S)\*\*{_AFTER}"),
    "*": re.compile(rf"(?<=[^\s*\\])\*(?!\*){_AFTER}"),
    "|": re.compile(r"(?<=\S)\|"),
}
_BEFORE = re.compile(r"[\s'\"(\[{</:\-\u2010-\u2015\u2018-\u201f\xab\xa1\xbf]")
_ESCAPE = re.compile(r"\\")
_SUFFIX = re.compile(r"__?|:[\w.+:-]{1,80}:")
_ADDRESS = re.compile(r"\s+<[^<>]*>\Z")
_QUOTED = frozenset(('""', "''", "()", "[]", "{}", "<>"))
# What some roles show before their text.
_PREFIXES = {"pep": "PEP ", "rfc": "RFC "}
# Roles whose text may be a name in a package, of which the last part is shown.
_NAME = re.compile(r"~(?:[\w.]{0,200}\.)?|!")


def substitutions_in(text: str) -> dict[str, str]:
    r"""Return the texts of the substitutions that a text defines; "" for pictures.

    >>> substitutions_in(".. |x| replace:: snow\n.. |y| unicode:: U+2014 .. dash\n")
    {'x': 'snow', 'y': '—'}
    """
    shown = {"replace": _without_escapes, "unicode": _characters}
    return {
        _folded(name): shown[directive](value) if directive in shown else ""
        for name, directive, value in _SUBSTITUTION.findall(text)
    }


def _without_escapes(text: str) -> str:
    return re.sub(r"\\(.?)", r"\1", text.strip())


def _characters(codes: str) -> str:
    """The characters that a line of codes and texts means, without its comment."""
    pieces = []
    for word in re.split(r"(?:\A|[ \t]+)\.\.[ \t]", codes, maxsplit=1)[0].split():
        code = _CODE.fullmatch(word)
        number = int(code[1] or "0", 16) or int(code[2] or "0") if code else 0
        pieces.append(chr(number) if 0 < number < sys.maxunicode else word)
    return "".join(pieces)


def inline_markup(
    text: str, start: int, end: int, substitutions: Mapping[str, str]
) -> list[Markup]:
    """Markup within a paragraph, in order.

    >>> text = "See :ref:`the ice <ice>` and *snow*."
    >>> marks = inline_markup(text, 0, len(text), {})
    >>> [text[mark.start : mark.end] for mark in marks]
    [':ref:`', ' <ice>`', '*', '*']
    """
    scan = _Scan(text, start, end, substitutions)
    scan.run()
    return scan.found


class _Scan:
    """The state of a scan of one paragraph."""

    def __init__(
        self, text: str, start: int, end: int, substitutions: Mapping[str, str]
    ) -> None:
        self._text, self._start, self._end = text, start, end
        self._substitutions = substitutions
        # Marks that have no partner: it is not sought again.
        self._unpaired: set[str] = set()
        self.found: list[Markup] = []

    def run(self) -> None:
        """Read the paragraph."""
        place = self._start
        while True:
            special = _SPECIAL.search(self._text, place, self._end)
            if special is None:
                return
            place = self._read(special[0], special.start(), special.end())

    def _read(self, mark: str, start: int, end: int) -> int:
        """Read what starts here; return where to continue."""
        if mark == "\\":
            is_space = self._text[end : end + 1].isspace()
            self._hide(start, min(end + is_space, self._end))
            return min(end + 1, self._end)
        if mark[0] == "[":
            return self._read_note(mark, start, end)
        if mark[-1] == "_":
            return self._hide(end - len(mark) + len(mark.rstrip("_")), end)
        closing = self._partner(
            mark.lstrip("_:") if mark[0] == "_" else mark, start, end
        )
        if closing is None:
            return end
        if mark == "|":
            return self._read_substitution(start, closing)
        if mark.endswith("`") and mark != "``":
            return self._read_role(mark, start, end, closing)
        self._hide(start, end)
        return self._hide(closing.start(), closing.end())

    def _hide(self, start: int, end: int, shown: str = "") -> int:
        if start < end:
            self.found.append(Markup(start, end, shown))
        return end

    def _partner(self, mark: str, start: int, end: int) -> re.Match[str] | None:
        """The end of the markup that starts here; None if none starts or ends."""
        kind = "`" if mark.endswith("`") and mark != "``" else mark
        before = self._text[start - 1] if start > self._start else " "
        after = self._text[end] if end < self._end else " "
        if not _BEFORE.match(before) or after.isspace() or kind in self._unpaired:
            return None
        if before + after in _QUOTED:
            return None  # "*" is an asterisk
        closing = _CLOSING[kind].search(self._text, end + 1, self._end)
        if closing is None:
            self._unpaired.add(kind)
        return closing

    def _read_note(self, mark: str, start: int, end: int) -> int:
        """Hide a reference to a footnote, and the underscore after a citation."""
        is_footnote = mark[1] in "#*" or mark[1:-2].isdigit()
        return self._hide(start if is_footnote else end - 1, end)

    def _read_substitution(self, start: int, closing: re.Match[str]) -> int:
        end = closing.end()
        name = self._text[start + 1 : closing.start()]
        if len(name) > 100 or "\n" in name:
            return start + 1
        suffix = _SUFFIX.match(self._text, end, self._end)
        last = suffix.end() if suffix else end
        shown = self._substitutions.get(_folded(name))
        if shown is not None:
            return self._hide(start, last, shown)
        self._hide(start, start + 1)
        return self._hide(closing.start(), last)

    def _read_role(
        self, mark: str, start: int, end: int, closing: re.Match[str]
    ) -> int:
        """Hide a role, the backticks, and the address or the target of a link."""
        text, last = self._text, closing.start()
        suffix = _SUFFIX.match(text, closing.end(), self._end)
        name = _NAME.match(text, end, last) if mark[0] == ":" else None
        first = name.end() if name and name.end() < last else end
        self._hide(start, first, _PREFIXES.get(mark[1:-2].lower(), ""))
        if suffix and text[first] == "<" and text[last - 1] == ">":
            first, last = self._hide(first, first + 1), last - 1
        address = _ADDRESS.search(
            text, max(first, text.rfind("<", end, last) - 9), last
        )
        if address and address.start() > first:
            last = address.start()
        if mark != ":math:`":
            for escape in _ESCAPE.finditer(text, first, last):
                self._hide(escape.start(), escape.end())
        return self._hide(last, suffix.end() if suffix else closing.end())


def _folded(name: str) -> str:
    return " ".join(name.replace("\\", "").split()).casefold()
