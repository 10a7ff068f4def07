import pytest
from cases import for_each
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from Stemmer import Stemmer

from thatch import InputError
from thatch.rouge import PorterStems, SnowballStems
from thatch.rouge.stems import porter_stem

PORTER = PorterStems()

# Examples of the published rules: M. F. Porter, 1980, Program 14 (3).
PUBLISHED = {
    **{"caresses": "caress", "ponies": "poni", "ties": "ti", "caress": "caress"},
    **{"feed": "feed", "agreed": "agre", "plastered": "plaster", "bled": "bled"},
    **{"motoring": "motor", "sing": "sing", "conflated": "conflat"},
    **{"troubled": "troubl", "sized": "size", "hopping": "hop", "tanned": "tan"},
    **{"falling": "fall", "hissing": "hiss", "fizzed": "fizz", "failing": "fail"},
    **{"filing": "file", "happy": "happi", "sky": "sky", "rational": "ration"},
    **{"conditional": "condit", "digitizer": "digit", "vietnamization": "vietnam"},
    **{"sensitiviti": "sensit", "triplicate": "triplic", "hopeful": "hope"},
    **{"electrical": "electr", "goodness": "good", "revival": "reviv"},
    **{"adjustable": "adjust", "replacement": "replac", "adoption": "adopt"},
    **{"probate": "probat", "rate": "rate", "cease": "ceas", "controll": "control"},
    **{"roll": "roll", "yes": "ye", "syzygy": "syzygi"},
}


@for_each("word", PUBLISHED)
def test_rules_give_the_published_examples(word):
    assert porter_stem(word) == PUBLISHED[word]


@given(
    st.from_regex(
        "[b-dy]{1,2}[aeiouy]{1,2}[dlrst]{1,2}(ed|ing|s|ies|y|er|e)?", fullmatch=True
    )
)
def test_words_of_plain_endings_have_the_stems_of_snowballs_porter(word):
    assert porter_stem(word) == Stemmer("porter").stemWord(word)


@pytest.mark.parametrize(
    ("word", "stem", "published"),
    [
        ("possibly", "possibl", "possibli"),
        ("psychology", "psycholog", "psychologi"),
        ("departmental", "depart", "department"),
    ],
)
def test_rules_depart_from_the_published_ones_where_the_original_does(
    word, stem, published
):
    assert porter_stem(word) == stem
    assert Stemmer("porter").stemWord(word) == published


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("mice", "mouse"),
        ("buried", "bury"),
        ("better", "well"),
        ("testes", "testes"),
        ("ashes", "ash"),
        ("ran", "ran"),
        ("running", "run"),
    ],
)
def test_irregular_forms_come_first_and_short_words_stay(word, stem):
    assert PORTER.of([word]) == [stem]


@given(st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1))
def test_a_stem_is_never_empty(word):
    assert all(PORTER.of([word]))


def test_snowball_stems_other_languages_and_refuses_unknown_ones():
    assert SnowballStems("french").of(["continuellement"]) == ["continuel"]
    for spelling in ("fr", "French"):
        assert SnowballStems(spelling) == SnowballStems("french")
    for unknown in ("klingon", "ja"):
        with refused(InputError, "language"):
            SnowballStems(unknown)
