"""Certificates of many problems: their cost, and whether they are accepted.

    python -m benchmarks.proofs --problems 2000 --processes 16 --output proofs.json

One line per problem: family, items, edges, status, gap, seconds of `solve`, of them for
the certificate, and of `verify`; and how many changed certificates were accepted.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from thatch import CoverageProblem, solve

FAMILIES = (
    *("unit", "whole", "real", "decimal", "heavy-tailed", "points", "components"),
    *("groups", "staff", "needs"),
)
# Families whose constraints need a proof tree of their own.
_CONSTRAINED = ("staff", "needs")
# Most certificates take a tenth of that.
_SECONDS_PER_CHECK = 30.0


def problem_of(family: str, seed: int, num_items: int) -> CoverageProblem:
    """A random problem of a family."""
    rng = np.random.default_rng([seed, FAMILIES.index(family)])
    if family == "points":
        side = math.sqrt(num_items)
        sites = rng.random((num_items, 2)) * side
        demand = rng.random((2 * num_items, 2)) * side
        return CoverageProblem.from_points(
            sites,
            demand,
            radius=1.2,
            metric="euclidean",
            weights=rng.integers(1, 100, len(demand)),
            budget=max(1, num_items // 20),
        )
    count = 2 * num_items
    sizes = rng.integers(1, 12, num_items)
    if family == "heavy-tailed":
        sizes = np.minimum(count, (3 / rng.random(num_items)).astype(int) + 1)
    if family == "components":
        start = rng.permutation(num_items) // 4 * 6
        sets = [start[i] + rng.permutation(6)[:3] for i in range(num_items)]
        count = int(start.max()) + 6
    else:
        sets = [rng.choice(count, size, replace=False) for size in sizes]
    weights, costs = _numbers(rng, family, count), _numbers(rng, family, num_items)
    costs = np.maximum(costs, costs[costs > 0].min())
    budget = float(np.floor(costs.sum() * rng.uniform(0.02, 0.4))) or 1.0
    problem = CoverageProblem.from_sets(
        [each.tolist() for each in sets], costs=costs, weights=weights, budget=budget
    )
    return _constrained(rng, problem, family)


def _numbers(rng: np.random.Generator, family: str, count: int) -> np.ndarray:
    if family in ("unit", "components"):
        return np.ones(count)
    if family == "real":
        return rng.random(count)
    if family == "decimal":
        return np.round(rng.random(count), 2)
    return rng.integers(1, 30, count).astype(float)


def _constrained(
    rng: np.random.Generator, problem: CoverageProblem, family: str
) -> CoverageProblem:
    n = problem.num_items
    if family == "groups":
        return problem.with_constraints(
            groups=rng.integers(0, n // 10, n).tolist(), at_most=2
        )
    if family == "staff":
        hours = rng.integers(1, 20, n).astype(float)
        return problem.with_constraints(budgets={"staff": (hours, hours.sum() * 0.1)})
    if family == "needs":
        pairs = [rng.permutation(n)[:2].tolist() for _ in range(n // 5)]
        return problem.with_constraints(prerequisites=pairs[::2], conflicts=pairs[1::2])
    return problem


def _measured(task: tuple[int, float]) -> dict[str, Any]:
    """Solve and verify one problem."""
    number, max_seconds = task
    family = FAMILIES[number % len(FAMILIES)]
    rng = np.random.default_rng(number)
    most = 1000 if family in _CONSTRAINED else 10_000
    num_items = int(100 * (most / 100) ** rng.random())
    problem = problem_of(family, number, num_items)
    return {"number": number, "family": family, **measured(problem, max_seconds, rng)}


def measured(
    problem: CoverageProblem, max_seconds: float, rng: np.random.Generator
) -> dict[str, Any]:
    """What solving, certifying and verifying one problem takes."""
    certifying = _timed_certificates()
    began = time.perf_counter()
    try:
        result = solve(problem, max_seconds=max_seconds, num_threads=1)
    except Exception as error:  # an infeasible problem, for example
        return {"error": repr(error)}
    solved = time.perf_counter()
    row = {
        "items": problem.num_items,
        "edges": problem.num_edges,
        "status": result.status.label,
        "gap": result.gap,
        "value": result.selection.value,
        "bound": result.upper_bound,
        "solve": solved - began,
        "certify": sum(certifying),
    }
    try:
        from thatch import verify
    except ImportError:
        return row
    found = verify(problem, result)
    row["verify"] = time.perf_counter() - solved
    row["reasons"] = list(found.reasons)
    if problem.num_items <= 2000:
        row["changed"] = _changed(problem, result, rng)
    return row


def _timed_certificates() -> list[float]:
    """A list to which every certificate adds its seconds."""
    seconds: list[float] = []
    try:
        from thatch.solvers import search_state
    except ImportError:
        return seconds
    original = getattr(search_state, "_original", search_state.restored_steps)
    search_state._original = original  # type: ignore[attr-defined]  # noqa: SLF001

    def timed(*arguments: Any) -> Any:
        began = time.perf_counter()
        found = original(*arguments)
        seconds.append(time.perf_counter() - began)
        return found

    search_state.restored_steps = timed  # type: ignore[assignment]
    return seconds


def _changed(problem: CoverageProblem, result: Any, rng: np.random.Generator) -> str:
    """Verify a certificate with one number changed."""
    from thatch.verification import reasons_against_bound

    if result.certificate is None:
        return "none"
    plain = result.certificate.as_dict()
    numbers = [
        (point, name, k)
        for point in plain["points"]
        for name in ("elements", "rows")
        for k in range(len(point[name]))
    ]
    if not numbers:
        return "none"
    point, name, k = numbers[rng.integers(len(numbers))]
    values = np.array(point[name])
    values[k] = rng.choice([0.0, values[k] * 2, values[k] + 1, -values[k], 1e6])
    point[name] = values
    # A claim that is false must be refused, whatever was changed.
    claims = [result.selection.value * (1 - 1e-9) - 1e-9, result.upper_bound]
    is_false, is_stated = (
        not reasons_against_bound(
            problem,
            plain,
            most_covered=claim,
            # Other prices can leave millions of selections to try.
            last_second=time.perf_counter() + _SECONDS_PER_CHECK,
        )
        for claim in claims
    )
    if is_false:
        return "false claim accepted"
    return "still valid" if is_stated else "refused"


def main() -> None:
    """Solve, verify and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=200)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--max-seconds", type=float, default=5.0)
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    tasks = [(k, options.max_seconds) for k in range(options.problems)]
    with (
        get_context("spawn").Pool(options.processes) as pool,
        options.output.open("w", encoding="utf-8") as file,
    ):
        for row in pool.imap_unordered(_measured, tasks):
            file.write(json.dumps(row) + "\n")
            file.flush()


if __name__ == "__main__":
    main()
