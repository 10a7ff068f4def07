"""The weight that a cover must reach."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, isfinite

from thatch.arrays import number
from thatch.errors import InputError
from thatch.problem.coverage_problem import CoverageProblem

# Share of the coverable weight by which sums of weights may be rounded: a share of 0.07
# of 100 elements is 7 of them, although 0.07 * 100 is more than 7.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Target:
    """The weight to cover, and how much may stay uncovered.

    >>> problem = CoverageProblem.from_sets([{0, 1}, {1, 2}, {2, 3, 4}], budget=9)
    >>> Target.of(problem, share=0.5)
    Target(weight=3.0, slack=2.0, rounding=0.0)
    """

    #: The least weight to cover. Integers if the weights are.
    weight: float
    #: The most weight of coverable elements that may stay uncovered.
    slack: float
    #: Sums of uncovered weights may be off by much less than this. Bounds hold for all
    #: that the slack allows; what is found leaves this much of it.
    rounding: float = 0.0

    @classmethod
    def of(
        cls,
        problem: CoverageProblem,
        *,
        share: float | None = None,
        weight: float | None = None,
        coverable: float | None = None,
    ) -> Target:
        """Target of a problem whose items are all affordable.

        The coverable weight is less than what all items cover where constraints say so.

        Raises
        ------
        InputError
            If both are given, or the items together cover less.
        """
        if coverable is None:
            coverable = problem.reachable_weight
        if share is not None and weight is not None:
            raise InputError(
                f"share is {share} and weight is {weight}; only one of them can be "
                "the target.",
                hint="Leave one of them out.",
            )
        if share is not None:
            share = number("share", share)
            if not 0.0 <= share <= 1.0:
                raise InputError(
                    f"share is {share}; it must be between 0 and 1.",
                    hint="Pass 0.95 for 95 %, for example.",
                )
            asked = share * coverable
        elif weight is not None:
            asked = number("weight", weight)
            if not (isfinite(asked) and asked >= 0):
                raise InputError(
                    f"weight is {asked}; it must be finite and non-negative.",
                    hint="Pass a weight of 0 or more.",
                )
        else:
            return cls(coverable, 0.0)
        tolerance = _ROUNDING * coverable
        if asked > coverable + tolerance:
            raise InputError(
                f"weight is {asked:.15g}, but all items together cover only "
                f"{coverable:.15g}.",
                hint="Pass a lower weight, or a share of the coverable weight.",
            )
        asked = min(asked, coverable)
        if problem.has_integer_weights:
            asked = float(ceil(asked - tolerance))
            return cls(asked, coverable - asked)
        if asked == coverable:
            return cls(coverable, 0.0)
        return cls(asked, coverable - asked + tolerance, 0.5 * tolerance)
