"""Scripts: their ranges in Unicode, and how a text in any of them splits into words.

Some scripts put no spaces between words. There, every character is taken for a word.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["SCRIPTS", "UNSPACED", "split_words"]

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
    "tamil": "\u0b80-\u0bff",
    "arabic": "\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufeff",
    "hebrew": "\u0590-\u05ff\ufb1d-\ufb4f",
    "armenian": "\u0530-\u058f",
    "greek": "\u0370-\u03ff\u1f00-\u1fff",
    "cyrillic": "\u0400-\u052f",
    "latin": "A-Za-z\u00c0-\u024f",
}

#: Letters of the scripts that put no spaces between words.
UNSPACED = "".join(
    SCRIPTS[name] for name in ("kana", "han", "thai", "lao", "khmer", "myanmar")
)


def split_words(text: str) -> list[str]:
    """Return the words of a text: runs of letters, marks and digits, in order.

    Every character of a script without spaces is a word. Punctuation and symbols
    separate words and are dropped. Callers fold the case and normalize the text first,
    as their purpose requires.

    >>> split_words("Say it, in 3 हिन्दी words: 東京タワー.")
    ['Say', 'it', 'in', '3', 'हिन्दी', 'words', '東', '京', 'タ', 'ワ', 'ー']
    """
    return text.translate(_SEPARATED).split()


class _Separated(dict[int, str]):
    """What each character becomes: itself, a space, or itself between spaces."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if unicodedata.category(character)[0] not in "LMN":
            shown = " "
        # The pattern takes milliseconds to compile, which ASCII can do without.
        elif code >= 128 and re.match(f"[{UNSPACED}]", character):
            shown = f" {character} "
        else:
            shown = character
        self[code] = shown
        return shown


_SEPARATED = _Separated()
