from concurrent.futures import ThreadPoolExecutor

import Stemmer

from thatch.text.language.terms import Terms
from thatch.text.language.words import words_of

TEXTS = ["The parties voted again.", "Voting parties agree; they vote.", ""]


def test_terms_are_the_stems_of_the_words():
    stemmer = Stemmer.Stemmer("english")
    expected = [stemmer.stemWords(words_of(text)) for text in TEXTS]
    assert list(Terms("en").of_each(TEXTS)) == expected


def test_terms_may_stay_words():
    assert list(Terms("en", is_stemmed=False).of_each(["Parties!"])) == [["parties"]]


def test_a_language_without_stemmer_keeps_its_words():
    assert list(Terms("zh").of_each(["中文"])) == [["中", "文"]]


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
    assert Terms("fr").stop_terms() == frozenset()


def test_the_most_frequent_spelling_is_shown():
    assert Terms("en").spellings(TEXTS)["vote"] in {"voted", "voting", "vote"}
    assert Terms("en").spellings(["Votes, votes, vote."]) == {"vote": "votes"}
