"""Small random problems: answers of all solvers against an enumeration."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from functools import cache
from math import fsum
from pathlib import Path
from random import Random

import numpy as np

from thatch import (
    Auto,
    BeliefPropagation,
    CoverageProblem,
    Effort,
    Status,
    ThatchError,
    read_instance,
    solve,
    write_instance,
)
from thatch.solvers.base import Solver
from thatch.solvers.registry import solver_named, solver_names
from thatch.solvers.step_efforts import RecombinationEffort

#: Settings that lead small problems through the code for larger ones.
_VARIANTS = {
    "auto without enumeration": Auto(Effort(max_items_exhaustive=0)),
    "auto that searches first": Auto(
        Effort(
            max_items_exhaustive=0,
            max_items_to_branch_first=0,
            max_component_selections=0,
            descent_iterations=3,
            recombination=RecombinationEffort(min_items_for_neighborhoods=2),
        )
    ),
    "auto that passes messages first": Auto(
        Effort(
            max_items_exhaustive=0,
            min_edges_for_messages=0,
            min_edges_for_messages_first=0,
            max_component_selections=0,
        )
    ),
    "max-sum": BeliefPropagation(inverse_temperature=float("inf")),
    "reinforced messages": BeliefPropagation(reinforcement=0.9, damping=0.0),
}


@cache
def solvers() -> dict[str, Solver]:
    """Every registered solver, and some with other settings, by name."""
    return {name: solver_named(name) for name in solver_names()} | _VARIANTS


@dataclass(frozen=True)
class Optimum:
    """What no selection exceeds, and whether values are sums of integers."""

    value: float
    has_integer_weights: bool


def random_problem(rng: Random, *, max_items: int = 10) -> CoverageProblem:
    """A problem of at most ten items whose numbers are hard to add or to compare."""
    num_items, num_elements = rng.randint(1, max_items), rng.randint(1, 12)
    density = rng.choice([0.05, 0.2, 0.5, 0.9, 1.0])
    edges = [
        (i, a)
        for i in range(num_items)
        for a in range(num_elements)
        if rng.random() < density
    ]
    costs = _numbers(rng, num_items)
    weights = _numbers(rng, num_elements)
    return CoverageProblem.from_edges(
        edges, costs=costs, weights=weights, budget=_budget(rng, costs)
    )


def _numbers(rng: Random, count: int) -> list[float]:
    kind = rng.choice(["small", "equal", "decimal", "tiny", "huge", "mixed", "real"])
    draw = {
        "small": lambda: float(rng.randint(0, 6)),
        "equal": lambda: 3.0,
        "decimal": lambda: rng.randint(0, 30) / 10,
        "tiny": lambda: rng.random() * 1e-12,
        "huge": lambda: float(rng.randint(10**14, 10**15)),
        "mixed": lambda: 10.0 ** rng.uniform(-12, 12),
        "real": rng.random,
    }[kind]
    share_of_zeros = rng.choice([0.0, 0.0, 0.3])
    return [0.0 if rng.random() < share_of_zeros else draw() for _ in range(count)]


def _budget(rng: Random, costs: list[float]) -> float:
    """A budget that a selection meets exactly, or almost, or any other one."""
    subset = [cost for cost in costs if rng.random() < 0.5]
    exact = fsum(subset)
    return rng.choice(
        [
            exact,
            exact,
            sum(reversed(subset)),
            float(np.nextafter(exact, 0.0)),
            fsum(costs) * rng.random(),
            fsum(costs),
            0.0,
        ]
    )


def optimum(problem: CoverageProblem) -> Optimum:
    """The largest value of a selection within the budget, by trying them all."""
    num_items = problem.num_items
    is_chosen = (np.arange(2**num_items)[:, None] >> np.arange(num_items)) & 1 == 1
    is_covered = is_chosen @ _matrix(problem) > 0
    spent = is_chosen @ problem.costs
    near = np.abs(spent - problem.budget) <= 1e-9 * (problem.budget + spent)
    fits = spent <= problem.budget
    for k in np.flatnonzero(near):
        fits[k] = fsum(problem.costs[is_chosen[k]].tolist()) <= problem.budget
    values = np.where(fits, is_covered @ problem.weights, -1.0)
    best = values.max()
    close = np.flatnonzero(values >= best - 1e-9 * abs(best))
    covers = np.unique(is_covered[close], axis=0)
    exact = max(fsum(problem.weights[cover].tolist()) for cover in covers)
    is_integer = all(weight.is_integer() for weight in problem.weights.tolist())
    return Optimum(exact, is_integer and fsum(problem.weights.tolist()) < 2.0**53)


def _matrix(problem: CoverageProblem) -> np.ndarray:
    matrix = np.zeros((problem.num_items, problem.num_elements))
    for i in range(problem.num_items):
        matrix[i, problem.edges.elements_of(i)] = 1.0
    return matrix


def require_truth(problem: CoverageProblem, name: str, best: Optimum) -> None:
    """Require that what a solver returns is feasible, counted right and proved."""
    result = solve(problem, solvers()[name], num_threads=1)
    chosen = result.selection.items.tolist()
    cost = fsum(problem.costs[chosen].tolist())
    covered = _matrix(problem)[chosen].sum(axis=0) > 0
    value = fsum(problem.weights[covered].tolist())
    assert cost <= problem.budget, f"{name}: cost {cost!r}"
    assert result.selection.value == value, f"{name}: value {value!r}"
    assert value <= best.value, f"{name}: value {value!r} above {best.value!r}"
    bound = result.upper_bound
    assert bound >= best.value, f"{name}: bound {bound!r} below {best.value!r}"
    if result.status is Status.OPTIMAL:
        least = best.value if best.has_integer_weights else best.value * (1 - 1e-8)
        assert value >= least, f"{name}: {value!r} is not optimal: {best.value!r}"


def case(random: Random) -> tuple[str, bytes]:
    """A problem in thatch's own format, which keeps every digit."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problem.json"
        write_instance(random_problem(random), path)
        return path.suffix, path.read_bytes()


def failure_of(path: Path) -> str | None:
    """Which solver is wrong about the problem in a file, and how."""
    problem = read_instance(path)
    best = optimum(problem)
    for name in solvers():
        try:
            require_truth(problem, name, best)
        except (AssertionError, ThatchError) as error:
            return str(error)
    return None
