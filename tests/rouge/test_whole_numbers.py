"""Sizes, gaps, limits and counts are whole numbers, and nothing like them."""

from math import inf, nan

import pytest
from cases import for_each
from refusals import refused

from thatch.errors import InputError, InputTypeError
from thatch.rouge import Bootstrap, NGrams, Rouge, SkipBigrams, SumEval
from thatch.text.concepts.schemes import Bigrams

PARAMETERS = [
    (NGrams, "size"),
    (SkipBigrams, "max_gap"),
    (Rouge, "limit_words"),
    (Rouge, "limit_bytes"),
    (SumEval, "limit_words"),
    (Bootstrap, "num_resamples"),
    (Bootstrap, "seed"),
    (Bigrams, "min_documents"),
]


@for_each(("kind", "name"), PARAMETERS)
@for_each("value", [2.5, 2.0, inf, nan, -1])
def test_other_numbers_are_refused(kind, name, value):
    with refused(InputError, name, value):
        kind(**{name: value})


@pytest.mark.parametrize(("kind", "name"), PARAMETERS)
@pytest.mark.parametrize("value", ["2", True])
def test_what_is_no_number_is_refused(kind, name, value):
    with refused(InputTypeError, name, repr(value)):
        kind(**{name: value})
