"""From the fields of items to a selection."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from thatch.arrays import Floats
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.run import Run
from thatch.solvers.greedy import complete_by_gain, ranking, round_by_rank


class BestRounding:
    """The best filling by rank so far, and the fields that ranked it.

    >>> from thatch import Run
    >>> from thatch.instances import toy
    >>> filling = BestRounding(toy.greedy_trap().problem)
    >>> filling.rank_by(np.array([3.0, 2.0, 1.0])).value
    13.0
    >>> filling.refill(Run()).value
    13.0
    >>> filling.rank_by(np.array([1.0, 3.0, 2.0])).value
    16.0
    """

    def __init__(self, problem: CoverageProblem) -> None:
        #: The best selection so far, if there is one yet.
        self.best: Selection | None = None
        self._problem = problem
        self._fields = np.zeros(problem.num_items)

    def rank_by(self, fields: Floats) -> Selection:
        """Rank and fill; the best so far, of equal ones the latest."""
        found = round_by_rank(self._problem, fields)
        if self.best is None or found.value >= self.best.value:
            self.best, self._fields = found, fields
        return self.best

    def finished(self) -> BestRounding:
        """Itself: a ranker on a GPU comes back to the processor here."""
        return self

    def refill(self, run: Run) -> Selection:
        """Improve the best ranking's end, while the run has time."""
        best = self.rank_by(self._fields)
        for found in greedy_completions(self._problem, self._fields):
            best = found if found.value > best.value else best
            if run.seconds_left <= 0:
                break
        self.best = best
        return best


def greedy_completions(problem: CoverageProblem, merits: Floats) -> Iterator[Selection]:
    """Fillings by rank whose last items are given up for those that gain the most.

    Fields know which items go together, but which items still fit at the end is an
    accident of the ranking: gains choose better there. Given up are 1, 2, 4, 8, ...
    and at last all items, which leaves g-greedy's selection.

    >>> from thatch.instances import toy
    >>> problem = toy.greedy_trap().problem
    >>> fields = np.array([1.0, 3.0, 2.0])
    >>> [found.value for found in greedy_completions(problem, fields)]
    [16.0, 13.0]
    """
    order = ranking(problem, merits)
    chosen = order[np.isin(order, round_by_rank(problem, merits).items)]
    num_given_up = 1
    while num_given_up < chosen.size:
        yield complete_by_gain(problem, chosen[:-num_given_up], divisors=problem.costs)
        num_given_up *= 2
    yield complete_by_gain(problem, chosen[:0], divisors=problem.costs)
