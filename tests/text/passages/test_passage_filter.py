import pytest

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


def test_short_paragraphs_and_files_may_be_chosen():
    for by in (Granularity.PARAGRAPH, Granularity.FILE):
        assert PassageFilter().ruled_out(passages("Snow fell.", LONG, by=by)) == {}


def test_lengths_are_limits_within_which_a_sentence_may_be():
    assert PassageFilter(min_words=0).ruled_out(passages(TEXT)) == {}
    assert PassageFilter(min_words=2, max_words=6).ruled_out(passages(TEXT)) == {
        1: "more than 6 words"
    }
    assert PassageFilter(min_words=6).ruled_out(passages(TEXT)) == {
        0: "fewer than 6 words"
    }


def test_texts_are_found_whatever_their_case_and_white_space():
    for text in ("ROADS  were", "roads\nwere", " closed."):
        found = PassageFilter(min_words=0, exclude=(text,)).ruled_out(passages(TEXT))
        assert found == {2: f"excluded: {text}"}


def test_near_copies_say_what_they_repeat():
    copies = (LONG, "Something else.", LONG.replace("winter", "year"))
    assert PassageFilter().ruled_out(passages(*copies, by=Granularity.FILE)) == {
        2: "near-copy of document 1"
    }
    both = "\n\n".join(copies)
    assert PassageFilter().ruled_out(passages(both, by=Granularity.PARAGRAPH)) == {
        2: "near-copy of document 1, paragraph 1"
    }
    assert PassageFilter().ruled_out(passages(LONG, LONG)) == {}


def test_any_holder_that_may_be_chosen_meets_a_requirement():
    text = f"Snow fell. {LONG} The snow has closed all roads."
    rules = PassageFilter(require=("snow", "roads"), min_words=5)
    source = passages(text)
    found = rules.requirements(source, rules.ruled_out(source))
    assert [holders.tolist() for holders in found] == [[1, 2], [2]]


def test_requirements_that_nothing_may_meet_are_named():
    source = passages(TEXT)
    for rules, message in (
        (PassageFilter(require=("zebra",)), r"got 'zebra'\."),
        (
            PassageFilter(("Snow fell",), min_words=5),
            "got 'Snow fell': fewer than 5 words",
        ),
        (PassageFilter(("roads",), ("closed",)), "got 'roads': excluded: closed"),
    ):
        with pytest.raises(InputError, match=message):
            rules.requirements(source, rules.ruled_out(source))


@pytest.mark.parametrize("name", ["require", "exclude"])
def test_texts_must_be_a_tuple_of_texts_with_words(name):
    with pytest.raises(InputError, match=f"{name} must hold a word, got '\\\\n'"):
        PassageFilter(**{name: ("snow", "\n")})
    for texts in ("snow", (3,), ("snow", None)):
        with pytest.raises(InputTypeError, match=f"{name} must be a tuple of strings"):
            PassageFilter(**{name: texts})


def test_no_sentence_can_be_longer_than_long_and_shorter_than_short():
    for limits in ({"max_words": -1}, {"min_words": -1}, {"min_words": "3"}):
        with pytest.raises(InputError, match="must be a whole number >= 0"):
            PassageFilter(**limits)


def test_usual_rules_yield_to_what_was_asked_for():
    """With 50 long sentences short ones and colons go, but not if they are wanted."""
    many = [LONG] * 50
    source = passages(
        "Snow fell.", "We had seen all of this before, as follows:", *many
    )
    assert PassageFilter().ruled_out(source) == {
        0: "fewer than 8 words",
        1: "leads to what follows",
    }
    assert PassageFilter(min_words=0).ruled_out(source) == {}
    assert 0 not in PassageFilter(max_words=5).ruled_out(source)
    assert 0 not in PassageFilter(require=("snow fell",)).ruled_out(source)


def test_a_copy_of_what_may_not_be_chosen_may_be():
    copies = (f"{LONG} Secret.", f"{LONG} Okay.")
    source = passages(*copies, by=Granularity.FILE)
    assert PassageFilter(exclude=("secret",)).ruled_out(source) == {
        0: "excluded: secret"
    }
