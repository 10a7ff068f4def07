import numpy as np
import pytest
from refusals import refused

from thatch import InputError
from thatch.text.relevance.passage_terms import PassageTerms
from thatch.text.relevance.ranking import centralities, relevances
from thatch.text.relevance.structure import Structure

TALK = [
    "Did you ever get a dog?",
    "Yes, her name is Luna.",
    "The weather was awful.",
    "My sister moved to Oslo.",
    "Luna loves the beach.",
]


def ranked(texts, query, **structure):
    known = {**vars(Structure.unordered(len(texts))), **structure}
    found = relevances(PassageTerms.of(texts, language="en"), query, Structure(**known))
    assert found.max(initial=0) in (0.0, 1.0)
    return found


def test_words_of_the_query_decide():
    assert np.argmax(ranked(TALK, "Who moved to Oslo?")) == 3


def test_the_answer_next_to_the_question_is_found():
    alone = ranked(TALK, "What is the dog called?")
    together = ranked(TALK, "What is the dog called?", runs=np.zeros(5, dtype=np.int64))
    assert alone[1] < 0.3
    assert sorted(range(5), key=lambda p: -together[p])[:2] == [0, 1]


def test_neighbors_of_another_run_get_nothing():
    found = ranked(TALK, "dog", runs=np.array([0, 1, 1, 1, 1]))
    assert found.tolist() == [1, 0, 0, 0, 0]


def test_a_section_that_is_about_the_query_lifts_its_passages():
    texts = ["Ferries leave at noon.", "Bring a coat.", "Bread rises.", "Wait an hour."]
    found = ranked(texts, "ferries", sections=np.array([0, 0, 1, 1]))
    assert found[1] > found[3] == 0


def test_dates_and_titles_count_as_words():
    labels = ["8 May 2023", "9 June 2023", "Ferry times", "", ""]
    assert np.argmax(ranked(TALK, "What happened in June?", labels=labels)) == 1
    assert np.argmax(ranked(TALK, "ferry times", labels=labels)) == 2


def test_the_speaker_whom_the_query_names_is_preferred():
    texts = ["I like tea.", "I like tea.", "Hello."]
    found = ranked(texts, "What tea does Ann like?", speakers=["Bob", "Ann", "Bob"])
    assert found[1] > found[0]


def test_two_named_speakers_are_alike():
    texts = ["I like tea.", "I like tea.", "Hello."]
    found = ranked(texts, "Do Ann and Bob like tea?", speakers=["Bob", "Ann", "Bob"])
    assert found[0] == found[1]


def test_a_query_without_words_in_common_finds_nothing():
    assert ranked(TALK, "quantum").tolist() == [0] * 5


@pytest.mark.parametrize("query", ["", "  ", "?!"])
def test_a_query_without_words_is_refused(query):
    with refused(InputError, repr(query)):
        ranked(TALK, query)


def test_what_many_say_is_central():
    texts = [
        "The ferry was late again.",
        "A late ferry again, and rain.",
        "Rain, and the ferry was late.",
        "Zebras graze.",
    ]
    found = centralities(PassageTerms.of(texts, language="en"))
    assert np.argmin(found) == 3
    assert found.max() == 1


def test_where_nothing_is_shared_all_are_central():
    terms = PassageTerms.of(["Ferry.", "Bread."], language="en")
    assert centralities(terms).tolist() == [1, 1]
    assert centralities(PassageTerms.of([])).tolist() == []
