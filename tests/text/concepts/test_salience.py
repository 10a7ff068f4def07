from collections import defaultdict
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thatch import summarize
from thatch.text.concepts.salience import Salience
from thatch.text.documents.document import Document
from thatch.text.language.terms import Terms
from thatch.text.passages.passages import Passages

TEXTS = [
    "Old snow fell on the town. The town slept. Old snow lay.",
    "The town had old snow. Nobody slept in the town.",
]


def weights_by_hand(passages):
    """(s + d + f + 2 e)^1.5, times the worth of the kind, straight from the text."""
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
    weights = {}
    for concept, sentences in holders.items():
        if len(sentences) < (2 if isinstance(concept, tuple) else least):
            continue
        firsts = list(places[concept].values())
        times = len(sentences) + len(firsts) + firsts.count(0)
        times += 2 * sum(1 / (1 + place) for place in firsts)
        is_pair = isinstance(concept, tuple)
        is_stop = stop.issuperset(concept if is_pair else [concept])
        worth = {(1, 0): 1.0, (1, 1): 0.25, (0, 0): 0.2, (0, 1): 0.1}[is_pair, is_stop]
        weights[concept] = worth * times**1.5
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


def test_many_sentences_weigh_what_the_rule_says():
    texts = [*TEXTS, *[f"Snow lay on hill {k // 2}." for k in range(50)]]
    passages = Passages.of([Document(text) for text in texts])
    table = Salience().weigh(passages)
    weights = dict(zip(table.concepts, table.weights, strict=True))
    del weights["unique words"]
    assert weights == pytest.approx(weights_by_hand(passages))


def test_a_repeated_sentence_is_never_chosen_twice():
    text = "Snow fell on the town. Snow fell on the town. It was cold."
    assert summarize(text, budget=100).text == "Snow fell on the town. It was cold."


def test_a_large_budget_is_filled():
    text = "Alpha beta gamma. Delta epsilon zeta. Eta theta iota."
    assert summarize(text, budget=100).text == text
