import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thatch import Selection
from thatch.context.selection.objective import coverage_of, scaled
from thatch.text.relevance.passage_terms import PassageTerms

words = st.sampled_from(["ash", "elm", "fir", "oak", "yew", "sloe", "lime", "pine"])
texts = st.lists(
    st.lists(words, min_size=1, max_size=9).map(" ".join), min_size=1, max_size=6
)


def runs(text):
    terms = text.split()
    return {tuple(terms[k : k + 3]) for k in range(len(terms) - 2)}


@given(texts, st.randoms())
def test_what_chunks_share_is_covered_once(given_texts, random):
    """Against a sum over the distinct runs of the chosen chunks, one by one."""
    size = len(given_texts)
    relevances = np.array([random.choice([0.5, 1.0]) for _ in range(size)])
    costs = np.array([random.choice([3.0, 7.0]) for _ in range(size)])
    terms = PassageTerms.of(given_texts, language="en")
    problem = coverage_of(terms, relevances, costs, 100)
    chosen = [k for k in range(size) if random.random() < 0.5]
    densities = relevances**3 * costs
    runs_of = list(map(runs, given_texts))
    owners_of = {
        run: [k for k in range(size) if run in runs_of[k]]
        for run in set().union(*runs_of)
    }
    value = 0.0
    for k in chosen:
        num_own = sum(len(owners_of[run]) == 1 for run in runs_of[k])
        share = num_own / len(runs_of[k]) if runs_of[k] else 1.0
        value += densities[k] * share
    for owners in owners_of.values():
        worths = [densities[k] / len(runs_of[k]) for k in owners if k in chosen]
        if len(owners) > 1 and worths:
            value += max(worths)
    assert Selection.of(problem, chosen).value == pytest.approx(value)


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=20))
def test_scaled_scores_keep_their_order(scores):
    found = scaled(np.array(scores))
    assert ((found > 0) & (found <= 1)).all()
    for k, score in enumerate(scores):
        better = found[np.array(scores) >= score]
        assert (better >= found[k]).all()


def test_the_best_score_becomes_one():
    assert scaled(np.array([0.2, 0.1])).tolist() == [1, 0.5]
    assert scaled(np.array([-3.0, -1.0]))[1] > scaled(np.array([-3.0, -1.0]))[0]
    assert scaled(np.zeros(2)).tolist() == [1, 1]
    assert scaled(np.array([1e308, -1e308])).tolist() == [1, 0.01]


@given(texts)
def test_with_few_edges_what_many_chunks_share_counts_in_each_of_them(given_texts):
    size = len(given_texts)
    terms = PassageTerms.of(given_texts, language="en")
    relevances, costs = np.ones(size), np.full(size, 5.0)
    shared = coverage_of(terms, relevances, costs, 100)
    apart = coverage_of(terms, relevances, costs, 100, max_edges=0)
    assert apart.num_edges == size
    for k in range(size):
        alone = Selection.of(apart, [k]).value
        assert alone == pytest.approx(Selection.of(shared, [k]).value) == 5.0
    assert Selection.of(apart, range(size)).value == pytest.approx(5.0 * size)


def test_the_rarest_runs_stay_shared():
    """Three chunks have the first run; two of them also have the second."""
    given_texts = ["ash elm fir", "ash elm fir oak", "ash elm fir oak"]
    terms = PassageTerms.of(given_texts, language="en")
    costs = np.full(3, 6.0)
    problem = coverage_of(terms, np.ones(3), costs, 100, max_edges=3)
    assert Selection.of(problem, [1, 2]).value == pytest.approx(9.0)
    assert Selection.of(problem, [0, 1]).value == pytest.approx(12.0)
