from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thatch.text.relevance.passage_terms import PassageTerms
from thatch.text.relevance.ranking import bm25, with_feedback

tables = st.lists(
    st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=1, max_size=6
)


@given(tables, st.lists(st.floats(0.1, 3), min_size=3, max_size=3))
def test_scores_are_those_of_the_formula(rows, weights):
    lengths = [sum(row) + k for k, row in enumerate(rows)]
    found = bm25(
        np.array(rows, dtype=float), np.array(lengths, dtype=float), np.array(weights)
    )
    mean = sum(lengths) / len(rows)
    for row, length, score in zip(rows, lengths, found, strict=True):
        expected = 0.0
        for term, count in enumerate(row):
            df = sum(other[term] > 0 for other in rows)
            idf = log(1 + (len(rows) - df + 0.5) / (df + 0.5))
            norm = 1.2 * (0.25 + 0.75 * length / mean) if mean else 1.0
            expected += weights[term] * idf * count * 2.2 / (count + norm)
        assert score == pytest.approx(expected)


def test_no_terms_score_nothing():
    assert bm25(np.zeros((2, 0)), np.ones(2), np.zeros(0)).tolist() == [0, 0]


def test_feedback_adds_terms_of_the_best_passages():
    texts = [
        "The ferry to the island left the pier.",
        "A ferry needs a pier.",
        "Bread and butter.",
    ]
    terms = PassageTerms.of(texts, language="en")
    query = {"ferri": 1.0}
    counts = terms.counts(list(query))
    expanded = with_feedback(query, terms, bm25(counts, terms.lengths, np.ones(1)))
    assert expanded["ferri"] == max(expanded.values())
    assert expanded["pier"] > 0
    assert "butter" not in expanded
    assert sum(expanded.values()) == pytest.approx(1)


def test_a_query_that_finds_nothing_gets_no_feedback():
    terms = PassageTerms.of(["Bread and butter."], language="en")
    assert with_feedback({"ferri": 1.0}, terms, np.zeros(1)) == {"ferri": 1.0}
