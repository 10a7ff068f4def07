"""Scripts: their ranges in Unicode, and how a text in any of them splits into words.

Some scripts put no spaces between words. There, every character is taken for a word,
with the vowel signs and tone marks that belong to it.
"""

from __future__ import annotations

import re
import unicodedata

#: Letters of each script, as ranges of a character class in a regular expression.
SCRIPTS = {
    "kana": "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f\U0001aff0-\U0001b16f",
    "han": "\u3005-\u3007\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff",
    "hangul": "\uac00-\ud7af\u1100-\u11ff",
    "thai": "\u0e00-\u0e7f",
    "myanmar": "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f",
    "khmer": "\u1780-\u17ff",
    "lao": "\u0e80-\u0eff",
    "devanagari": "\u0900-\u097f",
    "bengali": "\u0980-\u09ff",
    "gujarati": "\u0a80-\u0aff",
    "gurmukhi": "\u0a00-\u0a7f",
    "tamil": "\u0b80-\u0bff",
    "telugu": "\u0c00-\u0c7f",
    "kannada": "\u0c80-\u0cff",
    "malayalam": "\u0d00-\u0d7f",
    "sinhala": "\u0d80-\u0dff",
    "ethiopic": "\u1200-\u139f\u2d80-\u2ddf",
    "georgian": "\u10a0-\u10ff\u1c90-\u1cbf\u2d00-\u2d2f",
    "arabic": "\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufeff",
    "hebrew": "\u0590-\u05ff\ufb1d-\ufb4f",
    "armenian": "\u0530-\u058f",
    "greek": "\u0370-\u03ff\u1f00-\u1fff",
    "cyrillic": "\u0400-\u052f",
    "latin": "A-Za-z\u00c0-\u024f\u1e00-\u1eff",
}

#: Scripts that put no spaces between words.
UNSPACED_SCRIPTS = frozenset({"kana", "han", "thai", "lao", "khmer", "myanmar"})
#: Their letters, as ranges of a character class.
UNSPACED = "".join(SCRIPTS[name] for name in SCRIPTS if name in UNSPACED_SCRIPTS)


# Vowel signs and tone marks of Thai, Lao, Khmer and Burmese; marks of any script.
_MARKS = (
    "\u0e31\u0e33-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb3-\u0ebc\u0ec8-\u0ece\u17b4-\u17d3\u17dd"
    "\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074"
    "\u1082-\u108d\u108f\u109a-\u109d\u3099\u309a\uff9e\uff9f\u0300-\u036f\u200c\u200d"
    "\ufe00-\ufe0f\U000e0100-\U000e01ef"
)
#: A letter of these scripts with its marks, as a regular expression. In Khmer and
#: Burmese a sign before a consonant puts it below the one before.
CLUSTER = f"[{UNSPACED}](?:\u17d2[\u1780-\u17b3]|\u1039[\u1000-\u102a]|[{_MARKS}])*"


def split_words(text: str) -> list[str]:
    """Return the words of a text: runs of letters, marks and digits, in order.

    Punctuation and symbols separate words and are dropped. Callers fold the case and
    normalize the text first, as their purpose requires.
    """
    return separated(text).decode().split()


def separated(text: str, *, is_segmented: bool = False) -> bytes:
    """Return a text in UTF-8 with spaces in place of all that separates words.

    If the text is segmented, words of scripts without spaces are separated already.
    Otherwise each of their characters is a word.

    >>> separated("Say it, in 3 words.")
    b'Say it  in 3 words '
    """
    if not text.isascii():
        if not is_segmented and has_unspaced(text):
            text = " ".join(re.findall(f"{CLUSTER}|[^{UNSPACED}]+", text))
        if _MIDDLE_DOT in text:
            text = re.sub(rf"(?<!\w){_MIDDLE_DOT}|{_MIDDLE_DOT}(?!\w)", " ", text)
        changes = {
            character: shown
            for character in set(text)
            if (shown := _SEPARATED[ord(character)]) != character
        }
        # With more different characters to replace, they are replaced all at once.
        if len(changes) > 64:
            return text.translate(_SEPARATED).encode()
        # Most texts have few different characters: this is faster than `translate`.
        for character, shown in changes.items():
            text = text.replace(character, shown)
    return text.encode().translate(_SEPARATED_ASCII)


def has_unspaced(text: str) -> bool:
    """Whether a text has letters of a script that puts no spaces between words.

    >>> has_unspaced("東京"), has_unspaced("Tōkyō")
    (True, False)
    """
    return any(script_of(character) in UNSPACED_SCRIPTS for character in set(text))


def script_of(character: str) -> str:
    """Return the name of the script that a character belongs to; "" if it is none here.

    >>> script_of("東"), script_of("é"), script_of("!")
    ('han', 'latin', '')
    """
    return _SCRIPT_OF[character]


class _ScriptOf(dict[str, str]):
    """Script of each character, found when it is first asked for."""

    def __missing__(self, character: str) -> str:
        found = (
            script
            for script, ranges in SCRIPTS.items()
            if re.match(f"[{ranges}]", character)
        )
        self[character] = next(found, "")
        return self[character]


_SCRIPT_OF = _ScriptOf()

# Between letters it belongs to the word: Catalan "col·lecció".
_MIDDLE_DOT = "\u00b7"
# Parts of words though they are no letters: the joiner and the non-joiner, and Hebrew's
# marks of abbreviation.
_PARTS_OF_WORDS = "\u200c\u200d\u05f3\u05f4" + _MIDDLE_DOT
# The space of width zero, which separates words of Thai and Khmer.
_ZERO_WIDTH_SPACE = "\u200b"


class _Separated(dict[int, str]):
    """What each character becomes: itself, a space, or nothing."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        if category[0] in "LMN" or character in _PARTS_OF_WORDS:
            shown = character
        else:
            # Soft hyphens and marks of direction are inside words, and not seen.
            is_unseen = category == "Cf" and character != _ZERO_WIDTH_SPACE
            shown = "" if is_unseen else " "
        self[code] = shown
        return shown


_SEPARATED = _Separated()
# One byte for each byte: ASCII letters and digits, and spaces for all others.
_SEPARATED_ASCII = bytes(
    ord(_SEPARATED[code]) if code < 128 else code for code in range(256)
)
