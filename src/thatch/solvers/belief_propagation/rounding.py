"""Rounding: from the fields of items to a selection within the budget."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from thatch.arrays import Floats
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.run import Run
from thatch.solvers.greedy import complete_by_gain, ranking, round_by_rank


class BestRounding:
    """The best rounding so far, and the fields that gave it.

    >>> from thatch import Run
    >>> from thatch.problem.instances import toy
    >>> rounding = BestRounding(toy.greedy_trap().problem)
    >>> rounding.round(np.array([3.0, 2.0, 1.0])).value
    13.0
    >>> rounding.complete_greedily(Run()).value
    13.0
    >>> rounding.round(np.array([1.0, 3.0, 2.0])).value
    16.0
    """

    def __init__(self, problem: CoverageProblem) -> None:
        #: The best selection so far, if there is one yet.
        self.best: Selection | None = None
        self._problem = problem
        self._fields = np.zeros(problem.num_items)

    def round(self, fields: Floats) -> Selection:
        """Round the fields; return the best selection so far, the last of equals."""
        found = round_by_rank(self._problem, fields)
        if self.best is None or found.value >= self.best.value:
            self.best, self._fields = found, fields
        return self.best

    def selection(self) -> Selection:
        """The best selection so far; empty before the first rounding."""
        return self.best or Selection.of(self._problem, [])

    def on_processor(self) -> BestRounding:
        """Return itself; the rounding on a GPU returns its copy on the processor."""
        return self

    def complete_greedily(self, run: Run) -> Selection:
        """Replace the last items of the best rounding, while the run has time."""
        best = self.round(self._fields)
        completions = greedy_completions(self._problem, self._fields)
        took = 0.0
        # A completion takes about as long as the one before.
        while run.seconds_left > took:
            began = run.seconds
            found = next(completions, None)
            if found is None:
                break
            best = found if found.value > best.value else best
            took = run.seconds - began
        self.best = best
        return best


def greedy_completions(problem: CoverageProblem, merits: Floats) -> Iterator[Selection]:
    """Roundings whose last items are replaced by those that gain the most.

    Fields know which items go together, but which items still fit at the end is an
    accident of the ranking: gains choose better there. The last 1, 2, 4, 8, ... items
    are replaced, and finally all of them, which gives the selection of g-greedy.

    >>> from thatch.problem.instances import toy
    >>> problem = toy.greedy_trap().problem
    >>> fields = np.array([1.0, 3.0, 2.0])
    >>> [found.value for found in greedy_completions(problem, fields)]
    [16.0, 13.0]
    """
    order = ranking(problem, merits)
    chosen = order[np.isin(order, round_by_rank(problem, merits).items)]
    num_replaced = 1
    while num_replaced < chosen.size:
        yield complete_by_gain(problem, chosen[:-num_replaced], divisors=problem.costs)
        num_replaced *= 2
    yield complete_by_gain(problem, chosen[:0], divisors=problem.costs)
