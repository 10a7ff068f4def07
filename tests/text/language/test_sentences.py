import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thatch.text.language import sentences as module
from thatch.text.language.sentences import sentence_spans


def sentences(text, language="en"):
    return [text[start:end] for start, end in sentence_spans(text, language=language)]


@given(st.text())
def test_sentences_are_in_order_and_contain_every_visible_character(text):
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


def test_surrogates_are_accepted():
    assert sentences("One \ud800 half. Two.") == ["One \ud800 half.", "Two."]


@pytest.mark.parametrize(
    ("language", "parts"),
    [
        ("en", ["Dr. Hu left at 5 p.m. today. ", 'He said: "No. ', 'Never." ']),
        ("zh", ["雪下了一整天。", "桥关闭了！", "“为什么？”他问。"]),
    ],
)
def test_long_paragraphs_are_cut_as_if_at_once(language, parts, monkeypatch):
    text = "".join(random.Random(0).choices(parts, k=1000))
    in_pieces = sentences(text, language)
    monkeypatch.setattr(module, "_is_costly", lambda text: False)
    assert sentences(text, language) == in_pieces
    assert len(in_pieces) > 500


def test_a_sentence_may_be_longer_than_any_piece():
    long = "雪" * 10_000 + "。"
    assert sentences(f"{long}桥关闭了！{long}", "zh") == [long, "桥关闭了！", long]
    assert sentences(" " * 20_000 + long, "zh") == [long]


def test_a_text_without_an_end_of_a_sentence_is_cut_somewhere():
    text = "![](" * 20_000
    found = sentences(text)
    assert "".join(found) == text
    assert max(map(len, found)) < len(text)


def test_wide_spaces_do_not_stop_the_segmenter():
    """Its Rust code panics on some of them beside an initial."""
    assert sentences("Voir A\u202f.\u00a0“(la neige).") == [
        "Voir A\u202f.\u00a0“(la neige)."
    ]


@given(st.text(alphabet="Aa.! \u00a0\u202f\u2003\u3000“”«»()'\n", max_size=30))
def test_odd_white_space_is_only_white_space(text):
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())
