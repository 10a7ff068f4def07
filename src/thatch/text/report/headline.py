"""Sentences that say what was chosen, what it covers, and what is proved.

They are the same as on the page, where ``headline.js`` writes them.
"""

from __future__ import annotations

import math
import re
from decimal import ROUND_HALF_UP, Decimal

from thatch.options import counted
from thatch.text.summary import Summary


def headline(summary: Summary) -> str:
    """Return one line that says what was chosen, what it covers, and what is proved."""
    if summary.warning:
        return summary.warning[0].upper() + summary.warning[1:]
    passages = summary.task.passages
    about = "" if summary.task.focus is None else " about your question"
    return (
        f"{as_number(len(summary.passages))} of "
        f"{counted(len(passages), passages.by.value)}, "
        f"{as_number(summary.cost)} of {as_measure(summary.budget, summary.unit)}, "
        f"{as_share(summary.coverage)} of what the text says{about}: "
        f"{_proof(summary)}."
    )


def certificate(summary: Summary) -> str:
    """Return the proven gap in a sentence; an empty string for an empty summary."""
    if summary.warning:
        return ""
    adds_up = summary.task.adds_up
    condition = "" if adds_up else ", if costs are added up passage by passage"
    others = (
        f"{'with your choices ' if summary.task.has_choices else ''}within the budget"
    )
    if not _is_gap(summary):
        return f"Proved: no selection {others} covers more{condition}."
    if not summary.value > 0:
        return ""
    more = as_share(summary.upper_bound / summary.value - 1)
    return f"Proved: no selection {others} covers more than {more} more{condition}."


def _proof(summary: Summary) -> str:
    given = " with your choices" if summary.task.has_choices else ""
    condition = "" if summary.task.adds_up else ", if costs add up"
    if _is_gap(summary):
        proved = "" if condition else "proved to be "
        return (
            f"{proved}at most {as_share(summary.gap)} below the best{given}{condition}"
        )
    return f"the best{given}{condition}" if condition else f"proved best{given}"


def _is_gap(summary: Summary) -> bool:
    return summary.gap >= 1e-6  # smaller ones are rounding errors


def as_share(share: float) -> str:
    """Return a share as a percentage, with a non-breaking space."""
    percent = 100 * share
    if 0 < percent < 0.01:
        return "less than 0.01\u00a0%"
    last = Decimal("0.01" if percent < 1 else "0.1")
    rounded = Decimal(percent).quantize(last, ROUND_HALF_UP)
    return f"{_without_zeros(f'{rounded:f}')}\u00a0%"


def as_number(value: float) -> str:
    """Return a number with three significant digits; large ones as integers."""
    if not math.isfinite(value):
        return "\u2013"
    if value != 0 and abs(value) < 1e-4:
        mantissa, exponent = f"{value:.1e}".split("e")
        return f"{mantissa}e{int(exponent)}"
    given = Decimal(repr(float(value)))
    is_whole = abs(value) >= 1000 or given == given.to_integral_value()
    last = 0 if is_whole else given.adjusted() - 2
    rounded = given.quantize(Decimal(1).scaleb(last), ROUND_HALF_UP)
    return _without_zeros(f"{rounded:,f}")


def as_measure(measure: float, unit: str) -> str:
    """Return a measure with its unit, which is given in the plural."""
    name = re.sub(r"s\b", "", unit, count=1) if measure == 1 else unit
    return f"{as_number(measure)} {name}"


def _without_zeros(digits: str) -> str:
    """A number without the zeros at the end of its decimals."""
    return digits.rstrip("0").rstrip(".") if "." in digits else digits
