import pytest
import Stemmer

from thatch.text.languages import guess_language, stemmer_of, stop_words


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("", "en"),
        ("12 345 !", "en"),
        ("Plain words", "en"),
        ("Это русский текст", "ru"),
        ("今日は晴れです", "ja"),
        ("中文没有空格", "zh"),
        ("한국어 문장", "ko"),
        ("هذا نص عربي", "ar"),
        ("זה טקסט", "he"),
        ("यह हिन्दी है", "hi"),
        ("Ελληνικά κείμενα", "el"),
        ("A long English text that quotes one word: привет", "en"),
    ],
)
def test_the_script_gives_the_language_away(text, language):
    assert guess_language(text) == language


def test_every_stemmer_exists():
    languages = ["ar", "ca", "da", "de", "en", "es", "fr", "hu", "it", "pt", "ru", "tr"]
    for language in languages:
        assert stemmer_of(language) in Stemmer.algorithms()


def test_there_are_179_english_stop_words():
    assert len(stop_words("en")) == 179
