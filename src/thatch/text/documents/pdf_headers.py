"""Running titles and page numbers of a PDF, which are no part of its text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from thatch.text.documents.pdf_columns import Line

__all__ = ["without_headers"]

_NUMBER = re.compile(r"\d{1,9}")
_ANY_LINE = re.compile(r".*", re.DOTALL)
_PAGE_NUMBER = re.compile(
    r"\W*(?:page|seite|p\.|s\.)?\s*\d{1,9}(?:\s*(?:of|von|de|/)\s*\d{1,9})?\W*",
    re.IGNORECASE,
)
_MIN_PAGES = 3


def without_headers(pages: list[list[Line]]) -> list[list[Line]]:
    """Return pages without running titles and page numbers.

    The first, last, top or bottom line of a page is removed if most pages, or most even
    or odd ones, have the same one there, apart from numbers, or if one of its numbers
    increases with the pages; in all cases on at least three pages. Next to a running
    title there may be a page number, too.

    >>> pages = [
    ...     [Line("News", 50, 700, 11, k), Line(f"Day {day}.", 50, 600, 11, k, 6)]
    ...     for k, day in enumerate(["one", "two", "three"])
    ... ]
    >>> [[line.text for line in page] for page in without_headers(pages)]
    [['Day one.'], ['Day two.'], ['Day three.']]
    """
    return _without_repeated(_without_repeated(pages, _ANY_LINE), _PAGE_NUMBER)


def _without_repeated(
    pages: list[list[Line]], pattern: re.Pattern[str]
) -> list[list[Line]]:
    """Pages without those repeated lines at their edges that match."""
    keys = [
        [(line.first, key) for line, key in _keys(page) if pattern.fullmatch(line.text)]
        for page in pages
    ]
    counts = Counter(key for found in keys for key in {key for _, key in found})
    frequent = {
        key for key, count in counts.items() if count >= _min_pages(key, len(pages))
    }
    removed = [{first for first, key in found if key in frequent} for found in keys]
    return [
        [line for line in page if line.first not in omitted]
        for page, omitted in zip(pages, removed, strict=True)
    ]


#: Place on the page, text without numbers, what is alike ("all" pages, "even" or "odd"
#: ones, or those with a "number") and by how much the number exceeds that of the page.
_Key = tuple[str, str, str, int]


def _keys(page: list[Line]) -> Iterator[tuple[Line, _Key]]:
    """Lines at the edges of a page, with what they share with headers of others."""
    if not page:
        return
    edges = {
        "first": page[0],
        "last": page[-1],
        "top": max(page, key=lambda line: line.baseline),
        "bottom": min(page, key=lambda line: line.baseline),
    }
    for place, line in edges.items():
        text = _NUMBER.sub("0", line.text)
        yield line, (place, text, "all", 0)
        yield line, (place, text, ("even", "odd")[line.page % 2], 0)
        for number in _NUMBER.findall(line.text):
            yield line, (place, text, "number", int(number) - line.page)


def _min_pages(key: _Key, num_pages: int) -> int:
    num_alike = {
        "all": num_pages,
        "even": (num_pages + 1) // 2,
        "odd": num_pages // 2,
        "number": 0,
    }
    return max(_MIN_PAGES, num_alike[key[2]] // 2 + 1)
