"""What the options of the plugin ask for: shares and times as users write them."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from thatch.errors import InputError
from thatch.options import option


def parsed_share(name: str, text: str) -> float:
    """Share that a text names.

    >>> parsed_share("--thatch-cover", "95%"), parsed_share("--thatch-cover", "0.95")
    (0.95, 0.95)
    """
    hint = "Pass 95% or 0.95, for example."
    number = text.strip().removesuffix("%").strip()
    try:
        share = float(number)
    except ValueError:
        raise InputError(
            f"{name} is {text!r}; it must be a share.", hint=hint
        ) from None
    if text.strip().endswith("%"):
        share /= 100
    elif 1 < share <= 100:
        hint = f"Pass {number}% if you mean a percentage."
    if not 0.0 <= share <= 1.0:
        raise InputError(
            f"{name} is {text!r}; it must be between 0% and 100%, or between 0 and 1.",
            hint=hint,
        )
    return share


def parsed_seconds(name: str, text: str) -> float:
    """Number of seconds that a text names.

    >>> parsed_seconds("--thatch-seconds", "60"), parsed_seconds("--seconds", "1.5s")
    (60.0, 1.5)
    """
    try:
        seconds = float(text.strip().removesuffix("s"))
    except ValueError:
        seconds = -1.0
    if not (isfinite(seconds) and seconds >= 0.0):
        raise InputError(
            f"{name} is {text!r}; it must be a number of seconds, finite and "
            "non-negative.",
            hint="Pass 60, for example.",
        )
    return seconds


@dataclass(frozen=True, kw_only=True)
class SuiteSettings:
    """What the selected tests are to keep, or how long they may take."""

    share: float | None = option(
        None,
        help="Share of the covered lines to keep with the cheapest tests",
        default_text="1, unless there is --seconds",
        minimum=0,
        maximum=1,
    )
    seconds: float | None = option(
        None,
        help="Maximum total duration of the tests, instead of a share; they cover as "
        "many lines as possible",
        minimum=0,
    )
