from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from thatch import InputError
from thatch.rouge import NGrams, Overlap, SkipBigrams
from thatch.rouge.text import Text

words_of_few = st.lists(st.sampled_from("abcd"), max_size=12)


def text(words):
    return Text(tuple(words), (tuple(words),))


def matched_one_by_one(candidate, reference):
    """Count matches by crossing out: slow, and nothing like counting."""
    left = list(reference)
    num_matches = 0
    for unit in candidate:
        if unit in left:
            left.remove(unit)
            num_matches += 1
    return Overlap(num_matches, len(reference), len(candidate))


def overlap(metric, candidate, reference):
    return metric.overlap(
        metric.units_of(text(candidate)), metric.units_of(text(reference))
    )


@given(words_of_few, words_of_few, st.integers(1, 4))
def test_ngrams_match_as_if_crossed_out_one_by_one(candidate, reference, size):
    def runs(words):
        starts = range(len(words) - size + 1)
        return [" ".join(words[start : start + size]) for start in starts]

    assert overlap(NGrams(size), candidate, reference) == matched_one_by_one(
        runs(candidate), runs(reference)
    )


@given(words_of_few, words_of_few, st.one_of(st.none(), st.integers(0, 5)))
def test_skip_bigrams_match_as_if_crossed_out_one_by_one(candidate, reference, gap):
    def pairs(words):
        return [
            (words[first], words[second])
            for first, second in combinations(range(len(words)), 2)
            if gap is None or second - first - 1 <= gap
        ]

    assert overlap(
        SkipBigrams(gap, with_words=False), candidate, reference
    ) == matched_one_by_one(pairs(candidate), pairs(reference))
    assert overlap(SkipBigrams(gap), candidate, reference) == matched_one_by_one(
        pairs(candidate) + candidate[:-1], pairs(reference) + reference[:-1]
    )


def test_skip_bigrams_score_the_sentences_of_their_paper():
    """C.-Y. Lin, 2004: one pair, two and three of six."""
    police = ["police", "killed", "the", "gunman"]
    metric = SkipBigrams(None, with_words=False)
    for candidate, num_matches in [
        ("police kill the gunman", 3),
        ("the gunman kill police", 1),
        ("the gunman police killed", 2),
    ]:
        assert overlap(metric, candidate.split(), police) == (num_matches, 6, 6)


def test_counts_include_every_unit():
    assert NGrams(2).units_of(text("abab")).of == Counter(
        {("a", "b"): 2, ("b", "a"): 1}
    )


@pytest.mark.parametrize("size", [0, -1, 1.5])
def test_ngrams_of_no_size_are_refused(size):
    with refused(InputError, "size", size):
        NGrams(size)


@pytest.mark.parametrize("gap", [-1, 0.5])
def test_a_gap_of_no_size_is_refused(gap):
    with refused(InputError, "max_gap", gap):
        SkipBigrams(gap)
