"""Limits of requests: positive, finite, and whole where they are counts."""

import pytest
from cases import for_each
from refusals import refused

from thatch.errors import InputError, InputTypeError
from thatch.serve.limits import Limits

COUNTS = ["num_workers", "max_documents", "max_elements", "max_waiting", "max_memory"]
NUMBERS = ["max_seconds", "max_megabytes"]


@for_each("name", COUNTS)
@for_each("value", [2.5, 0, -1, float("inf"), float("nan")])
def test_counts_are_positive_whole_numbers(name, value):
    with refused(InputError, name, value):
        Limits(**{name: value})


@for_each("name", NUMBERS)
@for_each("value", [0, -1, float("inf"), float("nan")])
def test_numbers_are_positive_and_finite(name, value):
    with refused(InputError, name, value):
        Limits(**{name: value})


@pytest.mark.parametrize("name", [*COUNTS, *NUMBERS])
def test_text_is_not_a_limit(name):
    with refused(InputTypeError, name, "'2'"):
        Limits(**{name: "2"})


def test_numbers_may_have_fractions():
    limits = Limits(max_seconds=2.5, max_megabytes=0.5)
    assert (limits.seconds_to_solve, limits.max_bytes) == (2.0, 2**19)
