import pytest

from thatch import Document, summarize
from thatch.text.concepts.schemes import CustomConcepts
from thatch.text.passages.passage_filter import PassageFilter
from thatch.text.summarizing import Summarizer

TEXT = "Snow fell on the town. Snow fell on every road. Nobody came."
CONCEPTS = CustomConcepts(
    lambda text: text.lower().strip(".").split(), lambda word: len(word)
)


def summary(budget, *, name="", **rules):
    summarizer = Summarizer(
        concepts=CONCEPTS,
        passage_filter=PassageFilter(min_words=0, **rules),
        readability=0,
    )
    return summarizer.summarize([Document(TEXT, name)], budget)


def test_a_summary_shows_what_it_is():
    assert repr(summary(7)) == "Summary(2 of 3 passages, 7 of 7 words, gap 0.000%)"
    assert str(summary(7)) == summary(7).text == "Snow fell on every road. Nobody came."


def test_a_sentence_has_its_offsets_in_the_text():
    first, second = summary(7, name="news.txt").sentences
    assert (first.document, first.position, first.cost) == ("news.txt", 1, 5)
    assert (second.document, second.position, second.cost) == ("news.txt", 2, 2)
    assert summary(7).sentences[0].document == 0


def test_concepts_that_only_one_sentence_covers_are_listed_heaviest_first():
    first, second, third = summary(12).sentences
    assert (first.weight, first.concepts) == (7, ("town", "the"))
    assert (second.weight, second.concepts) == (9, ("every", "road"))
    assert (third.weight, third.concepts) == (10, ("nobody", "came"))
    shared = len("snow") + len("fell") + len("on")
    assert summary(12).value == 7 + 9 + 10 + shared


def test_what_was_left_out_would_have_added_its_gain():
    (left,) = summary(7).left_out
    assert (left.text, left.gain, left.cost) == ("Snow fell on the town.", 7, 5)
    assert left.reason == ""
    assert summary(12).value == summary(7).value + left.gain


def test_what_was_ruled_out_says_why():
    reasons = {
        left.text: left.reason for left in summary(7, exclude=("road",)).left_out
    }
    assert reasons == {"Snow fell on every road.": "excluded: road"}


def test_requirements_are_not_part_of_the_value():
    free, bound = summary(7), summary(7, require=("town", "nobody"))
    assert bound.text == "Snow fell on the town. Nobody came."
    assert bound.value == free.value - 9 + 7
    assert bound.upper_bound == bound.value
    assert bound.gap == 0
    assert all("requirement" not in s.concepts for s in bound.sentences)


def test_a_gap_is_a_share_of_the_bound():
    rough = summarize([TEXT] * 3, 7, concepts=CONCEPTS)
    assert rough.gap == pytest.approx(1 - rough.value / rough.upper_bound)
    assert 0 <= rough.gap < 1
