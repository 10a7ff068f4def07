"""A problem made smaller by what is known: a selection from below, bounds from above.

Charges give a bound, and the better the best selection known, the more items they
settle. What remains is reduced and charged anew, until nothing more is settled; then
every selection that may still be better is tried, if there are not too many.
"""

from __future__ import annotations

from math import inf, nextafter

import numpy as np

from thatch._kernels.branch import Branch
from thatch.bounds import DualPoint
from thatch.charges import Charges
from thatch.core import Core, core_of, most_to_lose, share_open
from thatch.problem import CoverageProblem
from thatch.reductions import Reduction, reduce
from thatch.run import Run
from thatch.selection import Selection
from thatch.solvers.greedy import GeneralizedGreedy

# Steps of the charges between two looks at the clock.
_ITERATIONS_A_REPORT = 50
_MOST_ITERATIONS = 300
# Narrowing goes on while this share of the items or less remains.
_WORTH_WHILE = 0.95
# A branch is as deep as there are items.
_MOST_ITEMS_TO_BRANCH = 5_000
# Real weights count as proved optimal to this share of the value; whole ones exactly.
PROOF = 1e-8


class Narrowing:
    """The best selection and bound so far, and what is left of the problem."""

    def __init__(self, problem: CoverageProblem, best: Selection) -> None:
        self.original = problem
        #: The best selection known, of the original problem.
        self.best = best
        #: No selection is worth more than this.
        self.bound = inf
        first = reduce(problem)
        self._steps: list[Reduction | Core] = [first]
        #: What is left to decide.
        self.problem = first.problem
        #: A selection of that, not always as good as the best.
        self.start = first.reduced(best)
        # What is covered beside what is left, and the charges on what is left.
        self._base = 0.0
        self._point: DualPoint | None = None
        # A value to beat at which so many nodes were too few.
        self._tried = (-1.0, 0)

    @property
    def is_proved(self) -> bool:
        """Whether the best selection is as good as the bound."""
        return self.bound <= self.best.value + self._slack

    @property
    def _slack(self) -> float:
        return 0.0 if self.original.has_whole_weights else PROOF * self.best.value

    def offer(self, selection: Selection) -> bool:
        """Take a selection of what is left, if it is better than the best."""
        restored = selection
        for step in reversed(self._steps):
            restored = step.restored(restored)
        is_better = restored.is_feasible and restored.value > self.best.value
        if is_better:
            self.best = restored
            self.start = selection
        return is_better

    def tighten(self, bound: float) -> None:
        """Take a bound on what is left: no better selection is worth more."""
        bound = self.original.rounded_bound(nextafter(bound + self._base, inf))
        self.bound = min(self.bound, max(bound, self.best.value))

    def narrow(self, run: Run) -> None:
        """Charge, settle and reduce until little more is settled."""
        while not self.is_proved and run.ask() is None:
            if self._point is None:
                self._charge(run)
            if self._point is None or self.problem.num_items == 0:
                return
            if share_open(self.problem, self._point, self._to_beat) > _WORTH_WHILE:
                return
            self._enter(core_of(self.problem, self._point, self._to_beat))

    def branch(self, max_nodes: int) -> None:
        """Try every selection that may be better, unless there are too many."""
        problem = self.problem
        point = self._point
        if point is None or problem.num_items > _MOST_ITEMS_TO_BRANCH:
            return
        if self._tried[0] == self._to_beat and max_nodes < 4 * self._tried[1]:
            return
        self._tried = (self._to_beat, max_nodes)
        marks = np.zeros(problem.num_items, dtype=np.int8)
        is_whole = problem.has_whole_weights
        is_sure = bool((problem.costs == np.floor(problem.costs)).all())
        tolerance = 0.0 if is_sure else 1e-11 * self.original.budget
        search = Branch(
            problem.costs,
            problem.weights,
            problem.edges.item_start,
            problem.edges.item_elements,
            point.charges,
            point.surpluses,
            point.price,
            np.argsort(-np.abs(point.surpluses), kind="stable"),
            marks,
        )
        nodes_left, is_clear = search.search(
            problem.budget + tolerance,
            problem.budget - tolerance,
            most_to_lose(problem, point, self._to_beat),
            1.0 if is_whole else 0.1 * self._slack,
            max_nodes,
        )
        if marks.any():
            self.offer(Selection(problem, np.flatnonzero(marks)))
        if nodes_left > 0 and is_clear:
            self.bound = min(self.bound, self.best.value + self._slack)

    @property
    def _to_beat(self) -> float:
        return self.best.value - self._base

    def _charge(self, run: Run) -> None:
        charges = Charges(self.problem, self.start, num_threads=run.num_threads)
        for _ in range(0, _MOST_ITERATIONS, _ITERATIONS_A_REPORT):
            charges.improve(_ITERATIONS_A_REPORT)
            point = DualPoint.at(self.problem, charges.values)
            if self._point is None or point.bound < self._point.bound:
                self._point = point
            self.tighten(point.bound)
            status = run.report(self.best, upper_bound=self.bound, step="charges")
            if status is not None or self.is_proved:
                return

    def _enter(self, core: Core) -> None:
        reduction = reduce(core.problem)
        self._steps += [core, reduction]
        start = core.reduced(self.start)
        self._base += core.base
        self.problem = reduction.problem
        self._point = None
        if start is None:
            start = GeneralizedGreedy().solve(core.problem, Run()).selection
        self.start = reduction.reduced(start)
