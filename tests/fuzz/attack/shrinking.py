"""Cases that fail, made small and printed as Python."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import fsum
from time import monotonic
from typing import Any

from fuzz.attack.calls import TARGETS, faults
from fuzz.attack.checks import Fault
from fuzz.attack.problems import Case

from thatch.solvers.registry import solver_names

#: A case is made smaller for about this long.
MAX_SECONDS = 20.0


def shrunk(case: Case, fault: Fault, *, max_seconds: float = MAX_SECONDS) -> Case:
    """The case without what its fault does not need."""
    end = monotonic() + max_seconds
    is_smaller = True
    while is_smaller:
        is_smaller = False
        for smaller in _smaller(case):
            if monotonic() > end:
                return case
            if _has(smaller, fault):
                case, is_smaller = smaller, True
                break
    return case


def _has(case: Case, fault: Fault) -> bool:
    """Whether a case has a fault of the same kind."""
    try:
        case.problem()
        return any(found.kind == fault.kind for found in faults(case))
    except Exception:
        return False


def _smaller(case: Case) -> Iterator[Case]:
    """Cases with a little less: items, elements, constraints, then edges and digits."""
    for i in reversed(range(len(case.sets))):
        if len(case.sets) > 1:
            yield without_item(case, i)
    for a in reversed(range(len(case.weights))):
        if len(case.weights) > 1:
            yield without_element(case, a)
    yield from (replace(case, constraints=each) for each in _fewer(case.constraints))
    if len(case.call.get("budgets", ())) > 1:
        for k in range(len(case.call["budgets"])):
            budgets = case.call["budgets"][:k] + case.call["budgets"][k + 1 :]
            yield replace(case, call=case.call | {"budgets": budgets})
    total = fsum(case.costs)
    if "budgets" not in case.call and case.budget != total:
        yield replace(case, budget=total)
    for i, covered in enumerate(case.sets):
        for a in covered:
            fewer = [other for other in covered if other != a]
            yield replace(case, sets=[*case.sets[:i], fewer, *case.sets[i + 1 :]])
    for name in ("costs", "weights"):
        values = getattr(case, name)
        for k, value in enumerate(values):
            if value not in (0.0, 1.0):
                yield replace(case, **{name: [*values[:k], 1.0, *values[k + 1 :]]})


def without_item(case: Case, i: int) -> Case:
    """The case without an item, and those after it renumbered."""
    return replace(
        case,
        sets=case.sets[:i] + case.sets[i + 1 :],
        costs=case.costs[:i] + case.costs[i + 1 :],
        constraints=_constraints_without(case.constraints, i),
    )


def _constraints_without(given: dict[str, Any], i: int) -> dict[str, Any]:
    """The constraints of the items that remain."""
    found = dict(given)
    for name in ("required", "forbidden"):
        if name in found:
            found[name] = [j - (j > i) for j in found[name] if j != i]
    for name in ("prerequisites", "conflicts"):
        if name in found:
            pairs = (pair for pair in found[name] if i not in pair)
            found[name] = [[j - (j > i) for j in pair] for pair in pairs]
    if "groups" in found:
        found["groups"] = found["groups"][:i] + found["groups"][i + 1 :]
        for name in ("at_most", "at_least"):
            if name in found:
                found[name] = {
                    group: limit
                    for group, limit in found[name].items()
                    if group in found["groups"]
                }
    if "budgets" in found:
        found["budgets"] = {
            name: [costs[:i] + costs[i + 1 :], limit]
            for name, (costs, limit) in found["budgets"].items()
        }
    return found


def without_element(case: Case, a: int) -> Case:
    """The case without an element, and those after it renumbered."""
    found = dict(case.constraints)
    if "demands" in found:
        found["demands"] = found["demands"][:a] + found["demands"][a + 1 :]
    return replace(
        case,
        sets=[[b - (b > a) for b in covered if b != a] for covered in case.sets],
        weights=case.weights[:a] + case.weights[a + 1 :],
        constraints=found,
    )


def _fewer(given: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Constraints without one kind, or without one of a kind."""
    for name in given:
        gone = {name}
        if name == "groups":
            gone |= {"at_most", "at_least"}
        elif name in ("at_most", "at_least") and len(given.keys() & _LIMITS) < 2:
            continue
        yield {other: value for other, value in given.items() if other not in gone}
    for name in ("required", "forbidden", "prerequisites", "conflicts"):
        for k in range(len(given.get(name, ()))):
            yield given | {name: given[name][:k] + given[name][k + 1 :]}
    for name in given.get("budgets", {}) if len(given.get("budgets", {})) > 1 else ():
        kept = {
            other: pair for other, pair in given["budgets"].items() if other != name
        }
        yield given | {"budgets": kept}


_LIMITS = {"at_most", "at_least"}


def as_code(case: Case) -> str:
    """The case as Python that repeats it."""
    function, *_ = names = _IMPORTS[case.call["function"]]
    given = {name: value for name, value in case.constraints.items() if value}
    constrained = ""
    if given:
        named = (f"{name}={value!r}" for name, value in given.items())
        constrained = f".with_constraints({', '.join(named)})"
    problem = (
        f"problem = CoverageProblem.from_sets({case.sets!r}, costs={case.costs!r}, "
        f"weights={case.weights!r}, budget={case.budget!r}){constrained}"
    )
    call = function.format(**_arguments(case.call))
    # Other solvers than those that `solve` knows by name.
    imported = ["from fuzz.solvers import solvers"] if "solvers()" in call else []
    return "\n".join([*imported, *names[1:], problem, call])


_IMPORTS = {
    "solve": (
        "result = solve(problem, {solver}, num_threads=1)",
        "from thatch import CoverageProblem, solve",
    ),
    "shards": (
        "result = solve(shards(problem, mkdtemp(), num_shards={num_shards}))",
        "from tempfile import mkdtemp",
        "from thatch import CoverageProblem, solve",
        "from thatch.scale import ShardedProblem",
        "shards = ShardedProblem.from_problem",
    ),
    "cover": (
        "result = cover(problem{target})",
        "from thatch import CoverageProblem, cover",
    ),
    "sweep": (
        "results = sweep(problem, {budgets}, nested={nested}, num_threads=1)",
        "from thatch import CoverageProblem",
        "from thatch.planning import sweep",
    ),
    "alternatives": (
        "results = alternatives(problem, {n}, {differ}, num_threads=1)",
        "from thatch import CoverageProblem",
        "from thatch.planning import alternatives",
    ),
}


def _arguments(call: dict[str, Any]) -> dict[str, str]:
    """The arguments of a call, as they are written."""
    found = {name: repr(value) for name, value in call.items()}
    if call.get("solver", "auto") not in solver_names():
        found["solver"] = f"solvers()[{found['solver']}]"
    target = (f", {name}={found[name]}" for name in TARGETS if name in call)
    return found | {"target": "".join(target)}
