import pytest
from refusals import refused
from Stemmer import algorithms

from thatch.errors import InputError
from thatch.files.languages import LANGUAGES, language_code
from thatch.files.reading import package_lines


@pytest.mark.parametrize("given", ["de", "DE", "german", "German", " german "])
def test_codes_and_names_are_accepted(given):
    assert language_code(given) == "de"


@pytest.mark.parametrize("given", ["", "xx", "klingon", "d e", None, 5])
def test_unknown_languages_are_refused(given):
    with refused(InputError, "language", repr(given)):
        language_code(given)


def test_a_similar_name_is_suggested():
    with refused(InputError, "'germn'") as caught:
        language_code("germn")
    assert "german" in caught.value.hint


def test_codes_and_names_are_unique():
    assert len(set(LANGUAGES.values())) == len(LANGUAGES)
    assert not LANGUAGES.keys() & set(LANGUAGES.values())


def test_every_stemmer_has_a_language_of_its_name():
    assert set(algorithms()) - set(LANGUAGES.values()) == {"dutch_porter", "porter"}
    lines = package_lines("thatch.text.language", "data/stemmers.txt")
    assert all(LANGUAGES[code] == name for code, name in map(str.split, lines))
