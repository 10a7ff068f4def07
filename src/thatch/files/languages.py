"""Languages: their codes and English names, as options accept them."""

from __future__ import annotations

from difflib import get_close_matches

from thatch.errors import InputError
from thatch.files.reading import package_lines

#: English names of languages, by their codes of ISO 639.
LANGUAGES: dict[str, str] = dict(
    line.split(" ", 1) for line in package_lines("thatch.files", "data/languages.txt")
)
_CODES = {name: code for code, name in LANGUAGES.items()}


def language_code(language: str) -> str:
    """Return the code of a language, given its code or its English name."""
    given = str(language).strip().lower()
    if given in LANGUAGES:
        return given
    if given in _CODES:
        return _CODES[given]
    close = get_close_matches(given, _CODES, n=1)
    raise InputError(
        f"language is {language!r}; it must be a code, such as de, or a name, such as "
        "german.",
        hint=f"Did you mean {close[0]}?" if close else "Omit it if it is not known.",
    )
