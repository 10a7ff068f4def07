from thatch.rouge import OriginalTokens
from thatch.rouge.text import stop_words


def test_every_stop_word_is_a_token():
    for word in stop_words():
        assert OriginalTokens().of(word) == [word]


def test_words_of_newswire_are_stop_words_and_some_of_smart_are_not():
    assert {"reuters", "jan", "sat", "the", "zero"} < stop_words()
    assert not {"first", "last", "name", "sun"} & stop_words()
    assert len(stop_words()) == 543
