import pytest
import Stemmer

from thatch.text.language.languages import guess_language, stemmer_of, stop_words


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Am 3. Oktober wurde die Brücke für den Verkehr gesperrt.", "de"),
        ("La neige est dans les rues et sur le pont de la ville.", "fr"),
        ("La nieve cae en las calles y en el puente que cruza.", "es"),
        ("De sneeuw ligt op het dak van een huis en wordt niet minder.", "nl"),
        ("Snow lay on the roofs of the town, and it was cold.", "en"),
        ("Total 17, gamma 12, delta 5", "en"),
        ("Type O, or type A.", "en"),
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
def test_script_and_small_words_give_the_language_away(text, language):
    assert guess_language(text) == language


def test_every_stemmer_exists():
    languages = ["ar", "ca", "da", "de", "en", "es", "fr", "hu", "it", "pt", "ru", "tr"]
    for language in languages:
        assert stemmer_of(language) in Stemmer.algorithms()


def test_there_are_179_english_stop_words():
    assert len(stop_words("en")) == 179
