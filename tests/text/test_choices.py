import pytest

from thatch.errors import InputError, InputTypeError
from thatch.text.choices import concepts_of, granularity_of, unit_of
from thatch.text.concepts.schemes import Bigrams, CustomConcepts, TfIdf
from thatch.text.costs.units import CHARACTERS, SENTENCES, TOKENS, WORDS, Unit
from thatch.text.passages.passages import Granularity


def test_units_have_names_and_may_be_given_themselves():
    names = ["words", "characters", "sentences", "tokens"]
    assert [unit_of(name) for name in names] == [WORDS, CHARACTERS, SENTENCES, TOKENS]
    lines = Unit("lines", lambda text: text.count("\n") + 1)
    assert unit_of(lines) is lines


def test_kinds_of_passages_have_names_and_may_be_given_themselves():
    for by in Granularity:
        assert granularity_of(by) is granularity_of(by.value) is by


def test_concepts_are_a_set_a_name_or_a_function():
    assert concepts_of("tf-idf") == TfIdf()
    assert concepts_of("tf-idf-content") == TfIdf(remove_stop_words=True)
    assert concepts_of("bigrams") == Bigrams()
    assert concepts_of(Bigrams(2)) == Bigrams(2)
    assert concepts_of(str.split) == CustomConcepts(str.split)


@pytest.mark.parametrize(
    ("named", "field"), [(unit_of, "unit"), (granularity_of, "by")]
)
@pytest.mark.parametrize("given", ["pages", "", None, 3, []])
def test_an_unknown_name_is_refused(named, field, given):
    with pytest.raises(InputError, match=field) as caught:
        named(given)
    assert repr(given) in caught.value.message


@pytest.mark.parametrize("given", [None, 3, [], TfIdf, Bigrams])
def test_what_cannot_supply_concepts_is_refused(given):
    with pytest.raises(InputTypeError, match="concepts") as caught:
        concepts_of(given)
    assert repr(given) in caught.value.message
