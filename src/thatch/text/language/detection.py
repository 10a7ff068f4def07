"""Languages of texts, guessed from their script, their small words and their letters.

If `gcld3` of the extra ``languages`` is installed, it decides where this is not clear.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from math import log
from typing import Any
from unicodedata import normalize

from thatch.files.languages import LANGUAGES
from thatch.files.reading import package_lines
from thatch.files.scripts import script_of
from thatch.text.language.languages import stop_words
from thatch.text.language.words import words_of

# The start of a text is enough, most often a short one.
_CHARACTERS, _MAX_CHARACTERS = 500, 4_000
# Their languages are in `data/letters.txt`; other scripts have one language each, in
# `data/scripts.txt`.
_SHARED_SCRIPTS = ("latin", "cyrillic", "arabic", "devanagari")
# What a small word says, in addition to how few languages have it; what a letter says
# that few languages have, and one that the language lacks. Tuned on the Universal
# Declaration of Human Rights.
_SMALL_WORD, _OWN_LETTER, _FOREIGN_LETTER = 0.3, 4.8, 3.0
# A guess is clear if the text has enough words, and the next language is far behind.
_MIN_WORDS, _MIN_LEAD = 12, 0.25
_CODES_OF_DETECTOR = {"iw": "he", "fil": "tl", "ms": "id", "nb": "no"}


@dataclass(frozen=True, slots=True)
class _Guess:
    language: str
    #: Whether the text says enough for the guess to be relied on.
    is_clear: bool


def guess_language(text: str) -> str:
    """Code of the language that the script and the small words of a text suggest.

    >>> guess_language("Съешь ещё этих мягких булок"), guess_language("Say it.")
    ('ru', 'en')
    >>> guess_language("Der Schnee fiel auf die Stadt und das Land.")
    'de'
    """
    return guess_languages([text])[0]


def guess_languages(texts: Iterable[str]) -> list[str]:
    """Codes of the languages of texts that belong together.

    A text that is too short to tell gets the language of most of the others.
    """
    starts = [text[:_MAX_CHARACTERS] for text in texts]
    guesses = list(map(_guess_of_start, starts))
    sizes: Counter[str] = Counter()
    for guess, start in zip(guesses, starts, strict=True):
        if guess.is_clear:
            sizes[guess.language] += len(start)
    if sizes:
        main = sizes.most_common(1)[0][0]
    else:
        main = _guess(" ".join(starts)[:_MAX_CHARACTERS]).language
    return [guess.language if guess.is_clear else main for guess in guesses]


def _guess_of_start(text: str) -> _Guess:
    guess = _guess(text[:_CHARACTERS])
    is_done = guess.is_clear or len(text) <= _CHARACTERS
    return guess if is_done else _guess(text)


def _guess(text: str) -> _Guess:
    if text.isascii():
        return _by_small_words(text, "latin", Counter(), num_letters=len(text))
    characters = Counter(normalize("NFC", text.lower()))
    counts: Counter[str] = Counter()
    for character, count in characters.items():
        counts[script_of(character)] += count
    del counts[""]
    num_letters = counts.total()
    # A script is that of the text if it has a fifth of the letters.
    threshold = 0.2 * num_letters
    for script, language in _language_of_script().items():
        if counts[script] and counts[script] >= threshold:
            return _Guess(language, is_clear=True)
    shared = max(_SHARED_SCRIPTS, key=lambda script: counts[script])
    return _by_small_words(text, shared, characters, num_letters=num_letters)


def _by_small_words(
    text: str, script: str, characters: Mapping[str, int], *, num_letters: int
) -> _Guess:
    """Guess among the languages that share a script."""
    # Small words rarely have punctuation beside them, and this is the faster way.
    words = Counter(text.lower().split() if text.isascii() else words_of(text))
    signs = _signs(script)
    scores, num_signs = dict.fromkeys(signs.languages, 0.0), Counter[str]()
    for counts, weights, total in (
        (words, signs.of_words, words.total()),
        (characters, signs.of_letters, max(num_letters, 1)),
    ):
        for found in counts.keys() & weights.keys():
            for language, weight in weights[found]:
                scores[language] += weight * counts[found] / total
                num_signs[language] += counts[found] if weight > 0 else 0
    default = signs.languages[0]
    best = max(scores, key=scores.__getitem__)
    # Fewer small words and letters may be a coincidence: then the text is English.
    if num_signs[best] < 2:
        best = default
    lead = scores[best] - max(scores[code] for code in scores if code != best)
    if words.total() >= _MIN_WORDS and lead > _MIN_LEAD * scores[best]:
        return _Guess(best, is_clear=True)
    detected = _detected(text, script)
    return _Guess(detected or best, is_clear=bool(detected))


@dataclass(frozen=True)
class _Signs:
    """What words and letters say about the languages that share a script."""

    languages: tuple[str, ...]
    #: For each word and letter, the languages that it speaks for or against.
    of_words: Mapping[str, list[tuple[str, float]]]
    of_letters: Mapping[str, list[tuple[str, float]]]


@cache
def _signs(script: str) -> _Signs:
    rows = [row for row in _letters() if row[1] == script]
    languages = tuple(row[0] for row in rows)
    having: dict[str, list[str]] = {}
    for language in languages:
        for word in stop_words(language):
            having.setdefault(word, []).append(language)
    of_words = {
        word: [(c, _SMALL_WORD + log(len(languages) / len(codes))) for c in codes]
        for word, codes in having.items()
    }
    special = set("".join(own for _, _, own, _ in rows)) - {"-"}
    of_letters = {
        letter: [
            (language, _OWN_LETTER if letter in own else -_FOREIGN_LETTER)
            for language, _, own, other in rows
            if letter in own or letter not in other
        ]
        for letter in special
    }
    return _Signs(languages, of_words, of_letters)


@cache
def _language_of_script() -> dict[str, str]:
    lines = package_lines("thatch.text.language", "data/scripts.txt")
    return dict(line.split() for line in lines)


@cache
def _scripts() -> dict[str, set[str]]:
    found = {language: {script} for script, language in _language_of_script().items()}
    for language, script, *_ in _letters():
        found.setdefault(language, set()).add(script)
    return found


@cache
def _letters() -> list[list[str]]:
    lines = package_lines("thatch.text.language", "data/letters.txt")
    return [line.split() for line in lines]


def _detected(text: str, script: str) -> str | None:
    """Language of a script by the other detector, if it is installed and sure."""
    detector = _detector()
    # With fewer letters, it is often wrong.
    if detector is None or sum(map(str.isalpha, text)) < 40:
        return None
    found = detector.FindLanguage(text.encode("utf-8", "ignore").decode())
    code = found.language.partition("-")[0]
    code = _CODES_OF_DETECTOR.get(code, code)
    if not found.is_reliable or code not in LANGUAGES:
        return None
    # Not Japanese in Latin letters, which it finds in lists of English words.
    return code if script in _scripts().get(code, {script}) else None


@cache
def _detector() -> Any:
    try:
        import gcld3
    except ImportError:
        return None
    return gcld3.NNetLanguageIdentifier(0, _MAX_CHARACTERS)
