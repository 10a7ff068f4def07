import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thatch.text.language.words import count_words, words_of


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
        ("هذا نص", 2),
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
        ("東京tower", ["東", "京", "tower"]),
        ("...", []),
    ],
)
def test_words_are_lower_case_letters_and_digits(text, words):
    assert words_of(text) == words
