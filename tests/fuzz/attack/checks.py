"""What is wrong with results, compared with all selections of a small problem."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fuzz.attack.truth import Truth, mask_of

import thatch
from thatch import Status
from thatch.errors import InfeasibleError

# Relative: a double is this close to the number that was rounded to it.
_ROUNDING = Fraction(1, 2**52)
# Relative: what is this close is often called proved.
_NEAR = Fraction(1, 10**8)
# Relative: of targets of `cover` that are sums of decimals.
_DECIMALS = Fraction(2, 10**12)


@dataclass(frozen=True)
class Fault:
    """A broken promise: its kind, which shrinking keeps, and the numbers."""

    kind: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}" if self.detail else self.kind

    @property
    def is_rounding(self) -> bool:
        """Whether it is about the last digit of a double."""
        return self.kind.endswith("by rounding")


def verified(problem: Any, result: Any) -> str | None:
    """What thatch's own check of certificates says against a result, if it has one."""
    found = thatch.verify(problem, result)
    return None if found.holds else str(found)


def of_result(
    truth: Truth, result: Any, budget: float, *, problem: Any = None
) -> Iterator[Fault]:
    """What is wrong with a result of `solve` at a budget.

    Parameters
    ----------
    truth
        All selections of the problem.
    result
        The result, which need not be optimal.
    budget
        The budget, in place of that of the problem.
    problem
        What `verified` checks the result for; default: it does not.
    """
    best = truth.optimum(budget)
    mask = mask_of(result.selection.items.tolist())
    if mask not in truth.allowed_set or not truth.is_within(mask, budget):
        yield Fault("the selection is not feasible", f"{result.selection.items}")
        return
    assert best is not None
    yield from _of_sums(truth, mask, result.selection)
    exact, value = truth.exact_value(best), result.selection.value
    yield from _of_bound("upper bound", result.upper_bound, exact, sign=1)
    if result.status is Status.OPTIMAL:
        yield from _of_proof(result, value, truth.rounded_value(best))
    if problem is not None and (found := verified(problem, result)) is not None:
        yield Fault("the result is not verified", found)


def _of_sums(truth: Truth, mask: int, selection: Any) -> Iterator[Fault]:
    """Sums that are not the correctly rounded ones."""
    value = truth.rounded_value(truth.values[mask])
    cost = truth.costs.rounded(truth.costs.sums[mask])
    if selection.value != value:
        yield Fault("the value is not the sum", f"{selection.value!r}, not {value!r}")
    if selection.cost != cost:
        yield Fault("the cost is not the sum", f"{selection.cost!r}, not {cost!r}")


def _of_bound(
    name: str, bound: float, exact: Fraction, *, sign: int
) -> Iterator[Fault]:
    """A bound on the wrong side of what is exactly possible.

    The sign is 1 for upper bounds, -1 for lower ones.
    """
    if bound != bound:
        yield Fault(f"the {name} is NaN")
        return
    if bound in (float("inf"), float("-inf")):
        return
    excess = sign * (exact - Fraction(bound))
    if excess > 0:
        near = " by rounding" if excess <= _ROUNDING * exact else ""
        numbers = f"bound {bound!r}, possible {float(exact)!r}"
        if near:
            numbers += f" (exactly {float(excess)!r} beyond the bound)"
        yield Fault(f"the {name} is exceeded{near}", numbers)


def _of_proof(result: Any, reached: float, best: float) -> Iterator[Fault]:
    """A result that is called optimal, and is not, or has a gap."""
    if reached != best:
        off = abs(Fraction(reached) - Fraction(best))
        near = off <= _NEAR * max(Fraction(best), Fraction(reached))
        kind = "optimal, but something slightly better is possible"
        if not near:
            kind = "optimal, but something better is possible"
        yield Fault(kind, f"{reached!r}, possible {best!r}")
    if result.gap != 0.0:
        yield Fault("optimal, but the gap is not 0", f"gap {result.gap!r}")


def of_cover(truth: Truth, result: Any, call: dict[str, Any]) -> Iterator[Fault]:
    """What is wrong with a result of `cover`."""
    mask = mask_of(result.selection.items.tolist())
    if mask not in truth.allowed_set:
        yield Fault("the selection breaks a constraint", f"{result.selection.items}")
        return
    yield from _of_sums(truth, mask, result.selection)
    goal = targets(truth, call)
    covered = truth.exact_value(truth.values[mask])
    if covered < goal.lenient:
        numbers = f"{float(covered)!r}, target {float(goal.strict)!r}"
        yield Fault("the target is not reached", numbers)
        return
    least = truth.least_cost(goal.strict)
    if least is None:
        return
    exact = truth.costs.exact(least)
    yield from _of_bound("lower bound", result.lower_bound, exact, sign=-1)
    if result.status is Status.OPTIMAL:
        best = truth.costs.rounded(least)
        if result.cost > best:
            yield from _of_proof(result, result.cost, best)
        elif result.gap != 0.0:
            yield Fault("optimal, but the gap is not 0", f"gap {result.gap!r}")
    if (found := verified(truth.case.problem(), result)) is not None:
        yield Fault("the result is not verified", found)


@dataclass(frozen=True)
class Targets:
    """The weight that surely reaches the target of `cover`, and the least accepted."""

    strict: Fraction
    lenient: Fraction


def targets(truth: Truth, call: dict[str, Any]) -> Targets:
    """What `cover` is asked to reach, with its documented tolerance for decimals.

    Of integers, the target is the next integer: 0.07 of 100 is 7, although the product
    of the two doubles is more.
    """
    coverable = truth.exact_value(truth.coverable)
    if "share" in call:
        share = call["share"]
        asked = Fraction(share) * coverable
        rounded = Fraction(share * truth.rounded_value(truth.coverable))
        asked = min(max(asked, rounded), coverable)
    elif "weight" in call:
        asked = Fraction(call["weight"])
    else:
        return Targets(coverable, coverable)
    tolerance = _DECIMALS * coverable
    lenient = asked - tolerance
    is_integer = all(weight.is_integer() for weight in truth.case.weights)
    if is_integer and coverable < 10**11:
        if "weight" in call:
            tolerance = min(tolerance, Fraction(1, 10**6))
        whole = Fraction(-((tolerance / 2 - asked) // 1))
        return Targets(whole, whole)
    return Targets(asked, lenient)


def of_refusal(error: Exception, is_possible: bool) -> Iterator[Fault]:
    """What is wrong with an exception, if a feasible selection exists or not."""
    if isinstance(error, InfeasibleError):
        if is_possible:
            yield Fault("InfeasibleError, but a selection is feasible", str(error))
        return
    name = type(error).__name__
    text = " ".join(str(error).split())
    yield Fault(f"{name} is raised", text[-600:])
