"""Languages: their stemmers and stop words."""

from __future__ import annotations

from functools import cache

from thatch.files.reading import package_lines

_UNSPACED = frozenset({"ja", "km", "lo", "my", "th", "yue", "zh"})

# Languages that have the stop words and the stems of another.
_SAME_AS = {"nb": "no", "nn": "no", "fil": "tl", "ms": "id", "yue": "zh", "bs": "hr"}


def stemmer_of(language: str) -> str | None:
    """Name of the Snowball stemmer for a language; None where there is none."""
    return _stemmers().get(_SAME_AS.get(language, language))


def is_unspaced(language: str) -> bool:
    """Whether a language is written without spaces between words."""
    return language in _UNSPACED


@cache
def stop_words(language: str) -> frozenset[str]:
    """Words that say little on their own; none if their language has no list."""
    if language == "en":
        return frozenset(_data("stop_words_english.txt"))
    return frozenset(_stop_words().get(_SAME_AS.get(language, language), ()))


@cache
def fillers(language: str) -> frozenset[str]:
    """Words that are not stop words but say little to a reader who sees them alone."""
    rows = (line.split() for line in _data("fillers.txt"))
    return frozenset(next((words for code, *words in rows if code == language), ()))


@cache
def _stop_words() -> dict[str, list[str]]:
    rows = (line.split() for line in _data("stop_words.txt"))
    return {language: words for language, *words in rows}


@cache
def _stemmers() -> dict[str, str]:
    return dict(line.split() for line in _data("stemmers.txt"))


def _data(name: str) -> list[str]:
    return package_lines("thatch.text.language", f"data/{name}")
