"""Explorers: three ways to a local optimum, each continued at any time.

A climb exchanges items while that improves. Annealing also accepts exchanges that do
not, and less so as its temperature falls. Weighting is for selections that cover almost
everything: elements that stay uncovered gain weight until an item of theirs is chosen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from thatch._kernels.exchanges import Exchanges
from thatch.arrays import Floats, Indices
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.solvers.local_search import Climber, Marks


@dataclass(frozen=True, eq=False)
class Guide:
    """What multipliers say to annealing."""

    #: What a unit of the budget is worth.
    price: float
    #: Items in the order of edges, those of an element by falling reduced profit.
    element_items: Indices

    @classmethod
    def of(cls, problem: CoverageProblem, price: float, profits: Floats) -> Guide:
        """From a price and one reduced profit per item."""
        ranking = np.argsort(-profits, kind="stable")
        return cls(price, problem.edges.ranked_items(ranking))


class Explorer(Protocol):
    """A search that is continued at any time."""

    @property
    def best(self) -> Selection:
        """The best selection found so far."""
        ...

    def advance(self, work: float) -> float:
        """Search on for some work; return the work done, 0 at the end."""
        ...


class Climb:
    """Climb by exchanges, perturb, and climb again."""

    def __init__(
        self, problem: CoverageProblem, start: Selection, *, seed: int, is_noisy: bool
    ) -> None:
        self._climber = Climber(problem, start, seed=seed, is_noisy=is_noisy)

    @property
    def best(self) -> Selection:
        """The best selection found so far."""
        return self._climber.best

    def advance(self, work: float) -> float:
        """Climb on for some work; return the work done."""
        return self._climber.climb(10**9, work)[1]


class Annealing:
    """Random exchanges from a selection on, at a falling temperature.

    Parameters
    ----------
    problem, start, seed
        What to search, from where, and the seed of the random numbers.
    temperatures
        The first and the last temperature.
    work
        The work until the last temperature.
    budget
        In place of the problem's own. The start must be within it.
    guide
        A price for what is not spent, and which items are proposed most often.
    """

    def __init__(
        self,
        problem: CoverageProblem,
        start: Selection,
        *,
        seed: int,
        temperatures: tuple[float, float],
        work: float,
        budget: float | None = None,
        guide: Guide | None = None,
    ) -> None:
        self._problem = problem
        self._marks, self._exchanges = _exchanges(
            problem, start, seed, budget=budget, guide=guide
        )
        self._first, self._last = temperatures
        self._temperature = self._first
        self._work = work

    @property
    def best(self) -> Selection:
        """The best selection of the second half."""
        return Selection(self._problem, np.flatnonzero(self._marks))

    def advance(self, work: float) -> float:
        """Anneal on for some work; return the work done, 0 at the last temperature."""
        if self._temperature <= self._last:
            return 0.0
        done: int
        done, self._temperature = self._exchanges.anneal(
            self._temperature, self._first, self._last, self._work, int(work)
        )
        return done


class Weighting:
    """Cover uncovered elements one by one, with weights that grow until they are."""

    def __init__(
        self, problem: CoverageProblem, start: Selection, *, seed: int
    ) -> None:
        self._problem = problem
        self._marks, self._exchanges = _exchanges(problem, start, seed)

    @property
    def best(self) -> Selection:
        """The best selection found so far."""
        return Selection(self._problem, np.flatnonzero(self._marks))

    def advance(self, work: float) -> float:
        """Search on for some work; return the work done, 0 if nothing is uncovered."""
        done: int = self._exchanges.weigh(int(work))
        return done


def _exchanges(
    problem: CoverageProblem,
    start: Selection,
    seed: int,
    *,
    budget: float | None = None,
    guide: Guide | None = None,
) -> tuple[Marks, Exchanges]:
    """Marks of the best selection, and the exchanges that set them."""
    marks = np.zeros(problem.num_items, dtype=np.int8)
    marks[start.items] = 1
    edges = problem.edges
    # Sums of other costs are rounded: stay clear of the budget.
    share = 1.0 if problem.has_exact_costs else 1.0 - 1e-12
    group, at_most = problem.group_limits
    exchanges = Exchanges(
        problem.costs,
        problem.weights,
        edges.item_start,
        edges.item_elements,
        edges.element_start,
        edges.element_items if guide is None else guide.element_items,
        group,
        at_most.copy(),
        share * (problem.budget if budget is None else budget),
        # Where all costs are equal, no item is dropped without another.
        0.0 if guide is None or len(np.unique(problem.costs)) <= 1 else guide.price,
        guide is not None,
        int(np.random.PCG64(seed).random_raw()) | 1,
        marks,
    )
    return marks, exchanges
