from concurrent.futures import ThreadPoolExecutor

import pytest
import Stemmer

from thatch.text.language import words
from thatch.text.language.languages import stop_words
from thatch.text.language.terms import Terms, _stop_terms, spellings
from thatch.text.language.words import surface_words, words_of

TEXTS = ["The parties voted again.", "Voting parties agree; they vote.", ""]


def test_terms_are_the_stems_of_the_words():
    stemmer = Stemmer.Stemmer("english")
    expected = [stemmer.stemWords(words_of(text)) for text in TEXTS]
    assert list(Terms("en").of_each(TEXTS)) == expected


def test_terms_may_stay_words():
    assert list(Terms("en", is_stemmed=False).of_each(["Parties!"])) == [["parties"]]


def test_a_language_without_stemmer_keeps_its_words():
    assert list(Terms("ka").of_each(["თოვლი და"])) == [["თოვლი", "და"]]


def test_parts_of_chinese_stop_words_are_not_stop_terms(monkeypatch):
    monkeypatch.setattr(words, "_breaker", lambda: None)
    assert "许多" in stop_words("zh")
    _stop_terms.cache_clear()
    assert "的" in Terms("zh").stop_terms()
    assert "许" not in Terms("zh").stop_terms()
    _stop_terms.cache_clear()


def test_with_icu_chinese_has_words():
    pytest.importorskip("icu4py")
    assert list(Terms("zh").of_each(["人类家庭"])) == [["人类", "家庭"]]
    assert "许多" in Terms("zh").stop_terms()


def test_other_languages_have_their_own_stems():
    assert list(Terms("de").of_each(["Häuser"])) == [["haus"]]


def test_threads_do_not_mix_their_stems():
    texts = [f"running parties voted word{k}s" for k in range(500)]
    alone = list(Terms("en").of_each(texts))
    with ThreadPoolExecutor(4) as pool:
        together = pool.map(lambda _: list(Terms("en").of_each(texts)), range(8))
    assert all(found == alone for found in together)


def test_stop_terms_are_what_stop_words_become():
    stop = Terms("en").stop_terms()
    assert {"the", "be", "veri"} <= stop
    assert "vote" not in stop
    assert {"le", "avec"} <= Terms("fr").stop_terms()
    assert Terms("cu").stop_terms() == frozenset()


def test_the_most_frequent_spelling_is_shown():
    def shown(*texts):
        terms = list(Terms("en").of_each(texts))
        return spellings([surface_words(text) for text in texts], terms)

    assert shown(*TEXTS)["vote"] in {"voted", "Voting", "vote"}
    assert shown("All votes, votes, vote.")["vote"] == "votes"
    assert shown("Council of Paris.", "The council of Paris.")["council"] == "council"
    assert shown("Council of Paris.", "The council of Paris.")["pari"] == "Paris"
    assert shown("NATO met.", "Then NATO left.")["nato"] == "NATO"
    assert shown("") == {}
