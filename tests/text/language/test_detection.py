import json
from pathlib import Path

import pytest
from cases import for_each

from thatch.text.language import detection
from thatch.text.language.detection import guess_language, guess_languages

TEXTS = json.loads(
    (Path(__file__).parents[2] / "data" / "languages.json").read_text(encoding="utf-8")
)


@pytest.fixture(params=["with the detector", "without it"])
def detector(request, monkeypatch):
    if request.param == "without it":
        monkeypatch.setattr(detection, "_detector", lambda: None)
    else:
        pytest.importorskip("gcld3")


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
        ("\u00bf", "en"),
        ("Plain words", "en"),
        ("The grey owls, black cats. The grey owls, black cats.", "en"),
        ("Это русский текст", "ru"),
        ("今日は晴れです", "ja"),
        ("中文没有空格", "zh"),
        ("한국어 문장", "ko"),
        ("هذا نص عربي", "ar"),
        ("זה טקסט", "he"),
        ("यह हिन्दी है", "hi"),
        ("Ελληνικά κείμενα", "el"),
        ("A long English text that quotes one word: привет", "en"),
        ("🎉 \ud800", "en"),
    ],
)
@pytest.mark.usefixtures("detector")
def test_script_and_small_words_give_the_language_away(text, language):
    assert guess_language(text) == language


@for_each("language", TEXTS)
@pytest.mark.usefixtures("detector")
def test_a_paragraph_is_enough(language):
    assert guess_language(" ".join(TEXTS[language]["sentences"])) == language


@pytest.mark.usefixtures("detector")
def test_every_text_has_a_language_of_its_own():
    codes = ["de", "vi", "ja", "uk", "en"]
    texts = [" ".join(TEXTS[code]["sentences"]) for code in codes]
    assert guess_languages(texts) == codes


@pytest.mark.usefixtures("detector")
def test_short_texts_have_the_language_of_the_others():
    long = " ".join(TEXTS["fi"]["sentences"])
    assert guess_languages(["Nokia 3310", long, "42"]) == ["fi", "fi", "fi"]


def test_the_detector_gets_no_surrogates_and_no_unknown_codes(monkeypatch):
    class Detector:
        def FindLanguage(self, text):
            text.encode()
            return type("Found", (), {"language": "xx-Latn", "is_reliable": True})

    monkeypatch.setattr(detection, "_detector", Detector)
    assert guess_language("Xyz abcde fghij \ud800" * 10) == "en"
