import random
from dataclasses import replace

import numpy as np
import pytest
from cases import for_each

from thatch.text.relevance.passage_terms import PassageTerms
from thatch.text.relevance.structure import Structure, is_in_sequence

TOPICS = [
    ["ferry", "pier", "island", "captain", "harbor"],
    ["bread", "oven", "flour", "baker", "yeast"],
    ["engine", "wheel", "brake", "driver", "road"],
    ["violin", "concert", "stage", "applause", "tune"],
    ["glacier", "summit", "rope", "climber", "snow"],
]


def story(sentences_per_topic=12, seed=0):
    """Sentences that stay with one topic before they go on to the next."""
    words = random.Random(seed)
    return [
        f"{' '.join(words.sample(topic, 3))} {words.choice(TOPICS[0])}."
        for topic in TOPICS
        for _ in range(sentences_per_topic)
    ]


@for_each("seed", range(5))
def test_a_story_is_in_sequence_and_a_shuffled_one_is_not(seed):
    texts = story(seed=seed)
    assert is_in_sequence(PassageTerms.of(texts, language="en"))
    random.Random(seed).shuffle(texts)
    assert not is_in_sequence(PassageTerms.of(texts, language="en"))


@pytest.mark.parametrize("texts", [[], ["Snow."], ["", "", "", ""], ["Snow."] * 5])
def test_pools_that_tell_nothing_are_not_in_sequence(texts):
    assert not is_in_sequence(PassageTerms.of(texts, language="en"))


def test_neighbors_are_in_one_run():
    structure = Structure(
        order=np.array([2, 0, 1, 3]),
        runs=np.array([0, 0, 0, 1]),
        sections=np.full(4, -1),
        labels=[""] * 4,
        speakers=[""] * 4,
    )
    earlier, later = structure.neighbors(1)
    assert list(zip(earlier, later, strict=True)) == [(2, 0), (0, 1)]
    earlier, later = structure.neighbors(2)
    assert list(zip(earlier, later, strict=True)) == [(2, 1)]


def test_a_restriction_keeps_the_order_and_joins_what_is_left():
    sequence = replace(Structure.unordered(5), runs=np.zeros(5, dtype=np.int64))
    restricted = sequence.restricted_to(np.array([0, 2, 4]))
    earlier, later = restricted.neighbors(1)
    assert list(zip(earlier, later, strict=True)) == [(0, 1), (1, 2)]
