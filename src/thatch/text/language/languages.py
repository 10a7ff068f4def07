"""Languages: guessed by script and small words, with their stemmers and stop words."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from thatch.files.reading import package_lines
from thatch.files.scripts import SCRIPTS
from thatch.text.language.words import words_of

__all__ = ["guess_language", "stemmer_of", "stop_words"]

# The start of a text is enough to recognize its script, and less its small words.
_MAX_CHARACTERS = 20_000
_MAX_LATIN_CHARACTERS = 5_000
# Languages recognized by script alone, the rarer scripts first: Japanese text contains
# Chinese characters too.
_LANGUAGE_OF_SCRIPT = {
    "kana": "ja",
    "han": "zh",
    "hangul": "ko",
    "thai": "th",
    "myanmar": "my",
    "khmer": "km",
    "lao": "lo",
    "devanagari": "hi",
    "bengali": "bn",
    "tamil": "ta",
    "arabic": "ar",
    "hebrew": "he",
    "armenian": "hy",
    "greek": "el",
    "cyrillic": "ru",
    "latin": "en",
}
# A script is that of the text if it has at least this share of the letters.
_MIN_SHARE_OF_SCRIPT = 0.2
# A language is recognized if its small words have this share of the words, and if
# there are enough of them not to be a coincidence.
_MIN_SHARE_OF_SMALL_WORDS, _MIN_SMALL_WORDS = 0.05, 3


def guess_language(text: str) -> str:
    """Code of the language that the script and the small words of a text suggest.

    >>> guess_language("Съешь ещё этих мягких булок"), guess_language("Say it.")
    ('ru', 'en')
    >>> guess_language("Der Schnee fiel auf die Stadt und das Land.")
    'de'
    """
    start = text[:_MAX_CHARACTERS]
    if start.isascii():
        return _latin_language(start)
    counts = {
        language: sum(map(len, re.findall(f"[{SCRIPTS[script]}]+", start)))
        for script, language in _LANGUAGE_OF_SCRIPT.items()
    }
    threshold = _MIN_SHARE_OF_SCRIPT * sum(counts.values())
    language = next((code for code, n in counts.items() if n and n >= threshold), "en")
    return _latin_language(start) if language == "en" else language


def _latin_language(text: str) -> str:
    """Code of the language whose small words are most frequent; default: English."""
    found = (word for word in words_of(text[:_MAX_LATIN_CHARACTERS]) if word.isalpha())
    words = Counter(found)
    counts = {c: sum(words[w] for w in small) for c, small in _small_words().items()}
    best = max(counts, key=lambda code: counts[code])
    threshold = max(_MIN_SMALL_WORDS, _MIN_SHARE_OF_SMALL_WORDS * words.total())
    return best if counts[best] >= threshold and counts[best] > counts["en"] else "en"


def stemmer_of(language: str) -> str | None:
    """Name of the Snowball stemmer for a language; None where there is none.

    >>> stemmer_of("de"), stemmer_of("zh")
    ('german', None)
    """
    return _stemmers().get(language)


@cache
def stop_words(language: str) -> frozenset[str]:
    """Words that say little on their own; thatch has a list for English only.

    >>> "the" in stop_words("en"), len(stop_words("fr"))
    (True, 0)
    """
    return frozenset(_data("stop_words_english.txt") if language == "en" else ())


@cache
def _small_words() -> dict[str, list[str]]:
    rows = (line.split() for line in _data("small_words.txt"))
    return {language: words for language, *words in rows}


@cache
def _stemmers() -> dict[str, str]:
    return dict(line.split() for line in _data("stemmers.txt"))


def _data(name: str) -> list[str]:
    return package_lines("thatch.text.language", f"data/{name}")
