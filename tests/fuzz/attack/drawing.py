"""Cases: problems, what is asked about them, and limits that are just met."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

from fuzz.attack import problems
from fuzz.attack.problems import Case
from fuzz.attack.truth import Amounts, Truth


def case(rng: Random, call: Callable[[Random, Case], dict[str, Any]]) -> Case:
    """A problem of at most 12 items, and a call that is drawn for it."""
    drawn = problems.problem(rng)
    if drawn.constraints and rng.random() < 0.3:
        drawn = tightened(rng, drawn)
    return replace(drawn, call=call(rng, drawn))


def tightened(rng: Random, case: Case) -> Case:
    """The case with budgets that a selection just meets, often the cheapest one."""
    others = {name: v for name, v in case.constraints.items() if name != "budgets"}
    allowed = Truth(replace(case, constraints=others)).allowed
    if not allowed:
        return case
    budgets = case.constraints.get("budgets", {})
    amounts = {name: Amounts(costs) for name, (costs, _) in budgets.items()}
    amounts["costs"] = Amounts(case.costs)
    cheapest = min(allowed, key=amounts[rng.choice(list(amounts))].sums.__getitem__)
    mask = cheapest if rng.random() < 0.7 else rng.choice(allowed)
    met = {name: each.rounded(each.sums[mask]) for name, each in amounts.items()}
    if budgets:
        others["budgets"] = {
            name: [costs, met[name]] for name, (costs, _) in budgets.items()
        }
    is_budget_met = not budgets or rng.random() < 0.5
    budget = met["costs"] if is_budget_met else sum(case.costs)
    return replace(case, budget=budget, constraints=others)
