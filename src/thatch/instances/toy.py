"""Small problems whose optimum is known, for examples and tests."""

from __future__ import annotations

from dataclasses import dataclass

from thatch.errors import InputError
from thatch.problem.coverage_problem import CoverageProblem


@dataclass(frozen=True)
class Toy:
    """A problem and the value of its best selection."""

    problem: CoverageProblem
    optimum: float


def greedy_trap() -> Toy:
    """Two items that share nothing are best; a third, heavier one lures every greedy.

    >>> toy = greedy_trap()
    >>> toy.problem, toy.optimum
    (CoverageProblem(3 items, 4 elements, 6 edges, budget 2), 16.0)
    """
    sets = {"bait": ["b", "c"], "left": ["a", "b"], "right": ["c", "d"]}
    weights = {"a": 3, "b": 5, "c": 5, "d": 3}
    return Toy(CoverageProblem.from_sets(sets, budget=2, weights=weights), 16.0)


def cheap_crumb() -> Toy:
    """A crumb of high ratio keeps the loaf out of the budget: why ratios need a guard.

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
    """Items in a row, each sharing one element with the next; half are affordable.

    Every item covers two unit elements, so the best items are those that do not touch.

    >>> path(5).optimum
    4.0
    """
    if num_items < 1:
        raise InputError(
            f"num_items must be >= 1, got {num_items}.", hint="Ask for 1 or more."
        )
    budget = num_items // 2
    sets = [[i, i + 1] for i in range(num_items)]
    problem = CoverageProblem.from_sets(
        sets, budget=budget, weights=[1.0] * (num_items + 1)
    )
    return Toy(problem, 2.0 * budget)


def star(num_items: int) -> Toy:
    """Items that all cover one heavy hub and each a light leaf of its own.

    >>> star(10).optimum
    13.0
    """
    if num_items < 3:
        raise InputError(
            f"num_items must be >= 3, got {num_items}.", hint="Ask for 3 or more."
        )
    sets = [[0, i + 1] for i in range(num_items)]
    weights = [10.0] + [1.0] * num_items
    return Toy(CoverageProblem.from_sets(sets, budget=3, weights=weights), 13.0)
