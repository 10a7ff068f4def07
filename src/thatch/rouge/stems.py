"""Stemmers: that of ROUGE-1.5.5, and those of Snowball."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, ClassVar, Protocol, runtime_checkable

from thatch.errors import InputError
from thatch.files.languages import LANGUAGES, language_code
from thatch.files.reading import package_lines


@runtime_checkable
class Stems(Protocol):
    """A stemmer."""

    @property
    def name(self) -> str:
        """Name in the signature."""

    def of(self, words: list[str]) -> list[str]:
        """Return the stem of each word; words are in lower case."""


@dataclass(frozen=True)
class PorterStems:
    """The stemmer of ROUGE-1.5.5: WordNet's irregular forms, then its Porter rules.

    Words of up to three letters do not change. The base of an irregular form is not
    stemmed again.

    >>> PorterStems().of(["mice", "better", "relational", "was"])
    ['mouse', 'well', 'relat', 'was']
    """

    #: Name in the signature.
    name: ClassVar[str] = "porter+wordnet"

    def of(self, words: list[str]) -> list[str]:
        """Return the stem of each word; words are in lower case."""
        return list(map(_original_stem, words))


@dataclass(frozen=True)
class SnowballStems:
    """The Snowball stemmer of a language, for texts that are not English.

    >>> SnowballStems("german").of(["häuser"])
    ['haus']
    """

    #: Code or name of the language: de, german, fr, french, ...; then its name.
    language: str

    def __post_init__(self) -> None:
        from Stemmer import algorithms

        known = algorithms()
        if self.language not in known:  # some are not called like a language
            name = LANGUAGES[language_code(self.language)]
            object.__setattr__(self, "language", name)
        if self.language not in known:
            raise InputError(
                f"language {self.language!r} has no Snowball stemmer.",
                hint=f"The languages are {', '.join(sorted(known))}. Omit stems "
                "for any other.",
            )

    @property
    def name(self) -> str:
        """Name in the signature."""
        return f"snowball-{self.language}"

    def of(self, words: list[str]) -> list[str]:
        """Return the stem of each word; words are in lower case."""
        stems: list[str] = _snowball(self.language).stemWords(words)
        return stems


@cache
def _snowball(language: str) -> Any:
    from Stemmer import Stemmer

    return Stemmer(language)


@cache
def _irregular_forms() -> dict[str, str]:
    lines = package_lines("thatch.rouge.data", "irregular_forms.txt")
    return dict(line.split(" ") for line in lines)


# More than the words of any vocabulary; a stream of random words must not fill memory.
@lru_cache(1 << 18)
def _original_stem(word: str) -> str:
    if len(word) <= 3:
        return word
    return _irregular_forms().get(word) or porter_stem(word)


_STEP_2 = {
    **{"ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance"},
    **{"izer": "ize", "bli": "ble", "alli": "al", "entli": "ent", "eli": "e"},
    **{"ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate"},
    **{"alism": "al", "iveness": "ive", "fulness": "ful", "ousness": "ous"},
    **{"aliti": "al", "iviti": "ive", "biliti": "ble", "logi": "log"},
}
_STEP_3 = {
    **{"icate": "ic", "ative": "", "alize": "al", "iciti": "ic"},
    **{"ical": "ic", "ful": "", "ness": ""},
}
_STEP_4 = (
    *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement"),
    *("ou", "ism", "ate", "iti", "ous", "ive", "ize"),
)


def porter_stem(word: str) -> str:
    """Stem of an English word by the Porter rules of ROUGE-1.5.5.

    They differ from the published rules in two endings that most programs changed
    (-bli, -logi), and in step 4: after another ending, -ment and -ent are removed too.
    """
    word = _without_plural(word)
    word = _without_past(word)
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = word[:-1] + "i"
    word = _with_ending_replaced(word, _STEP_2)
    word = _with_ending_replaced(word, _STEP_3)
    word = _without_suffix(word)
    return _without_final_e(word)


def _shape(word: str) -> str:
    """The word's pattern of vowels (v) and consonants (c); y after a consonant is v."""
    shape = ""
    for letter in word:
        is_vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if is_vowel else "c"
    return shape


def _measure(word: str) -> int:
    """Number of consonants that follow a vowel: the m of the published rules."""
    return _shape(word).count("vc")


def _is_short(word: str) -> bool:
    """Whether it is consonants, one vowel and one consonant other than w, x or y."""
    return (
        _shape(word).lstrip("c") == "vc"
        and _shape(word) != "vc"
        and word[-1] not in "wxy"
    )


def _without_plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    if word.endswith("s") and len(word) > 1 and word[-2] != "s":
        return word[:-1]
    return word


def _without_past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        stem = word.removesuffix(ending)
        if stem != word and "v" in _shape(stem):
            return _repaired(stem)
    return word


def _repaired(stem: str) -> str:
    """Restore the final e, or undo the doubling of a letter, before -ed and -ing."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if len(stem) > 1 and stem[-1] == stem[-2] and stem[-1] not in "aeiouylsz":
        return stem[:-1]
    return stem + "e" if _is_short(stem) else stem


def _with_ending_replaced(word: str, endings: dict[str, str]) -> str:
    found = [ending for ending in endings if word.endswith(ending)]
    if not found:
        return word
    longest = max(found, key=len)
    stem = word.removesuffix(longest)
    return stem + endings[longest] if _measure(stem) > 0 else word


def _without_suffix(word: str) -> str:
    found = [ending for ending in _STEP_4 if word.endswith(ending)]
    if found:
        word = _without_ending(word, max(found, key=len))
    word = _without_ending(word, "ment")
    if word.endswith("ent"):
        return _without_ending(word, "ent")
    return _without_ending(word, "ion") if word.endswith(("sion", "tion")) else word


def _without_ending(word: str, ending: str) -> str:
    stem = word.removesuffix(ending)
    return stem if stem != word and _measure(stem) > 1 else word


def _without_final_e(word: str) -> str:
    if word.endswith("e"):
        stem = word[:-1]
        measure = _measure(stem)
        if measure > 1 or (measure == 1 and not _is_short(stem)):
            word = stem
    if word.endswith("ll") and _measure(word) > 1:
        word = word[:-1]
    return word
