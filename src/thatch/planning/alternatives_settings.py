"""Settings of alternatives, as the API names them."""

from __future__ import annotations

from dataclasses import dataclass

from thatch.options import option

__all__ = ["AlternativesSettings"]


@dataclass(frozen=True, kw_only=True)
class AlternativesSettings:
    """How many selections there are, and how much they differ.

    >>> AlternativesSettings().differ
    0.2
    """

    n: int = option(
        4, help="Number of selections, with the best one", minimum=1, maximum=20
    )
    differ: float = option(
        0.2,
        help="Share of the items in which any two selections differ, at least",
        above=0,
        maximum=1,
    )
