"""Plain text in Markdown: shown as it is, whatever it contains."""

from __future__ import annotations

import re

# What could be code, emphasis, a link, an image or a cell.
_ACTIVE = re.compile(r"[\\`*\[\]|]|(?<![^\W_])_|_(?![^\W_])")
_CHARACTER_BY_NAME = re.compile(r"&(?=#?\w+;)")
# What could make a line a heading, a quote, an item of a list, a rule or a code block.
_START = re.compile(r"^([^\S\n]*)(#{1,6}(?=\s|$)|>|[-+=~]|\d+(?=[.)]))", re.MULTILINE)


def as_markdown_text(text: str) -> str:
    r"""The Markdown that shows a text.

    >>> print(as_markdown_text("Use <b> and *, [x](y), snake_case and _x_ &lt; 3 & 4."))
    Use &lt;b> and \*, \[x\](y), snake_case and \_x\_ &amp;lt; 3 & 4.
    >>> print(as_markdown_text("# No heading\n- no item\n1. no item"))
    \# No heading
    \- no item
    1\. no item
    """
    escaped = _START.sub(_escaped_start, _ACTIVE.sub(r"\\\g<0>", text))
    # Not by backslashes: whatever shows the text as HTML must not find a tag either.
    return _CHARACTER_BY_NAME.sub("&amp;", escaped).replace("<", "&lt;")


def _escaped_start(match: re.Match[str]) -> str:
    space, mark = match.groups()
    return f"{space}{mark}\\" if mark[0].isdigit() else f"{space}\\{mark}"
