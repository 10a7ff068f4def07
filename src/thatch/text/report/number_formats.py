"""Formats numbers as the page does in ``formats.js``."""

from __future__ import annotations

import math
import re
from decimal import ROUND_HALF_UP, Decimal

__all__ = ["as_count", "as_measure", "as_number", "as_share"]

# Numbers below it are written with an exponent, larger ones than this as integers.
_SMALLEST = 1e-4
_FIRST_WHOLE = 1000
_SIGNIFICANT_DIGITS = 3


def as_share(share: float) -> str:
    r"""Return a share as a percentage, with a non-breaking space.

    >>> as_share(0.0312)
    '3.1\xa0%'
    """
    percent = 100 * share
    if 0 < percent < 0.01:
        return "less than 0.01\u00a0%"
    last = Decimal("0.01" if percent < 1 else "0.1")
    rounded = Decimal(percent).quantize(last, ROUND_HALF_UP)
    return f"{_without_zeros(f'{rounded:f}')}\u00a0%"


def as_number(value: float) -> str:
    """Return a number with three significant digits; large ones as integers.

    >>> as_number(1234.5), as_number(56.48), as_number(64.0)
    ('1,235', '56.5', '64')
    """
    if not math.isfinite(value):
        return "\u2013"
    if value != 0 and abs(value) < _SMALLEST:
        mantissa, exponent = f"{value:.1e}".split("e")
        return f"{mantissa}e{int(exponent)}"
    given = Decimal(repr(float(value)))
    is_whole = abs(value) >= _FIRST_WHOLE or given == given.to_integral_value()
    last = 0 if is_whole else given.adjusted() - _SIGNIFICANT_DIGITS + 1
    rounded = given.quantize(Decimal(1).scaleb(last), ROUND_HALF_UP)
    return _without_zeros(f"{rounded:,f}")


def as_count(count: int, noun: str) -> str:
    """Return a count with its noun.

    >>> as_count(1, "sentence"), as_count(3, "sentence")
    ('1 sentence', '3 sentences')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def as_measure(measure: float, unit: str) -> str:
    """Return a measure with its unit, which is given in the plural.

    >>> as_measure(1, "tokens (estimated)")
    '1 token (estimated)'
    """
    name = re.sub(r"s\b", "", unit, count=1) if measure == 1 else unit
    return f"{as_number(measure)} {name}"


def _without_zeros(digits: str) -> str:
    """A number without the zeros at the end of its decimals."""
    return digits.rstrip("0").rstrip(".") if "." in digits else digits
