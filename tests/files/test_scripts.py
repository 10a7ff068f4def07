"""Words of a text in any script."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thatch.files.scripts import SCRIPTS, split_words


@given(st.text(st.characters(codec="utf-8")))
def test_words_are_letters_marks_and_digits_and_never_empty(text):
    for word in split_words(text):
        assert word.split() == [word]
        assert "_" not in word


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_words_of_ascii_are_runs_of_letters_and_digits(text):
    assert split_words(text) == re.findall("[A-Za-z0-9]+", text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("人々は", ["人", "々", "は"]),
        ("カ・ナ", ["カ", "ナ"]),
        ("ㇰㇱ", ["ㇰ", "ㇱ"]),
        ("ภาษา ฿5", ["ภ", "า", "ษ", "า", "5"]),
        ("한국어 문장", ["한국어", "문장"]),
    ],
)
def test_scripts_without_spaces_have_one_word_per_character(text, words):
    assert split_words(text) == words


def test_every_script_is_a_valid_character_class():
    for letters in SCRIPTS.values():
        assert re.compile(f"[{letters}]").match(letters[0])
