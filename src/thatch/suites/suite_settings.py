"""The goal of a selection of tests, as the command line names it."""

from __future__ import annotations

from dataclasses import dataclass

from thatch.options import option

__all__ = ["SuiteSettings"]


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
        help="Most time that the tests may take, instead of a share; they cover as "
        "many lines as possible",
        minimum=0,
    )
