from hypothesis import given
from hypothesis import strategies as st

from thatch.text.language.word_numbers import numbered_words
from thatch.text.language.words import words_of

texts = st.lists(st.text(max_size=60) | st.from_regex(r"[a-z ]{0,90}", fullmatch=True))


@given(texts)
def test_words_are_those_of_each_text(given_texts):
    numbers, lengths, words = numbered_words(given_texts)
    expected = [words_of(text) for text in given_texts]
    assert [words[k] for k in numbers] == [word for each in expected for word in each]
    assert lengths.tolist() == list(map(len, expected))
    assert words == list(dict.fromkeys(word for each in expected for word in each))


def test_words_that_differ_at_the_end_are_told_apart():
    ends = [f"{'a' * count}{end}" for count in (7, 8, 63, 64, 65, 999) for end in "bc"]
    _, _, words = numbered_words([" ".join(ends)])
    assert words == ends
