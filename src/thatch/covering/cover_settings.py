"""The target of a cover, as the command line and the API name it."""

from __future__ import annotations

from dataclasses import dataclass

from thatch.options import option

__all__ = ["CoverSettings"]


@dataclass(frozen=True, kw_only=True)
class CoverSettings:
    """What is to be covered."""

    share: float | None = option(
        None,
        help="Share of the coverable weight to cover",
        default_text="everything coverable",
        minimum=0,
        maximum=1,
    )
    weight: float | None = option(
        None, help="Weight to cover, instead of a share", minimum=0
    )
