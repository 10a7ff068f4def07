from collections import defaultdict
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thatch import summarize
from thatch.text.concepts.salience import Salience, prominence
from thatch.text.documents.document import Document
from thatch.text.language.terms import Terms
from thatch.text.passages.passages import Passages

TEXTS = [
    "Old snow fell on the town. The town slept. Old snow lay.",
    "The town had old snow. Nobody slept in the town.",
]


def prominence_by_hand(passages, document, place):
    """L^1.5 ([k = 0] + 2 / (1 + k/L)), twice that for up to five documents.

    For one document 2.5 times that, and [k = 0] twice.
    """
    count = sum(passage.document == document for passage in passages)
    length = max(1.0, count / 40)
    num_documents = len(passages.documents)
    first = (place == 0) * (2 if num_documents == 1 else 1)
    score = length**1.5 * (first + 2 / (1 + place / length))
    return {1: 2.5}.get(num_documents, 2 if num_documents <= 5 else 1) * score


def weights_by_hand(passages):
    """(s + d + e)^1.5, times the worth of the kind, straight from the text."""
    terms = Terms(passages.language)
    stop = terms.stop_terms()
    places = defaultdict(dict)
    holders = defaultdict(set)
    held = terms.of_each(p.text for p in passages)
    for k, (passage, found) in enumerate(zip(passages, held, strict=True)):
        for concept in [*found, *pairwise(found)]:
            holders[concept].add(k)
            places[concept].setdefault(passage.document, passage.position)
    least = 2 if len(passages) >= 50 else 1
    num_documents = len(passages.documents)
    share = 10 / min(max(num_documents, 10), 25)
    weights = {}
    for concept, sentences in holders.items():
        is_pair = isinstance(concept, tuple)
        if len(sentences) < (2 if is_pair else least):
            continue
        if is_pair and num_documents >= 25 and len(places[concept]) < 3:
            continue
        times = share * len(sentences) + len(places[concept])
        times += sum(
            prominence_by_hand(passages, document, place)
            for document, place in places[concept].items()
        )
        is_stop = stop.issuperset(concept if is_pair else [concept])
        worth = {(1, 0): 1.0, (1, 1): 0.25, (0, 0): 0.2, (0, 1): 0.1}[is_pair, is_stop]
        weights[concept] = worth * times**1.5 * (1 if is_pair else share**2)
    return weights


@given(
    st.lists(
        st.lists(st.sampled_from(TEXTS[0].split()), min_size=1, max_size=9).map(
            " ".join
        ),
        min_size=1,
        max_size=6,
    )
)
def test_concepts_weigh_what_the_rule_says(texts):
    passages = Passages.of([Document(text) for text in texts])
    table = Salience().weigh(passages)
    weights = {
        concept: weight
        for concept, weight in zip(table.concepts, table.weights, strict=True)
        if concept != "unique words"
    }
    assert weights == pytest.approx(weights_by_hand(passages))


def test_what_one_of_many_sentences_says_alone_is_worth_next_to_nothing():
    texts = [*TEXTS, *["Snow lay."] * 50]
    table = Salience().weigh(Passages.of([Document(text) for text in texts]))
    own = [
        (int(p), float(table.weights[a]) / table.weights.max())
        for p, a in zip(table.passage_indices, table.concept_indices, strict=True)
        if table.concepts[a] == "unique words"
    ]
    assert own == [
        (0, pytest.approx(2e-4)),  # fell, on
        (3, pytest.approx(1e-4)),  # had
        (4, pytest.approx(2e-4)),  # nobody, in
    ]


MANY = [f"Snow lay on hill {k // 2}." for k in range(50)]


@pytest.mark.parametrize(
    "texts", [[*TEXTS, *MANY], [*TEXTS, *MANY[:13]], [" ".join([*TEXTS, *MANY])]]
)
def test_many_sentences_weigh_what_the_rule_says(texts):
    passages = Passages.of([Document(text) for text in texts])
    table = Salience().weigh(passages)
    weights = dict(zip(table.concepts, table.weights, strict=True))
    weights.pop("unique words", None)
    assert weights == pytest.approx(weights_by_hand(passages))


def test_records_of_a_list_have_no_beginning():
    lines = [f"Review {k} says that the hotel was fine." for k in range(100)]
    assert prominence(Passages.of([Document("\n\n".join(lines))]))[0] == 3.0
    assert prominence(Passages.of([Document(" ".join(lines))]))[0] > 20.0


def test_a_repeated_sentence_is_never_chosen_twice():
    text = "Snow fell on the town. Snow fell on the town. It was cold."
    assert summarize(text, budget=100).text == "Snow fell on the town. It was cold."


def test_a_large_budget_is_filled():
    text = "Alpha beta gamma. Delta epsilon zeta. Eta theta iota."
    assert summarize(text, budget=100).text == text
