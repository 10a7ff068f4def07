import pytest
from refusals import refused

from thatch import InputError
from thatch.errors import InputTypeError
from thatch.rouge import NGrams, Rouge, SumEval

MEASURES = [Rouge(), Rouge(limit_words=3), SumEval(), SumEval(limit_words=3)]
REFERENCES = ["two cats and a dog", "one dog alone"]


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.signature)
def test_prepared_references_score_alike(measure):
    prepared = measure.prepare(REFERENCES)
    for candidate in ("two dogs", "", "a cat and one dog"):
        assert measure.score(candidate, prepared) == measure.score(
            candidate, REFERENCES
        )


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.signature)
def test_texts_without_a_word_score_nothing_on_either_side(measure):
    for candidate, reference in [("", "dog"), ("dog", ""), ("?!", "…"), ("", "")]:
        for score in measure.score(candidate, reference).values():
            assert (score.recall, score.precision, score.f_measure) == (0, 0, 0)


def test_one_text_is_one_reference():
    assert Rouge().score("cat", "a cat") == Rouge().score("cat", ["a cat"])


def test_an_empty_reference_among_others_changes_precision_alone():
    score = Rouge().score("cat", ["cat", ""])["ROUGE-1"]
    assert (score.recall, score.precision) == (1, 0.5)


def test_equal_settings_may_share_prepared_references():
    prepared = Rouge().prepare("cat")
    assert Rouge().score("cat", prepared)["ROUGE-1"].recall == 1


def test_references_prepared_with_other_settings_are_refused():
    prepared = Rouge().prepare("cat")
    with pytest.raises(InputError, match="references"):
        Rouge(limit_words=1).score("cat", prepared)
    with pytest.raises(InputError, match="references"):
        SumEval().score("cat", prepared)


def test_averages_take_references_in_the_order_of_candidates():
    rouge = Rouge(metrics=(NGrams(1),))
    averages = rouge.average(["cat", "dog"], [["cat"], rouge.prepare("cat")])
    assert [scores["ROUGE-1"].recall for scores in averages.scores] == [1, 0]
    assert averages["ROUGE-1"].recall.mean == 0.5


@pytest.mark.parametrize(
    ("error", "facts", "call"),
    [
        (InputError, ["references"], lambda: Rouge().score("a", [])),
        (InputTypeError, ["candidate", "bytes"], lambda: Rouge().score(b"a", "a")),
        (
            InputTypeError,
            ["references[1]", "list"],
            lambda: Rouge().score("a", ["a", ["b"]]),
        ),
        (
            InputError,
            ["references", "1", "2"],
            lambda: Rouge().average(["a", "b"], ["a"]),
        ),
        (InputError, ["metrics"], lambda: Rouge(metrics=())),
        (
            InputError,
            ["metrics", "ROUGE-1, ROUGE-1"],
            lambda: SumEval(metrics=(NGrams(1), NGrams(1))),
        ),
        (
            InputTypeError,
            ["metrics[0]", "'ROUGE-1'"],
            lambda: Rouge(metrics=("ROUGE-1",)),
        ),
        (InputTypeError, ["stems", "True"], lambda: Rouge(stems=True)),
        (InputTypeError, ["tokens", "'unicode'"], lambda: Rouge(tokens="unicode")),
        (InputTypeError, ["aggregate", "'best'"], lambda: Rouge(aggregate="best")),
        (InputError, ["alpha", "2"], lambda: Rouge(alpha=2)),
        (InputError, ["limit_words", "0"], lambda: Rouge(limit_words=0)),
        (InputError, ["limit_words", "1.5"], lambda: SumEval(limit_words=1.5)),
        (InputError, ["limit_bytes", "-1"], lambda: Rouge(limit_bytes=-1)),
        (
            InputError,
            ["limit_words", "7", "limit_bytes", "9"],
            lambda: Rouge(limit_words=7, limit_bytes=9),
        ),
        (InputError, ["encoding", "'klingon'"], lambda: Rouge(encoding="klingon")),
    ],
)
def test_bad_input_is_named(error, facts, call):
    with refused(error, *facts):
        call()
