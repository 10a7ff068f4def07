import pytest
from hypothesis import given
from hypothesis import strategies as st

from thatch.rouge import OriginalTokens, UnicodeTokens

ORIGINAL, UNICODE = OriginalTokens(), UnicodeTokens()


@given(st.text())
def test_original_tokens_are_made_of_ascii_letters_and_digits_alone(line):
    for token in ORIGINAL.of(line):
        assert token.isascii() and token.isalnum() and token == token.lower()


@given(st.text())
def test_splitting_a_line_into_words_preserves_its_tokens(line):
    for tokens in (ORIGINAL, UNICODE):
        assert tokens.of(" ".join(tokens.words_of(line))) == tokens.of(line)


def test_letters_that_only_lower_case_makes_ascii_are_not_seen():
    """The Kelvin sign becomes k, the dotted I becomes i and a mark."""
    assert ORIGINAL.of("\u212aelvin \u0130zmir") == ["elvin", "zmir"]


def test_hyphens_apostrophes_and_underscores_separate():
    assert ORIGINAL.of("U.S.-led don't snake_case") == [
        *("u", "s", "led", "don", "t", "snake", "case")
    ]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a b  c ", ["a", "b", "c"]),
        (" a b", ["", "a", "b"]),
        ("a\tb\vc\fd\re", ["a", "b", "c", "d", "e"]),
        ("a\x1cb", ["a\x1cb"]),
        ("a\u00a0b", ["a?b"]),
        ("", []),
        ("   ", []),
    ],
)
def test_words_that_a_limit_counts_are_those_of_perl(line, words):
    assert ORIGINAL.words_of(line) == words


@pytest.mark.parametrize(
    ("line", "tokens"),
    [
        ("Crème brûlée, s'il vous plaît!", "crème brûlée s il vous plaît"),
        ("हिन्दी में लिखा", "हिन्दी में लिखा"),
        ("ΑΘΗΝΑ Straße", "αθηνα strasse"),
        ("\uff21\uff22\uff11", "ab1"),
        ("한국어 문장", "한국어 문장"),
        ("مرحبا، بالعالم", "مرحبا بالعالم"),
        ("我爱Python3。", "我 爱 python3"),
        ("ภาษา", "ภ า ษ า"),
    ],
)
def test_unicode_tokens_are_words_or_characters_by_script(line, tokens):
    assert UNICODE.of(line) == tokens.split()


@given(st.text(st.characters(codec="utf-8")))
def test_unicode_tokens_contain_no_space_and_are_never_empty(line):
    for token in UNICODE.of(line):
        assert token.split() == [token]
