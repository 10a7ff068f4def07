"""The typefaces, colors and mark of the page, for a file that loads nothing."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

# Only files are read here: no module of the server is imported.
_PAGE = files("thatch").joinpath("serve", "page")
_FACE = re.compile(r"@font-face \{.*?\n\}\n", re.DOTALL)
_FAMILY = re.compile(r'font-family: "([^"]+)"')
_FILE = re.compile(r'url\("(fonts/[\w.-]+)"\)')
_RANGE = re.compile(r"U\+([0-9A-F]+)(?:-([0-9A-F]+))?")
_LICENSE = """/* Source Serif 4 and Source Sans 3: Copyright Adobe, with Reserved Font
   Name 'Source'. Licensed under the SIL Open Font License, Version 1.1. */
"""


@dataclass(frozen=True)
class _Face:
    #: The rule of the style sheet.
    rule: str
    family: str
    #: Path of its file within the page.
    file: str
    #: First and last characters that it has.
    ranges: tuple[tuple[int, int], ...]

    def has(self, character: int) -> bool:
        return any(first <= character <= last for first, last in self.ranges)


def colors() -> str:
    """Return the rules of the colors, for light and dark pages."""
    return _PAGE.joinpath("colors.css").read_text(encoding="utf-8")


def font_faces(text: str) -> str:
    """Return the rules of the typefaces that a text needs, with the fonts inside."""
    characters = frozenset(map(ord, text))
    # Characters that no face has yet, by family. Of several faces that have a
    # character, browsers take the last.
    left: dict[str, frozenset[int]] = {}
    used = []
    for face in reversed(_faces()):
        missing = left.get(face.family, characters)
        own = frozenset(filter(face.has, missing))
        left[face.family] = missing - own
        if own:
            used.append(_embedded(face.file, face.rule))
    return _LICENSE + "\n".join(reversed(used))


@cache
def mark_paths() -> str:
    """Return the shapes of the logo, which is 32 units wide and high.

    >>> mark_paths().count("<path")
    3
    """
    drawing = _PAGE.joinpath("mark.svg").read_text(encoding="utf-8")
    return drawing[drawing.index(">") + 1 : drawing.rindex("</svg>")].strip()


@cache
def icon_address() -> str:
    """Return the logo as an address without a request."""
    content = _PAGE.joinpath("mark.svg").read_bytes()
    return f"data:image/svg+xml;base64,{b64encode(content).decode()}"


@cache
def _faces() -> tuple[_Face, ...]:
    style = _PAGE.joinpath("fonts.css").read_text(encoding="utf-8")
    found = []
    for rule in _FACE.findall(style):
        (family,), (file,) = _FAMILY.findall(rule), _FILE.findall(rule)
        ranges = tuple(
            (int(first, 16), int(last or first, 16))
            for first, last in _RANGE.findall(rule)
        )
        found.append(_Face(rule, family, file, ranges))
    return tuple(found)


@cache
def _embedded(file: str, rule: str) -> str:
    """The rule with the content of its file in place of the address."""
    content = b64encode(_PAGE.joinpath(*file.split("/")).read_bytes()).decode()
    return _FILE.sub(f"url(data:font/woff2;base64,{content})", rule)
