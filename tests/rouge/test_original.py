import pytest
from hypothesis import given
from hypothesis import strategies as st

from thatch import __version__
from thatch.rouge import (
    Aggregation,
    NGrams,
    Rouge,
    SkipBigrams,
    SnowballStems,
    UnicodeTokens,
)

words = st.sampled_from(
    ["the", "cats", "dogs", "ran", "mice", "runs", "house-cat", "U.S.", "don't", "7"]
)
texts = st.lists(
    st.lists(words, max_size=6).map(" ".join),
    max_size=4,
).map("\n".join)
settings = st.builds(
    Rouge,
    limit_words=st.sampled_from([None, 1, 5]),
    remove_stop_words=st.booleans(),
    aggregate=st.sampled_from(Aggregation),
    alpha=st.sampled_from([0, 0.3, 1]),
    tokens=st.just(UnicodeTokens()),
)


@given(settings, texts, st.lists(texts, min_size=1, max_size=3))
def test_scores_lie_between_0_and_1_and_f_between_the_two(rouge, text, references):
    for score in rouge.score(text, references).values():
        low, high = sorted((score.recall, score.precision))
        assert 0 <= low <= high <= 1
        # Each of the three is rounded to five decimals.
        assert low - 1e-5 <= score.f_measure <= high + 1e-5


@given(settings, texts)
def test_a_text_agrees_with_itself(rouge, text):
    has_words = bool(rouge.read(text).words)
    assert rouge.score(text, text)["ROUGE-1"].recall == has_words
    assert rouge.score(text, text)["ROUGE-L"].f_measure == has_words


@given(texts, st.permutations(["the cats ran", "mice", "dogs\nrun"]))
def test_the_order_of_references_does_not_matter(text, references):
    assert Rouge().score(text, references) == Rouge().score(text, sorted(references))


@given(texts, texts, st.integers(1, 8))
def test_what_follows_the_limit_does_not_matter(text, more, limit):
    rouge = Rouge(limit_words=limit)
    whole = " ".join(f"{text}\n{more}".split())
    first = " ".join(whole.split()[:limit])
    reference = "the dogs ran, the mice too"
    assert rouge.score(whole, reference) == rouge.score(first, reference)


@given(texts, texts)
def test_precision_is_recall_the_other_way_round(text, reference):
    rouge = Rouge(metrics=(NGrams(1), NGrams(2), SkipBigrams(4)))
    there, back = rouge.score(text, reference), rouge.score(reference, text)
    for metric in there:
        assert there[metric].recall == back[metric].precision


def test_references_are_added_up_before_they_are_divided():
    references = ["cat", "dogs and mice"]
    assert Rouge().score("cat", references)["ROUGE-1"].recall == 0.25


def test_the_best_reference_is_that_of_the_highest_recall():
    rouge = Rouge(aggregate=Aggregation.BEST)
    score = rouge.score("one cat", ["a dog and one cat", "one cat here", "dog"])
    assert score["ROUGE-1"].recall == 0.66667


@pytest.mark.parametrize(
    ("alpha", "f_measure"), [(0, 0.25), (0.5, 0.4), (1, 1), (0.2, 0.29412)]
)
def test_alpha_is_the_share_of_precision(alpha, f_measure):
    score = Rouge(alpha=alpha).score("cat", "one cat sat there")["ROUGE-1"]
    assert (score.recall, score.precision) == (0.25, 1)
    assert score.f_measure == f_measure


def test_other_scripts_count_where_asked_to():
    candidate, reference = "猫が座った", "猫は座る"
    assert Rouge().score(candidate, reference)["ROUGE-1"].recall == 0
    rouge = Rouge(tokens=UnicodeTokens(), stems=None)
    assert rouge.score(candidate, reference)["ROUGE-1"].recall == 0.5


def test_other_languages_have_their_own_stems():
    rouge = Rouge(tokens=UnicodeTokens(), stems=SnowballStems("german"))
    assert rouge.score("die Häuser", "das Haus")["ROUGE-1"].recall == 0.5


def test_the_signature_names_every_setting():
    rouge = Rouge(
        metrics=(SkipBigrams(None, with_words=False),),
        limit_bytes=665,
        stems=None,
        remove_stop_words=True,
        aggregate=Aggregation.BEST,
        alpha=0.2,
        tokens=UnicodeTokens(),
        encoding="latin-1",
    )
    assert rouge.signature == (
        "rouge:S*|tokens:unicode|stems:none|stop-words:removed|"
        f"limit:665bytes,latin-1|references:best|alpha:0.2|thatch:{__version__}"
    )
    assert rouge.score("a", "a").signature == rouge.signature
