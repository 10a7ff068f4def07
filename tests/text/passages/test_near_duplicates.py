import random

from hypothesis import given
from hypothesis import strategies as st

from thatch.text.passages.passage_filter import near_duplicates


def runs(terms):
    length = min(3, len(terms))
    return {tuple(terms[k : k + length]) for k in range(len(terms) - length + 1)}


def slow_near_duplicates(term_lists, similarity):
    """Compare with every earlier text that is not a duplicate itself."""
    duplicates, originals = {}, []
    for i, terms in enumerate(term_lists):
        mine = runs(terms) if terms else set()
        for j in originals:
            other = runs(term_lists[j]) if term_lists[j] else set()
            if mine and other and len(mine & other) >= similarity * len(mine | other):
                duplicates[i] = j
                break
        else:
            originals.append(i)
    return duplicates


terms = st.lists(st.sampled_from("abc"), max_size=12)


@given(st.lists(terms, max_size=12), st.sampled_from([0.5, 0.8, 1.0]))
def test_rare_triples_find_what_comparing_all_pairs_finds(term_lists, similarity):
    expected = slow_near_duplicates(term_lists, similarity)
    assert near_duplicates(term_lists, similarity=similarity) == expected


def test_a_long_text_with_a_changed_word_is_a_near_duplicate():
    words = [f"w{k}" for k in random.Random(0).choices(range(500), k=300)]
    changed = [*words[:100], "other", *words[101:]]
    assert near_duplicates([words, ["short"], changed]) == {2: 0}


def test_texts_without_words_are_not_duplicates():
    assert near_duplicates([[], [], ["a"]]) == {}
