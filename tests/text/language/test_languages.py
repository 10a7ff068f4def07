from unicodedata import normalize

import Stemmer

from thatch.files.languages import LANGUAGES
from thatch.text.language.languages import stemmer_of, stop_words


def test_every_stemmer_exists():
    for language in [
        "ar",
        "ca",
        "da",
        "de",
        "en",
        "es",
        "fr",
        "hu",
        "it",
        "nb",
        "pt",
        "ru",
        "tr",
    ]:
        assert stemmer_of(language) in Stemmer.algorithms()


def test_there_are_179_english_stop_words():
    assert len(stop_words("en")) == 179


def test_other_languages_have_lists_too():
    lists = [code for code in LANGUAGES if stop_words(code)]
    assert len(lists) >= 60
    assert all(len(stop_words(code)) >= 30 for code in lists)
    assert stop_words("nb") == stop_words("no")


def test_stop_words_are_small_words_as_texts_contain_them():
    for code in LANGUAGES:
        for word in stop_words(code):
            assert word == normalize("NFC", word.lower())
            assert any(map(str.isalpha, word))


def test_words_with_a_meaning_of_their_own_are_not_among_them():
    content = (
        "recht état estado trabajo человек право vita paese rätt حق 人 tahun người"
    )
    assert not {word for code in LANGUAGES for word in stop_words(code)} & set(
        content.split()
    )
