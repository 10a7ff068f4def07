"""Dates in words, so that they can be compared as terms."""

from __future__ import annotations

import re
from datetime import date

# Not those of `strftime`, which depend on the locale of the process.
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)
_ISO_DATE = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})(?:[T ]\d{2}:\d{2}[\d:.Z+-]*)?\b")


def with_dates_in_words(text: str) -> str:
    """The text with dates such as 2023-05-08 as people write them, to compare words."""

    def in_words(match: re.Match[str]) -> str:
        year, month, day = map(int, match.group(1, 2, 3))
        try:
            date(year, month, day)
        except ValueError:
            return match[0]
        return f"{day} {_MONTHS[month - 1]} {year}"

    return _ISO_DATE.sub(in_words, text)
