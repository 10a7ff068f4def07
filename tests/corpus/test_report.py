"""The outcome of a job, and how many errors it may have."""

import math
from decimal import Decimal

import pytest
from refusals import refused

from thatch.corpus.report import ErrorLimit, Report
from thatch.errors import InputError, InputTypeError


@pytest.mark.parametrize("count", [2.5, math.inf, math.nan, -1])
def test_a_number_of_errors_is_whole(count):
    with refused(InputError, "max_errors", count):
        ErrorLimit(count)


def test_a_number_of_errors_is_a_number():
    with refused(InputTypeError, "max_errors", "True"):
        ErrorLimit(True)


@pytest.mark.parametrize("percent", ["NaN", "sNaN", "Infinity", "-0.1", "100.1"])
def test_a_share_of_errors_is_from_0_to_100_percent(percent):
    with refused(InputError, "max_errors", percent):
        ErrorLimit.parsed(f"{percent}%")
    if percent != "sNaN":
        with refused(InputError, "max_errors", percent):
            ErrorLimit(None, Decimal(percent))


def test_a_share_of_errors_may_be_fractional():
    report = Report(num_rows=1000, num_errors=23)
    assert ErrorLimit.parsed("2.3%").allows(report)
    assert not ErrorLimit.parsed("2.29%").allows(report)
