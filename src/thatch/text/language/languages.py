"""Languages: guessed by their script, and the rules that go with each."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from importlib import resources

from thatch.errors import InputError

__all__ = ["guess_language", "require_code", "stemmer_of", "stop_words"]

# A text is looked at so far: its script shows at once.
_LOOKED_AT = 20_000
# Small words need less.
_LETTERS_LOOKED_AT = 5_000
# The languages that their script alone gives away, the rarer scripts first: Japanese
# has Chinese characters too.
_SCRIPTS = {
    "ja": "\u3040-\u30ff",
    "zh": "\u3400-\u9fff\U00020000-\U0003ffff",
    "ko": "\uac00-\ud7af\u1100-\u11ff",
    "th": "\u0e00-\u0e7f",
    "my": "\u1000-\u109f",
    "km": "\u1780-\u17ff",
    "lo": "\u0e80-\u0eff",
    "hi": "\u0900-\u097f",
    "bn": "\u0980-\u09ff",
    "ta": "\u0b80-\u0bff",
    "ar": "\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufeff",
    "he": "\u0590-\u05ff\ufb1d-\ufb4f",
    "hy": "\u0530-\u058f",
    "el": "\u0370-\u03ff\u1f00-\u1fff",
    "ru": "\u0400-\u052f",
    "en": "A-Za-z\u00c0-\u024f",
}
# Languages in Latin letters, by small words that the others do not have, or rarely.
_SMALL_WORDS = {
    "en": [
        "the",
        "and",
        "of",
        "to",
        "was",
        "with",
        "for",
        "that",
        "is",
        "on",
        "from",
        "by",
        "which",
        "has",
        "were",
    ],
    "de": [
        "der",
        "die",
        "und",
        "das",
        "ist",
        "nicht",
        "ein",
        "eine",
        "mit",
        "auf",
        "dem",
        "den",
        "von",
        "zu",
        "für",
    ],
    "fr": [
        "le",
        "les",
        "des",
        "est",
        "dans",
        "une",
        "du",
        "pas",
        "qui",
        "sur",
        "et",
        "au",
        "avec",
        "pour",
        "ce",
    ],
    "es": [
        "el",
        "los",
        "las",
        "del",
        "que",
        "una",
        "por",
        "con",
        "para",
        "se",
        "y",
        "su",
        "como",
        "más",
    ],
    "it": [
        "il",
        "di",
        "che",
        "della",
        "non",
        "gli",
        "per",
        "una",
        "sono",
        "con",
        "nel",
        "dei",
        "anche",
        "è",
    ],
    "pt": [
        "o",
        "os",
        "das",
        "do",
        "que",
        "não",
        "uma",
        "com",
        "para",
        "se",
        "da",
        "em",
        "mais",
        "são",
        "à",
    ],
    "nl": [
        "het",
        "een",
        "van",
        "en",
        "niet",
        "dat",
        "zijn",
        "op",
        "met",
        "voor",
        "te",
        "aan",
        "wordt",
        "ook",
    ],
    "sv": [
        "och",
        "att",
        "det",
        "som",
        "en",
        "är",
        "inte",
        "på",
        "med",
        "av",
        "för",
        "till",
        "den",
        "har",
    ],
    "da": [
        "og",
        "at",
        "det",
        "er",
        "ikke",
        "en",
        "på",
        "med",
        "af",
        "for",
        "til",
        "den",
        "har",
        "blev",
    ],
    "pl": [
        "nie",
        "się",
        "na",
        "jest",
        "że",
        "do",
        "jak",
        "po",
        "ale",
        "przez",
        "za",
        "od",
        "są",
        "był",
    ],
}
# Share of a text that such words must be, and how many of them are no accident.
_SHARE_OF_SMALL_WORDS, _FEWEST_SMALL_WORDS = 0.05, 3
# Share of the letters that makes a script the script of the text.
_SHARE_OF_SCRIPT = 0.2

_STEMMERS = {
    "ar": "arabic",
    "ca": "catalan",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}


def guess_language(text: str) -> str:
    """Code of the language that the script and the small words of a text suggest.

    >>> guess_language("Съешь ещё этих мягких булок"), guess_language("Say it.")
    ('ru', 'en')
    >>> guess_language("Der Schnee fiel auf die Stadt und das Land.")
    'de'
    """
    seen = text[:_LOOKED_AT]
    if seen.isascii():
        return _latin_language(seen)
    counts = {
        code: sum(map(len, re.findall(f"[{letters}]+", seen)))
        for code, letters in _SCRIPTS.items()
    }
    least = _SHARE_OF_SCRIPT * sum(counts.values())
    language = next((code for code, n in counts.items() if n and n >= least), "en")
    return _latin_language(seen) if language == "en" else language


def _latin_language(text: str) -> str:
    """Code of the language whose small words are most frequent; English if in doubt."""
    words = Counter(re.findall(r"[^\W\d_]+", text[:_LETTERS_LOOKED_AT].lower()))
    counts = {c: sum(words[w] for w in small) for c, small in _SMALL_WORDS.items()}
    best = max(counts, key=lambda code: counts[code])
    least = max(_FEWEST_SMALL_WORDS, _SHARE_OF_SMALL_WORDS * words.total())
    return best if counts[best] >= least and counts[best] > counts["en"] else "en"


def require_code(language: str) -> None:
    """Raise an error unless the text looks like the code of a language.

    >>> require_code("german")
    Traceback (most recent call last):
    thatch.errors.InputError: language must be a code such as en, got 'german'.
    Write de for German, for example, or leave it out.
    """
    if not (isinstance(language, str) and re.fullmatch("[a-z]{2,3}", language)):
        raise InputError(
            f"language must be a code such as en, got {language!r}.",
            hint="Write de for German, for example, or leave it out.",
        )


def stemmer_of(language: str) -> str | None:
    """Name of the stemming algorithm for a language, if there is one.

    >>> stemmer_of("de"), stemmer_of("zh")
    ('german', None)
    """
    return _STEMMERS.get(language)


@cache
def stop_words(language: str) -> frozenset[str]:
    """Words that say little on their own; thatch has a list for English only.

    >>> "the" in stop_words("en"), len(stop_words("fr"))
    (True, 0)
    """
    if language != "en":
        return frozenset()
    file = resources.files("thatch.text.language") / "data" / "stop_words_english.txt"
    return frozenset(file.read_text(encoding="utf-8").split())
