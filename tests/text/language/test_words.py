import json
import string
from pathlib import Path
from unicodedata import normalize

import pytest
from cases import for_each
from hypothesis import given
from hypothesis import strategies as st

from thatch.text.language import words
from thatch.text.language.languages import is_unspaced
from thatch.text.language.words import count_words, surface_words, words_of

TEXTS = json.loads(
    (Path(__file__).parents[2] / "data" / "languages.json").read_text(encoding="utf-8")
)


@pytest.fixture
def without_icu(monkeypatch):
    monkeypatch.setattr(words, "_breaker", lambda: None)


def of_icu(kind, text, language):
    breakers = pytest.importorskip("icu4py.breakers")
    pieces = getattr(breakers, f"{kind}Breaker")(text, language)
    return [piece for piece in pieces if any(map(str.isalnum, piece))]


@for_each("language", TEXTS)
def test_words_are_those_of_icu(language):
    for text in TEXTS[language]["sentences"]:
        expected = [w.lower() for w in of_icu("Word", text, language)]
        assert words_of(text) == expected


@for_each("language", TEXTS)
def test_words_and_characters_are_counted_as_icu_does(language):
    kind = "Character" if is_unspaced(language) else "Word"
    for text in TEXTS[language]["sentences"]:
        # A hyphen does not end a word, as in `wc`.
        text = text.replace("-", "").replace("\u2010", "")
        assert count_words(text) == len(of_icu(kind, text, language))


@for_each("language", TEXTS)
@pytest.mark.usefixtures("without_icu")
def test_without_icu_no_language_falls_to_parts_of_letters(language):
    for text in TEXTS[language]["sentences"]:
        kind = "Character" if is_unspaced(language) else "Word"
        expected = [w.lower() for w in of_icu(kind, text, language)]
        # To ICU, some vowel signs of Burmese are characters of their own.
        found = [word.rstrip("\u102b\u102c\u1038") for word in words_of(text)]
        assert [word.rstrip("\u102b\u102c\u1038") for word in expected] == found


@given(st.text())
def test_every_word_has_its_surface(text):
    words = [normalize("NFC", word.lower()) for word in surface_words(text)]
    if len(words) == len(words_of(text)):
        assert "".join(words) == "".join(words_of(text))


@given(st.text(alphabet=string.printable))
def test_words_of_ascii_are_counted_as_split_does(text):
    assert count_words(text) == len(text.split())


@given(st.text(), st.text())
def test_two_texts_have_no_more_words_together_than_apart(one, other):
    assert count_words(one + other) <= count_words(one) + count_words(other)


@given(st.text())
def test_no_counter_that_splits_at_white_space_finds_more(text):
    assert count_words(text) >= len(text.split())


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("naïve café", 2),
        ("한국어 문장 하나", 3),
        ("我爱北京", 4),
        ("「我爱。」他说。", 4),
        ("。", 1),
        ("我 love 北京", 4),
        ("สวัสดี", 4),
        ("น้ำ", 1),
        ("ភ្នំ", 1),
        ("هذا نص", 2),
        ("हिन्दी में", 2),
        ("新iPhone。iOS很好", 5),
        (".。.。", 1),
    ],
)
def test_scripts_without_spaces_are_counted_by_character(text, count):
    assert count_words(text) == count


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Stop! (Now)", ["stop", "now"]),
        ("ÉCOLE d'été", ["école", "d", "été"]),
        ("snake_case 3.5", ["snake", "case", "3", "5"]),
        ("...", []),
        ("हिन्दी", ["हिन्दी"]),
        ("می‌شود", ["می‌شود"]),
        ("ד״ר כהן", ["ד״ר", "כהן"]),
        ("שָׁלוֹם", ["שָׁלוֹם"]),
        ("كِتَابٌ", ["كِتَابٌ"]),
        ("col·lecció · fi", ["col·lecció", "fi"]),
        ("Zu\u00adsammen", ["zusammen"]),
        ("ẹ̀kọ́ Yorùbá", ["ẹ̀kọ́", "yorùbá"]),
    ],
)
def test_words_are_lower_case_letters_and_digits(text, words):
    assert words_of(text) == words


@pytest.mark.usefixtures("without_icu")
def test_without_icu_a_character_of_chinese_is_a_word():
    assert words_of("東京tower") == ["東", "京", "tower"]
    assert words_of("น้ำ\u200bดี") == ["น้ำ", "ดี"]
