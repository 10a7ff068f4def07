import pytest
from hypothesis import given
from hypothesis import strategies as st

from thatch.text.sentences import sentence_spans


def sentences(text, language="en"):
    return [text[start:end] for start, end in sentence_spans(text, language=language)]


@given(st.text())
def test_sentences_are_in_order_and_hold_every_visible_character(text):
    end = 0
    for start, next_end in sentence_spans(text, language="en"):
        assert end <= start < next_end <= len(text)
        assert not text[end:start].strip()
        assert text[start:next_end] == text[start:next_end].strip()
        end = next_end
    assert not text[end:].strip()


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("", "en", []),
        (" \n ", "en", []),
        ("No full stop", "en", ["No full stop"]),
        ("It cost $3.5 million. He paid.", "en", ["It cost $3.5 million.", "He paid."]),
        ("Wrapped\nline. Next\r\none.", "en", ["Wrapped\nline.", "Next\r\none."]),
        ("今日は晴れ。明日は雨！", "ja", ["今日は晴れ。", "明日は雨！"]),
        ("你好。再见。", "zh", ["你好。", "再见。"]),
        ("यह है। वह था।", "hi", ["यह है।", "वह था।"]),
        ("هل هذا نص؟ نعم.", "ar", ["هل هذا نص؟", "نعم."]),
    ],
)
def test_sentences_end_where_their_language_ends_them(text, language, expected):
    assert sentences(text, language) == expected


def test_half_a_character_does_no_harm():
    assert sentences("One \ud800 half. Two.") == ["One \ud800 half.", "Two."]
