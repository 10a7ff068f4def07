"""Small problems with known optimum, for examples and tests."""

from __future__ import annotations

from dataclasses import dataclass

from thatch.options import require_integer
from thatch.problem.coverage_problem import CoverageProblem


@dataclass(frozen=True)
class Toy:
    """A problem and the value of its best selection."""

    problem: CoverageProblem
    optimum: float


def greedy_trap() -> Toy:
    """Three items of which two disjoint ones are optimal, but the third is heaviest.

    Every greedy algorithm selects the third.

    >>> toy = greedy_trap()
    >>> toy.problem, toy.optimum
    (CoverageProblem(3 items, 4 elements, 6 edges, budget 2), 16.0)
    """
    sets = {"bait": ["b", "c"], "left": ["a", "b"], "right": ["c", "d"]}
    weights = {"a": 3, "b": 5, "c": 5, "d": 3}
    return Toy(CoverageProblem.from_sets(sets, budget=2, weights=weights), 16.0)


def cheap_crumb() -> Toy:
    """A cheap item of high ratio after which the budget excludes the better item.

    Greedy selection by ratio alone has no guarantee because of such problems.

    >>> toy = cheap_crumb()
    >>> toy.problem.costs, toy.optimum
    (array([ 1., 10.]), 10.0)
    """
    sets = {"crumb": ["a"], "loaf": ["b"]}
    problem = CoverageProblem.from_sets(
        sets, budget=10, costs={"crumb": 1, "loaf": 10}, weights={"a": 2, "b": 10}
    )
    return Toy(problem, 10.0)


def path(num_items: int) -> Toy:
    """A path: each item shares one element with the next, and half are affordable.

    Every item covers two elements of weight 1, so that disjoint items are optimal.

    >>> path(5).optimum
    4.0
    """
    require_integer("num_items", num_items, least=1, hint="Pass 1 or more.")
    budget = num_items // 2
    sets = [[i, i + 1] for i in range(num_items)]
    problem = CoverageProblem.from_sets(
        sets, budget=budget, weights=[1.0] * (num_items + 1)
    )
    return Toy(problem, 2.0 * budget)


def star(num_items: int) -> Toy:
    """A star: all items cover one heavy element, and each another light one.

    >>> star(10).optimum
    13.0
    """
    require_integer("num_items", num_items, least=3, hint="Pass 3 or more.")
    sets = [[0, i + 1] for i in range(num_items)]
    weights = [10.0] + [1.0] * num_items
    return Toy(CoverageProblem.from_sets(sets, budget=3, weights=weights), 13.0)
