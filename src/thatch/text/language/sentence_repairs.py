"""Repairs of sentences: false ends are undone, and ends that are missing are added.

The segmenter does not know the full stop of Khmer, the spaces that end Thai sentences,
many abbreviations, ordinals and numbered lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from thatch.files.reading import package_lines
from thatch.text.language.languages import stop_words

_Span = tuple[int, int]

# How much of the text around an end is looked at.
_CHARACTERS_BEFORE, _CHARACTERS_AFTER = 60, 24
# Most characters of the number of a list item, with its brackets or full stop.
_MAX_NUMBER_CHARACTERS = 5

_LAST_WORD = re.compile(r"([^\s(\[\"'’„“«]+)\.\Z")  # noqa: RUF001
_LIST_NUMBER = re.compile(r"[(\[]?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,4})[.)]")
# Names of code are ASCII: a full stop before a Chinese word ends a sentence.
_NAME = re.compile(r"[A-Za-z]\w*", re.ASCII)
# "x? y : z", and "rose to 3. 5 percent": a sentence does not begin with a single digit.
_TERNARY = re.compile(r"[\w.]+ ?: ?\w")
_DIGIT, _THOUSANDS = re.compile(r"\d(?!\d|[.)] )"), re.compile(r"\d{3}\b")
_ENDS_WITH_NUMBER = re.compile(r"(?<![\d.,])\d{1,3}\.\Z")
# The segmenter takes these for the middle of a sentence, whatever follows.
_ETC = re.compile(r"\b(?:etc|ecc|itd|itp|atd|apod|т\. ?[дп]|тощо)\. (?=\S)")
# It does not end sentences before "I'm" either.
_BEFORE_I = re.compile(r"(?<=[a-z])(\.(?:\.\.)?) +(?=I(?: |['\u2019][a-z]))")
# A number between a word of these and a noun is an ordinal.
_GERMAN_ORDINAL = re.compile(
    r"\b(?:[Dd](?:er|ie|as|en|em|es)|[AaIi]m|[Vv]om|[Zz]u[mr]|[Bb]eim|[Aa]b|[Ss]eit)"
    r" \d{1,3}\.\Z"
)

# After a quotation, a Japanese sentence goes on with a particle, and a Chinese one with
# who said it.
_GOES_ON = {
    "ja": re.compile("[とのをはがにもへ、，」』）]|って|など|で[は、す]"),  # noqa: RUF001
    "zh": re.compile(
        "[，、”’」』）]|(?:[他她我你它]们?|老师|孩子|记者)?[^，。！？]{0,4}?[说问道答喊]"  # noqa: RUF001
    ),
}
_CLOSING = tuple('」』）”’"')  # noqa: RUF001

_THAI_LETTER = re.compile("[\u0e00-\u0eff]")
_SPACE = re.compile(r"\s+")
# A point after one of these is the name of a folder: "pip install '.[plot]'".
_BEFORE_FOLDER = tuple(" '\"`")
# Words that continue a sentence, in Thai and in Lao.
_CONNECTIVE = re.compile(
    "ซึ่ง|และ|หรือ|ที่|ว่า|โดย|เพื่อ|แต่|ฯ|ๆ|ແລະ|ຫຼື|ຫລື|ທີ່|ວ່າ|ໂດຍ|ເພື່ອ|ແຕ່|ຊຶ່ງ|ເຊິ່ງ|ໆ"
)
_KHMER_END = re.compile('[។៕!?]+[»”")]*(?=\\s|\\Z)(?!\\s*ល។)')


def repaired(spans: Iterable[_Span], text: str, language: str) -> Iterator[_Span]:
    """Return spans of sentences, joined and divided where the segmenter erred.

    The text has plain spaces for all white space.

    >>> text = "TP. HCM là thành phố lớn."
    >>> list(repaired([(0, 3), (4, 25)], text, "vi"))
    [(0, 25)]
    """
    divide = _DIVIDE.get(language)
    if divide is not None:
        spans = (part for span in spans for part in divide(text, *span))
    previous: _Span | None = None
    list_number = 0
    for start, end in spans:
        if previous is None:
            is_end = False
        elif end - start > _MAX_NUMBER_CHARACTERS:
            is_end = _is_end(text, *previous, start, language)
        else:
            number = _number(text, start, end)
            # A number on its own begins the next item of a list, or ends a sentence.
            is_item = number in (None, 1, list_number + 1)
            is_end = is_item and _is_end(text, *previous, start, language)
        if previous is not None and is_end:
            yield previous
            previous = None
        if previous is None:
            list_number = _number(text, start, end) or list_number
        previous = (start if previous is None else previous[0]), end
    if previous is not None:
        yield previous


def _number(text: str, start: int, end: int) -> int | None:
    """The number that is all of text[start:end], with a full stop or a bracket."""
    if end - start > _MAX_NUMBER_CHARACTERS or text[end - 1] not in ".)":
        return None
    digits = text[start : end - 1]
    return int(digits) if digits.isdecimal() else None


def _is_end(text: str, first: int, end: int, start: int, language: str) -> bool:
    # Most sentences of English are beyond doubt.
    is_clear = (
        language == "en"
        and start > end > first + _MAX_NUMBER_CHARACTERS
        and text[start].isupper()
    )
    return is_clear or not _is_false_end(text, first, end, start, language)


def _is_false_end(text: str, first: int, end: int, start: int, language: str) -> bool:
    """Whether text[first:end] is no whole sentence, and text[start:] continues it."""
    last = text[end - 1]
    if last == ".":
        return _is_false_stop(text, first, end, start, language)
    if last == ")":
        return _is_list_number(text, first, end)
    if last == "၊":  # the comma of Burmese
        return True
    after = text[start : start + _CHARACTERS_AFTER]
    if last in "!?":
        is_operator = after.startswith("{") or (
            start == end
            and (after.startswith(("()", "=")) or _is_prefix(text, first, end))
        )
        return is_operator or (after[0].islower() and bool(_TERNARY.match(after)))
    goes_on = _GOES_ON.get(language)
    if goes_on is None:
        return False
    is_quoted = last in _CLOSING or after.startswith(_CLOSING)
    return is_quoted and goes_on.match(after) is not None


def _is_prefix(text: str, first: int, end: int) -> bool:
    """Whether the mark before text[end:] begins a word, as in "?Sized" and "#![x]"."""
    return end - 2 >= first and (text[end - 2].isspace() or text[end - 2] == "#")


def _is_list_number(text: str, first: int, end: int) -> bool:
    is_short = end - first <= _MAX_NUMBER_CHARACTERS
    return is_short and _LIST_NUMBER.fullmatch(text, first, end) is not None


def _is_false_stop(text: str, first: int, end: int, start: int, language: str) -> bool:
    if _is_list_number(text, first, end):
        return True
    following = text[start]
    if text[end - 2 : end - 1] in _BEFORE_FOLDER and not following.isupper():
        return True
    if start == end:
        # "Dipl.-Ing.", ".NET", "S.N.C.F."
        before = text[max(first, end - 3) : end - 1]
        is_initial = before[-1:].isupper() and not before[:-1].isalnum()
        return (
            following in "-,;:/="
            or before[-1:].isspace()
            or is_initial
            or _is_dotted_name(text, end, language)
        )
    if following.isupper() and language == "en":
        return False
    before = text[max(first, end - _CHARACTERS_BEFORE) : end]
    found = _LAST_WORD.search(before)
    word = found[1] if found else ""
    always, before_numbers = _abbreviations(language)
    lowered = word[:1].lower() + word[1:]
    if not always.isdisjoint((word, lowered, lowered.rpartition("-")[2].lower())):
        return True
    if following.isdigit():
        if lowered in before_numbers or ("." in word and language != "en"):
            return True
        after = text[start : start + _CHARACTERS_AFTER]
        return _ENDS_WITH_NUMBER.search(before) is not None and bool(
            _DIGIT.match(after) or (language != "en" and _THOUSANDS.match(after))
        )
    # But "iPhone" may begin a sentence.
    is_lower = following.islower() and not text[start + 1 : start + 2].isupper()
    if is_lower and language != "en":
        # Abbreviations are short, or have a full stop inside.
        is_short = len(word) <= 5 or "." in word
        # Who begins sentences in lower case begins all of them so.
        return is_short and not text[first].islower()
    return language == "de" and _GERMAN_ORDINAL.search(before) is not None


def _is_dotted_name(text: str, end: int, language: str) -> bool:
    """Whether the full stop before text[end:] is within a name of code.

    "subprocess.Popen" is one, but in "We left.The road" the next sentence begins.
    """
    found = _NAME.match(text, end)
    before = text[end - 2 : end - 1]
    if found is None or not (before.isascii() and before.isalnum()):
        return False
    return found[0].lower() not in stop_words(language)


@cache
def _abbreviations(language: str) -> tuple[frozenset[str], frozenset[str]]:
    """Abbreviations before any word, and those before numbers only."""
    for line in package_lines("thatch.text.language", "data/abbreviations.txt"):
        code, *words = line.split()
        if code == language:
            k = words.index("+") if "+" in words else len(words)
            return frozenset(words[:k]), frozenset(words[k + 1 :])
    return frozenset(), frozenset()


def _at_spaces(text: str, first: int, end: int) -> Iterator[_Span]:
    """Parts of a Thai or Lao text, which end at a space behind enough letters."""
    start, place, num_letters, num_open = first, first, 0, 0
    for space in _SPACE.finditer(text, first, end):
        left, right = space.span()
        num_letters += len(_THAI_LETTER.findall(text, place, left))
        num_open += text.count("(", place, left) - text.count(")", place, left)
        place = right
        if (
            num_letters >= 40
            and num_open <= 0
            and not text[left - 1].isdigit()
            and _THAI_LETTER.match(text, right)
            and not _CONNECTIVE.match(text, right)
        ):
            yield start, left
            start, num_letters, num_open = right, 0, 0
    yield start, end


def _lao_parts(text: str, first: int, end: int) -> Iterator[_Span]:
    # Lao has full stops. Where there is none in that many characters, it is split like
    # Thai.
    if end - first <= 300:
        return iter([(first, end)])
    return _at_spaces(text, first, end)


def _khmer_parts(text: str, first: int, end: int) -> Iterator[_Span]:
    start = first
    for found in _KHMER_END.finditer(text, first, end):
        yield start, found.end()
        space = _SPACE.match(text, found.end(), end)
        start = space.end() if space else found.end()
    if start < end:
        yield start, end


def _before_i(text: str, first: int, end: int) -> Iterator[_Span]:
    start = first
    for found in _BEFORE_I.finditer(text, first, end):
        last = _LAST_WORD.search(text, start, found.start() + 1)
        if last and ("." in last[1] or last[1] in _abbreviations("en")[0]):
            continue
        yield start, found.end(1)
        start = found.end()
    yield start, end


def _at_etc(text: str, first: int, end: int) -> Iterator[_Span]:
    start = first
    for found in _ETC.finditer(text, first, end):
        if text[found.end()].isupper():
            yield start, found.end() - 1
            start = found.end()
    yield start, end


_DIVIDE = {
    "en": _before_i,
    "th": _at_spaces,
    "lo": _lao_parts,
    "km": _khmer_parts,
} | dict.fromkeys(("ca", "cs", "es", "fr", "it", "pl", "pt", "ro", "ru", "uk"), _at_etc)
