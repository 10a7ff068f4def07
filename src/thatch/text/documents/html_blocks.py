"""Blocks of a whole page in HTML, divided at tags that are not inline.

Python's own parser takes time quadratic in the number of unfinished tags; lxml does
not, and builds no tree here, so that tags may be nested to any depth.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from thatch.errors import requiring
from thatch.text.documents.document import BlockKind, Part

with requiring("Reading HTML", package="lxml", extra="files"):
    from lxml import etree

_SKIPPED_TAGS = frozenset(
    ("title", "script", "style", "template", "svg", "nav", "footer", "aside", "button")
)
# Written as one string, because a list would take one line per word.
_INLINE_TAGS = frozenset(
    re.findall(
        r"\w+",
        "a abbr b bdi bdo cite code del dfn em font i ins kbd label mark q s samp "
        "small span strong sub sup time tt u var wbr",
    )
)
_LEVELS = {f"h{level}": level for level in range(1, 7)}
# Of these kinds, the number of open elements matters.
_KINDS = {
    **dict.fromkeys(_SKIPPED_TAGS, "skipped"),
    **dict.fromkeys(("figcaption", "caption"), "caption"),
    **{"pre": "code", "table": "table"},
}


def page_parts(page: str) -> list[Part]:
    """Return the blocks of a page, without elements such as ``nav`` and ``footer``.

    >>> parts = page_parts("<h2>Ice</h2><p>It <b>is</b> cold.")
    >>> [(part.kind.value, part.text) for part in parts]
    [('heading', 'Ice'), ('prose', 'It is cold.')]
    """
    target = _Page()
    parser = etree.HTMLParser(target=target, encoding="utf-8", huge_tree=True)
    parser.feed(page.encode("utf-8", "replace"))
    parts: list[Part] = parser.close()
    return parts


class _Page:
    """Target of a parser that collects text; what is open decides what it is."""

    def __init__(self) -> None:
        self._num_open: Counter[str] = Counter()
        self._level = 0
        # The cells of each row of the outermost table.
        self._rows: list[list[str]] = []
        self._words: list[str] = []
        self._found: list[Part] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Open an element."""
        del attributes
        self._divide_at(tag)
        if tag in _KINDS:
            self._num_open[_KINDS[tag]] += 1
        elif tag == "br":
            self._words.append("\n" if self._num_open["code"] else " ")
        elif tag == "tr" and self._num_open["table"]:
            self._rows.append([])
        elif tag in _LEVELS:
            self._level = _LEVELS[tag]

    def end(self, tag: str) -> None:
        """Close an element."""
        self._divide_at(tag)
        if self._num_open[_KINDS.get(tag, "")]:
            self._num_open[_KINDS[tag]] -= 1
        if tag in _LEVELS:
            self._level = 0
        elif tag == "table" and not self._num_open["table"]:
            self._add_table()

    def data(self, text: str) -> None:
        """Add text."""
        if not self._num_open["skipped"]:
            self._words.append(text)

    def close(self) -> Any:
        """Return what was found."""
        self._divide_at("html")
        self._add_table()
        return self._found

    def _divide_at(self, tag: str) -> None:
        if tag in _INLINE_TAGS or (tag == "br" and self._num_open["code"]):
            return
        if not self._words:
            return
        text = "".join(self._words)
        self._words.clear()
        if not text.strip():
            return
        if self._num_open["code"]:
            self._found.append(Part(BlockKind.CODE, text.strip("\n")))
            return
        text = " ".join(text.split())
        if self._num_open["caption"]:
            self._found.append(Part(BlockKind.ASIDE, text))
        elif self._level:
            self._found.append(Part(BlockKind.HEADING, text, self._level))
        elif self._num_open["table"]:
            if not self._rows:
                self._rows.append([])
            self._rows[-1].append(text)
        else:
            self._found.append(Part(BlockKind.PROSE, text))

    def _add_table(self) -> None:
        """Add a table: as code, or each cell as prose if the cells are long."""
        rows = [row for row in self._rows if row]
        self._rows = []
        cells = [cell for row in rows for cell in row]
        num_characters = sum(map(len, cells))
        # Cells of data are short; longer ones lay out a page.
        if num_characters > 60 * len(cells):
            self._found += [Part(BlockKind.PROSE, cell) for cell in cells]
        elif cells:
            text = "\n".join(" | ".join(row) for row in rows)
            self._found.append(Part(BlockKind.CODE, text))
