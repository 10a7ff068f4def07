import pytest
from refusals import refused

from thatch.errors import InputError
from thatch.text.concepts.query_focus import focused
from thatch.text.concepts.schemes import CustomConcepts
from thatch.text.documents.document import Document
from thatch.text.passages.passages import Passages

PASSAGES = Passages.of([Document("Snow fell. Snow melted soon. Rain fell.")])
TABLE = CustomConcepts(lambda text: text.lower().strip(".").split()).weigh(PASSAGES)


def shares(query):
    """By how much the query changes the weight of each concept."""
    table = focused(TABLE, PASSAGES, query)
    shares = (table.weights / TABLE.weights).tolist()
    return dict(zip(table.names(), shares, strict=True))


def test_weights_are_multiplied_by_the_squared_mean_relevance():
    """Of three passages two have snow, ln 4/2, and one melts, ln 4/1: a third, two."""
    found = shares("snow that melts")
    assert found["snow"] == pytest.approx(((1 / 3 + 1) / 2) ** 2)
    assert found["soon"] == pytest.approx(1.0)
    assert found["fell"] == pytest.approx(((1 / 3 + 0) / 2) ** 2)
    assert found["rain"] == 0


def test_words_of_a_query_that_the_text_lacks_change_nothing():
    assert shares("snow zebra") == shares("snow")


def test_stop_words_of_a_query_are_ignored():
    assert shares("what about the rain?") == shares("rain")


def test_a_query_of_stop_words_alone_uses_them():
    passages = Passages.of([Document("It is on. Snow fell.")])
    table = CustomConcepts(str.split).weigh(passages)
    weights = focused(table, passages, "on").weights / table.weights
    assert weights.tolist() == pytest.approx([1, 1, 1, 0, 0])


def test_other_forms_of_a_word_match_too():
    assert shares("SNOWS") == shares("snow")


def test_concepts_and_their_passages_do_not_change():
    table = focused(TABLE, PASSAGES, "rain")
    assert table.concepts == TABLE.concepts
    assert table.concept_indices is TABLE.concept_indices


@pytest.mark.parametrize("query", ["?!", "zebra", "the"])
def test_queries_without_a_word_of_the_text_are_named(query):
    with refused(InputError, "query", repr(query)):
        focused(TABLE, PASSAGES, query)


def test_an_empty_text_accepts_any_query():
    passages = Passages.of([Document("")])
    table = focused(CustomConcepts(str.split).weigh(passages), passages, "zebra")
    assert table.weights.size == 0
