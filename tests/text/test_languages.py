"""Summaries of a text in each of 46 languages: queries, budgets and explanations."""

import json
from pathlib import Path

import pytest
from cases import for_each

from thatch import Summarizer
from thatch.text.language import detection
from thatch.text.language import words as words_module
from thatch.text.language.languages import is_unspaced, stop_words
from thatch.text.language.terms import _stop_terms
from thatch.text.language.words import count_words, words_of

TEXTS = json.loads(
    (Path(__file__).parents[1] / "data" / "languages.json").read_text(encoding="utf-8")
)
TIGHT = {"zh", "ja"}


@pytest.fixture(params=["with the extra", "without it"], autouse=True)
def extra(request, monkeypatch):
    if request.param == "without it":
        monkeypatch.setattr(words_module, "_breaker", lambda: None)
        monkeypatch.setattr(detection, "_detector", lambda: None)
    else:
        pytest.importorskip("icu4py")
        pytest.importorskip("gcld3")
    _stop_terms.cache_clear()
    yield
    _stop_terms.cache_clear()


def text_in(language):
    return ("" if language in TIGHT else " ").join(TEXTS[language]["sentences"])


@for_each("language", TEXTS)
def test_a_query_finds_its_sentence(language):
    if language == "th" and not words_module.can_segment():
        return  # letters of the query are everywhere
    *_, last = TEXTS[language]["sentences"]
    summarizer = Summarizer(query=TEXTS[language]["query"])
    summary = summarizer.summarize(text_in(language), count_words(last))
    assert summary.text == last


@for_each("language", TEXTS)
def test_a_budget_for_everything_returns_the_text(language):
    text = text_in(language)
    summary = Summarizer().summarize(text, count_words(text))
    assert summary.text == text
    assert summary.cost == count_words(text)


@for_each("language", TEXTS)
def test_characters_add_up_to_the_text(language):
    text = text_in(language)
    assert Summarizer(unit="characters").summarize(text, len(text)).text == text


@for_each("language", TEXTS)
def test_explanations_contain_no_stop_words(language):
    stop = stop_words(language)
    for sentence in Summarizer().summarize(text_in(language), 1000).sentences:
        for concept in sentence.concepts:
            assert concept == "unique words" or not set(words_of(concept)) & stop


@for_each("language", TEXTS)
def test_explanations_show_words_of_the_text(language):
    text = text_in(language)
    for sentence in Summarizer().summarize(text, 1000).sentences:
        for concept in sentence.concepts:
            for word in concept.split():
                assert word in text or concept == "unique words"


@for_each("language", TEXTS)
def test_stop_words_are_a_tenth_to_three_fifths_of_the_text(language):
    if is_unspaced(language) and not words_module.can_segment():
        return  # there are no words without ICU
    words = words_of(text_in(language))
    share = sum(word in stop_words(language) for word in words) / len(words)
    assert 0.1 <= share <= 0.6
