"""`verify`: whether what thatch claims about a problem is true, without the solvers.

A claim says: no selection that keeps the constraints and costs at most a limit covers
a certain weight. Its certificate is a list of steps that leave ever fewer selections
for which the claim might be false, until there are none. What remains in the end is
compared in exact arithmetic.

This folder needs NumPy and the standard library. It shares no code with the solvers:
the claim and its certificate come from them, the rest is here.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import fsum, inf, nextafter
from typing import Any

import numpy as np

from thatch.verification.claims import claim_about, keeps_constraints
from thatch.verification.following import check
from thatch.verification.rows import Ints, NotProvedError
from thatch.verification.sharded import reasons_against_shards

__all__ = ["Verification", "reasons_against_bound", "verify"]


@dataclass(frozen=True)
class Verification:
    """What `verify` found: every reason why a claim is not proved.

    >>> Verification(("it has no certificate",)).holds
    False
    """

    #: Why the claim is not proved, as parts of a sentence; empty if it is.
    reasons: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether selection, value and bound are as claimed."""
        return not self.reasons

    def __bool__(self) -> bool:
        """As `holds`, so that `if verify(...)` never passes by mistake."""
        return self.holds

    def __str__(self) -> str:
        if self.holds:
            return "verified"
        return f"not verified: {'; '.join(self.reasons)}"


def verify(
    problem: Any, result: Any, *, max_seconds: float | None = None
) -> Verification:
    """Check a result of `solve` or `cover`: its selection, its value, and its bound.

    The sums are recomputed, and the certificate of the bound is followed step by step
    in exact arithmetic, by code that the solvers do not use.

    Parameters
    ----------
    problem
        The problem that was solved.
    result
        What `solve`, or `cover`, returned for it.
    max_seconds
        How long following the certificate may take; a bound that takes longer counts as
        not verified. A damaged certificate can demand more work than anybody can do.

    >>> from thatch import CoverageProblem, solve
    >>> problem = CoverageProblem.from_sets([{0, 1}, {1, 2}, {2, 3}], budget=2)
    >>> print(verify(problem, solve(problem)))
    verified
    """
    items, value = result.selection.items, result.selection.value
    if not _are_items(problem, items):
        return Verification(("the selection has items that do not exist",))
    reasons: list[str]
    seconds = inf if max_seconds is None else max_seconds
    claim = {"last_second": time.perf_counter() + seconds}
    if hasattr(problem, "shards"):
        return Verification(tuple(reasons_against_shards(problem, result)))
    if getattr(result, "slack", None) is not None:
        reasons = list(_reasons_against_cover(problem, items, result))
        # Nothing costs less than nothing.
        if result.lower_bound > 0:
            least = result.lower_bound
            if not _are_exact(problem.costs):
                # Costs are compared as they are shown: rounded.
                least = nextafter(least, inf)
            claim |= {"most_left": result.slack, "least_cost": least}
            reasons += reasons_against_bound(problem, result.certificate, **claim)
        return Verification(tuple(reasons))
    claim["most_covered"] = result.upper_bound
    reasons = list(_reasons_against_selection(problem, items, value))
    reasons += reasons_against_bound(problem, result.certificate, **claim)
    return Verification(tuple(reasons))


def _are_items(problem: Any, items: Ints) -> bool:
    """Whether the numbers are those of different items."""
    is_inside = bool(((items >= 0) & (items < problem.num_items)).all())
    return is_inside and np.unique(items).size == items.size


def _reasons_against_selection(
    problem: Any, items: Ints, value: float
) -> Iterator[str]:
    """Why a selection does not keep the constraints, or covers another weight."""
    claim = claim_about(problem, most_covered=value)
    if fsum(claim.costs[items].tolist()) > problem.budget:
        yield "the selection exceeds the budget"
    if not keeps_constraints(problem, items):
        yield "the selection does not keep all constraints"
    if fsum(claim.weights[claim.covered(items)].tolist()) != value:
        yield f"the selection does not cover {value!r}"


def _are_exact(costs: Any) -> bool:
    """Whether sums of costs are not rounded."""
    return bool((costs % 1 == 0).all()) and float(costs.sum()) < 2.0**53


def _reasons_against_cover(problem: Any, items: Ints, result: Any) -> Iterator[str]:
    """Why a selection is no cover, or has another cost."""
    claim = claim_about(problem, most_left=result.slack, least_cost=inf)
    if not keeps_constraints(problem, items):
        yield "the selection does not keep all constraints"
    if not claim.contradicts(items):
        yield f"the selection leaves more than {result.slack!r} uncovered"
    if fsum(claim.costs[items].tolist()) < result.lower_bound:
        yield f"the selection costs less than {result.lower_bound!r}"


def reasons_against_bound(
    problem: Any, certificate: Any, **claimed: float
) -> tuple[str, ...]:
    """Why a certificate does not prove a claim; see `claim_about` for claims."""
    if certificate is None:
        return ("the bound has no certificate",)
    is_plain = isinstance(certificate, Mapping)
    try:
        steps = certificate if is_plain else certificate.as_dict()
        check(claim_about(problem, **claimed), steps)
    except NotProvedError as error:
        return (f"the certificate fails: {error}",)
    except MemoryError:
        return ("the certificate fails: it needs more memory than there is",)
    except (
        LookupError,
        TypeError,
        ValueError,
        ArithmeticError,
        AttributeError,
    ) as error:
        return (f"the certificate is damaged: {error}",)
    return ()
