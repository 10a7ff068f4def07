import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from thatch.text.relevance.near_copies import near_copies
from thatch.text.relevance.passage_terms import PassageTerms

BRIDGE = (
    "The old stone bridge over the river closed on Monday, because engineers found "
    "cracks in two of its pillars."
)
BREAD = "The baker on Mill Street sells rye bread with walnuts every Saturday morning."
words = st.sampled_from(
    ["ash", "elm", "fir", "oak", "yew", "sloe", "lime", "pine", "rowan", "hazel"]
)
texts = st.lists(st.lists(words, max_size=12).map(" ".join), min_size=1, max_size=8)


def copies(*given_texts, places=None):
    terms = PassageTerms.of(given_texts, language="en")
    numbers = None if places is None else np.array(places)
    return near_copies(terms, numbers).tolist()


def test_a_truncated_copy_belongs_to_the_whole():
    assert copies("The old stone bridge over the river closed", BRIDGE, BREAD)[:2] == [
        1,
        1,
    ]


def test_a_reworded_copy_belongs_to_the_original():
    reworded = (
        "Because engineers found cracks in two pillars, the ancient stone bridge over "
        "the river was closed on Monday."
    )
    assert copies(BRIDGE, reworded, BREAD) == [0, 0, 2]


def test_of_equal_texts_the_first_is_the_original():
    assert copies(BREAD, BRIDGE, BREAD, BRIDGE) == [0, 1, 0, 1]


def test_texts_that_share_a_few_words_are_no_copies():
    other = "Engineers found gold in the river on Monday."
    assert copies(BRIDGE, other) == [0, 1]


def test_a_quotation_in_a_much_longer_text_stands_for_itself():
    long = " ".join([BRIDGE, BREAD, *(f"word{k} thing{k} item{k}." for k in range(30))])
    assert copies(BRIDGE, long) == [0, 1]


def test_less_similar_texts_are_copies_if_they_are_of_one_place():
    changed = (
        "The old stone bridge over the river shut on Monday, because engineers saw "
        "cracks in two of its pillars."
    )
    assert copies(BRIDGE, changed, places=[0, 0]) == [0, 0]
    assert copies(BRIDGE, changed, places=[0, 1]) == [0, 1]


@given(texts)
def test_originals_are_their_own_and_richer_or_earlier(given_texts):
    terms = PassageTerms.of(given_texts, language="en")
    found = near_copies(terms)
    assert (found[found] == found).all()
    sizes = [len(set(text.split())) for text in given_texts]
    assert all(sizes[q] >= sizes[p] or q < p for p, q in enumerate(found.tolist()))


def test_of_about_equally_long_texts_the_first_is_the_original():
    longer = BRIDGE.replace("the river", "the wide river")
    assert copies(BRIDGE, longer) == [0, 0]
    assert copies(longer, BRIDGE) == [0, 0]


def test_nothing_has_no_copies():
    assert copies() == []
    assert copies("", "") == [0, 1]
