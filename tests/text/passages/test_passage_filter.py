from math import inf

import pytest
from refusals import refused

from thatch.errors import InputError, InputTypeError
from thatch.text.documents.document import Document
from thatch.text.passages.passage_filter import PassageFilter
from thatch.text.passages.passages import Granularity, Passages

LONG = "Nobody in the whole town had seen so much snow before that winter."
TEXT = f"Snow fell. {LONG} All of the roads were closed."


def passages(*texts, by=Granularity.SENTENCE):
    return Passages.of([Document(text) for text in texts], by=by)


def test_short_sentences_are_left_out_where_many_are_longer():
    many = [LONG] * 50
    assert PassageFilter().ruled_out(passages("Snow fell.", *many)) == {
        0: "fewer than 8 words"
    }
    assert PassageFilter().ruled_out(passages("Snow fell.", *many[1:])) == {}


def test_short_paragraphs_and_files_may_be_selected():
    for by in (Granularity.PARAGRAPH, Granularity.FILE):
        assert PassageFilter().ruled_out(passages("Snow fell.", LONG, by=by)) == {}


def test_sentences_outside_the_limits_are_ruled_out():
    assert PassageFilter(min_words=0).ruled_out(passages(TEXT)) == {}
    assert PassageFilter(min_words=2, max_words=6).ruled_out(passages(TEXT)) == {
        1: "more than 6 words"
    }
    assert PassageFilter(min_words=6).ruled_out(passages(TEXT)) == {
        0: "fewer than 6 words"
    }


def test_texts_match_regardless_of_case_and_white_space():
    for text in ("ROADS  were", "roads\nwere", " closed."):
        found = PassageFilter(min_words=0, exclude=(text,)).ruled_out(passages(TEXT))
        assert found == {2: f"excluded: {text}"}


def test_near_duplicates_name_the_passage_they_repeat():
    copies = (LONG, "Something else.", LONG.replace("winter", "year"))
    assert PassageFilter().ruled_out(passages(*copies, by=Granularity.FILE)) == {
        2: "near-duplicate of document 1"
    }
    both = "\n\n".join(copies)
    assert PassageFilter().ruled_out(passages(both, by=Granularity.PARAGRAPH)) == {
        2: "near-duplicate of document 1, paragraph 1"
    }
    assert PassageFilter().ruled_out(passages(LONG, LONG)) == {}


def test_any_passage_that_may_be_selected_meets_a_requirement():
    text = f"Snow fell. {LONG} The snow has closed all roads."
    rules = PassageFilter(require=("snow", "roads"), min_words=5)
    source = passages(text)
    found = rules.requirements(source, rules.ruled_out(source))
    assert [each.tolist() for each in found] == [[1, 2], [2]]


def test_requirements_that_nothing_may_meet_are_named():
    source = passages(TEXT)
    for rules, facts in (
        (PassageFilter(require=("zebra",)), ["'zebra'"]),
        (PassageFilter(("Snow fell",), min_words=5), ["'Snow fell'", "5"]),
        (PassageFilter(("roads",), ("closed",)), ["'roads'", "closed"]),
    ):
        with refused(InputError, "require", *facts):
            rules.requirements(source, rules.ruled_out(source))


@pytest.mark.parametrize("name", ["require", "exclude"])
def test_texts_must_be_a_tuple_of_texts_with_words(name):
    with refused(InputError, name, repr("\n")):
        PassageFilter(**{name: ("snow", "\n")})
    for texts in ("snow", (3,), ("snow", None)):
        with refused(InputTypeError, name, repr(texts)):
            PassageFilter(**{name: texts})


def test_limits_must_be_non_negative_integers():
    for name in ("min_words", "max_words"):
        for limit in (-1, 2.5, 3.0, inf):
            with refused(InputError, name, limit):
                PassageFilter(**{name: limit})
        for limit in ("3", True):
            with refused(InputTypeError, name, repr(limit)):
                PassageFilter(**{name: limit})


def test_the_upper_limit_must_not_be_below_the_lower():
    with refused(InputError, "max_words", 3, "min_words", 5):
        PassageFilter(min_words=5, max_words=3)


def test_limits_and_requirements_override_the_defaults():
    """With 50 long sentences, short ones and those with a colon are ruled out."""
    many = [LONG] * 50
    source = passages(
        "Snow fell.", "We had seen all of this before, as follows:", *many
    )
    assert PassageFilter().ruled_out(source) == {
        0: "fewer than 8 words",
        1: "introduces the next sentence",
    }
    assert PassageFilter(min_words=0).ruled_out(source) == {}
    assert 0 not in PassageFilter(max_words=5).ruled_out(source)
    assert 0 not in PassageFilter(require=("snow fell",)).ruled_out(source)


def test_a_duplicate_of_an_excluded_passage_may_be_selected():
    copies = (f"{LONG} Secret.", f"{LONG} Okay.")
    source = passages(*copies, by=Granularity.FILE)
    assert PassageFilter(exclude=("secret",)).ruled_out(source) == {
        0: "excluded: secret"
    }
