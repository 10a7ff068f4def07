import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from thatch.text.language.terms import Terms
from thatch.text.relevance.passage_terms import PassageTerms

words = st.sampled_from(["snow", "snows", "Ferry", "ferries", "the", "pier", "of", "é"])
texts = st.lists(st.lists(words, max_size=8).map(" ".join), max_size=6)


def names(terms):
    """The terms of each passage, by name."""
    shown = {number: term for term, number in terms.vocabulary.items()}
    return [
        [shown[k] for k in terms.terms[terms.owners == p].tolist()]
        for p in range(terms.num_passages)
    ]


@given(texts)
def test_terms_are_stems_without_stop_words(given_texts):
    stop = Terms("en").stop_terms()
    expected = [
        [term for term in each if term not in stop]
        for each in Terms("en").of_each(given_texts)
    ]
    assert names(PassageTerms.of(given_texts, language="en")) == expected


@given(texts, st.randoms())
def test_a_restriction_has_the_terms_of_its_passages(given_texts, random):
    terms = PassageTerms.of(given_texts, language="en")
    kept = random.sample(range(len(given_texts)), len(given_texts) // 2)
    restricted = terms.restricted_to(np.array(kept, dtype=np.int64))
    assert names(restricted) == [names(terms)[p] for p in kept]


@given(texts)
def test_labels_are_added_to_their_passages(given_texts):
    terms = PassageTerms.of(given_texts, language="en")
    labels = [f"label{k % 2}" if k % 3 else "" for k in range(len(given_texts))]
    labeled = terms.with_labels(labels)
    assert names(labeled) == [
        [*own, *([label] if label else [])]
        for own, label in zip(names(terms), labels, strict=True)
    ]


def test_counts_of_terms_that_no_passage_has_are_zero():
    terms = PassageTerms.of(["Snow on snow.", "A pier."], language="en")
    found = terms.counts(["snow", "ferri", "pier"])
    assert found.tolist() == [[2, 0, 0], [0, 0, 1]]


def test_document_frequencies_count_passages():
    terms = PassageTerms.of(["Snow on snow.", "Snow.", "A pier."], language="en")
    assert terms.document_frequencies[terms.vocabulary["snow"]] == 2
    snow, pier = (terms.vocabulary[term] for term in ("snow", "pier"))
    assert terms.rarities[pier] > terms.rarities[snow]


def test_every_language_of_a_pool_has_its_stems():
    german = "Die Fähren fahren über den Fluss, und die Häuser stehen am Ufer."
    english = "The ferries cross the river, and the houses stand on its bank."
    terms = PassageTerms.of([german, english] * 3)
    assert set(terms.languages) == {"de", "en"}
    query = terms.of_query("houses Häuser")
    assert {"hous", "haus"} <= query.keys()
    assert terms.counts(["hous", "haus"]).tolist() == [[0, 1], [1, 0]] * 3


def test_a_few_foreign_words_change_no_language():
    texts = ["The ferries cross the river, and the houses stand on its bank."] * 15
    texts.append("Die Fähren fahren über den Fluss, und die Häuser stehen am Ufer.")
    assert PassageTerms.of(texts).languages == ("en",)


def test_no_texts_have_no_terms():
    terms = PassageTerms.of([])
    assert (terms.num_passages, terms.num_terms, terms.pairs.size) == (0, 0, 0)
