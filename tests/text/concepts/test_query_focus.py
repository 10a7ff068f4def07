import numpy as np
import pytest
from refusals import refused

import thatch
from thatch.errors import InputError
from thatch.text.concepts.query_focus import QueryFocus, focused
from thatch.text.concepts.schemes import CustomConcepts
from thatch.text.documents.document import Document
from thatch.text.passages.passages import Passages

PASSAGES = Passages.of([Document("Snow fell. Snow melted soon. Rain fell.")])
TABLE = CustomConcepts(lambda text: text.lower().strip(".").split()).weigh(PASSAGES)


def tables(query, passages=PASSAGES, table=TABLE):
    """Shares of the weights of concepts, and the weights of the passages themselves."""
    found, _ = focused(table, passages, query)
    num_concepts = len(table.concepts)
    shares = (found.weights[:num_concepts] / table.weights).tolist()
    return dict(zip(table.names(), shares, strict=True)), found.weights[num_concepts:]


def test_concepts_weigh_by_the_squared_mean_relevance():
    shares, own = tables("melting")
    relevances = (own / np.array(PASSAGES.num_words)) ** (1 / 3)
    relevances /= relevances.max()
    assert np.argmax(relevances) == 1
    assert shares["melted"] == pytest.approx(1)
    assert shares["snow"] == pytest.approx(relevances[:2].mean() ** 2)
    assert shares["fell"] == pytest.approx(relevances[[0, 2]].mean() ** 2)


def test_relevance_weighs_less_if_more_is_relevant_than_the_budget_allows():
    table, share = focused(TABLE, PASSAGES, "melting")
    assert 1 / 3 < share < 1
    focus = QueryFocus.of(table, size=8)
    weights = [
        np.split(focus.at(table, budget).weights, [len(TABLE.concepts)])
        for budget in (4, 8, 80)
    ]
    of_concepts, of_passages = weights[1]
    assert of_passages.sum() == pytest.approx(4 * of_concepts.sum())
    assert weights[0][1] == pytest.approx(of_passages / 8)
    assert weights[2][1] == pytest.approx(of_passages)
    assert all(each[0] == pytest.approx(of_concepts) for each in weights)


def test_a_question_with_one_answer_is_answered():
    text = "Snow fell in May. Snow fell in June. Snow melted. The mayor wore a red hat."
    task = thatch.Summarizer(query="Which hat?").task(text, 0)
    for budget in (6, 12):
        summary = thatch.Summarizer().summary_of(task.with_budget(budget))
        assert "The mayor wore a red hat." in summary.text


def test_relevance_is_not_shown_as_a_concept():
    found, _ = focused(TABLE, PASSAGES, "rain")
    assert found.shown.sum() == len(TABLE.concepts)


def test_words_of_a_query_that_the_text_lacks_change_nothing():
    assert tables("snow zebra")[0] == tables("snow")[0]


def test_stop_words_of_a_query_are_ignored():
    assert tables("what about the rain?")[0] == tables("rain")[0]


def test_a_query_of_stop_words_alone_uses_them():
    passages = Passages.of([Document("Snow fell."), Document("It is on.")])
    table = CustomConcepts(str.split).weigh(passages)
    _, own = tables("on", passages, table)
    assert own[0] == 0 < own[1]


def test_other_forms_of_a_word_match_too():
    assert tables("SNOWS")[0] == tables("snow")[0]


def test_headings_dates_and_speakers_count():
    text = "# North\n\nIt was cold.\n\n# South\n\nIt was warm."
    summary = thatch.Summarizer(query="north").summarize(
        Document.from_markdown(text), 3
    )
    assert summary.text == "It was cold."
    documents = [
        Document("It was cold that day.", date="2024-05-01"),
        Document("It was warm that day.", date="2024-06-02"),
    ]
    assert (
        "warm" in thatch.summarize(documents, 5, query="What was it like in June?").text
    )


def test_the_passage_that_matches_best_is_in_the_summary():
    text = (
        "The ferry leaves at noon. Bread is sold in the market, and the market has "
        "bread, cheese and wine. Wine and cheese are sold with bread in the market."
    )
    assert "noon" in thatch.summarize(text, 20, query="When does the ferry leave?").text


@pytest.mark.parametrize("query", ["?!", "zebra", "the"])
def test_queries_without_a_word_of_the_text_are_named(query):
    with refused(InputError, "query", repr(query)):
        focused(TABLE, PASSAGES, query)


def test_an_empty_text_accepts_any_query():
    passages = Passages.of([Document("")])
    table, _ = focused(CustomConcepts(str.split).weigh(passages), passages, "zebra")
    assert table.weights.size == 0
