"""A problem made smaller by what is known: a selection from below, bounds from above.

Charges give a bound, and the better the best selection known, the more items they
settle. What remains is reduced and charged anew, until nothing more is settled; then
every selection that may still be better is tried, if there are not too many.
"""

from __future__ import annotations

from math import inf, nextafter

import numpy as np

from thatch._kernels.branch import Branch
from thatch.bounds.dual_bounds import DualPoint, proof_tolerance
from thatch.bounds.dual_descent import DualDescent
from thatch.presolve.dominance import Reduction, reduce
from thatch.presolve.integer_costs import with_integer_costs
from thatch.presolve.variable_fixing import Core, fix_variables, open_share, slack_above
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.run import Run
from thatch.solvers.greedy import GeneralizedGreedy

_MOST_ITERATIONS = 300
# Enough for a branch to settle most small problems, whose charges take the longest.
_FEW_ITERATIONS = 20
# Charges go on while they close this share of the gap between two looks at it. Above so
# many edges a look takes time, and the bound is often all that will be had: there they
# go on for longer.
_WORTH_CHARGING, _WORTH_CHARGING_MANY = 0.1, 0.03
_MANY_EDGES = 100_000
# Edges passed between two looks at the clock: half a second.
_EDGES_A_LOOK = 20_000_000
# Narrowing goes on while this share of the items or less remains.
_WORTH_WHILE = 0.95
#: Decisions worth trying before anything else gets its turn: a quarter of a second.
MOST_NODES = 3_000_000
# A branch is as deep as there are items.
_MOST_ITEMS_TO_BRANCH = 5_000
# Above it, sums of whole weights may be off by one half.
_LARGEST_SURE_BOUND = 1e12


class Narrowing:
    """The best selection and bound so far, and what is left of the problem."""

    def __init__(self, problem: CoverageProblem, best: Selection) -> None:
        self.original = problem
        #: The best selection known, of the original problem.
        self.best = best
        #: No selection is worth more than this.
        self.bound = inf
        counted = (
            problem
            if problem.has_exact_costs
            else with_integer_costs(problem) or problem
        )
        first = reduce(counted)
        self._steps: list[Reduction | Core] = [first]
        #: What is left to decide.
        self.problem = first.problem
        #: A selection of that, not always as good as the best.
        self.start = first.reduced(Selection(counted, best.items))
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
        return proof_tolerance(self.original, self.best.value)

    def restored(self, selection: Selection) -> Selection:
        """A selection of what is left, as one of the original problem."""
        for step in reversed(self._steps):
            selection = step.restored(selection)
        return Selection(self.original, selection.items)

    def offer(self, selection: Selection) -> bool:
        """Take a selection of what is left, if it is better than the best."""
        is_better = self._take(self.restored(selection))
        if is_better:
            self.start = selection
        return is_better

    def _take(self, restored: Selection) -> bool:
        is_better = restored.is_feasible and restored.value > self.best.value
        if is_better:
            self.best = restored
        return is_better

    def tighten(self, bound: float) -> None:
        """Take a bound on what is left: no better selection is worth more."""
        if self._base > 0.0:
            bound = nextafter(bound + self._base, inf)
        bound = self.original.rounded_bound(bound)
        self.bound = min(self.bound, max(bound, self.best.value))

    def settle(self, run: Run, max_nodes: int) -> None:
        """Charge a little and branch: most small problems need no more."""
        multipliers = DualDescent(self.problem, self.start, num_threads=run.num_threads)
        _improve(multipliers, _FEW_ITERATIONS, self.problem.num_edges, run)
        self._point = DualPoint.at(self.problem, multipliers.values)
        self.tighten(self._point.bound)
        run.report(self.best, upper_bound=self.bound, step="charges")
        if not self.is_proved:
            self.branch(max_nodes)
        if not self.is_proved:
            # More charges make a better point.
            self._point = None
            self._tried = (-1.0, 0)

    def narrow(self, run: Run) -> None:
        """Charge, settle and reduce until little more is settled."""
        while not self.is_proved and run.check_stop() is None:
            if self._point is None:
                self._charge(run)
            if self._point is None or self.problem.num_items == 0:
                return
            if (
                open_share(self.problem, self._point, self._incumbent_value)
                > _WORTH_WHILE
            ):
                return
            self._enter(fix_variables(self.problem, self._point, self._incumbent_value))

    def branch(self, max_nodes: int) -> None:
        """Try every selection that may be better, unless there are too many."""
        problem = self.problem
        point = self._point
        if point is None or problem.num_items > _MOST_ITEMS_TO_BRANCH:
            return
        if self._tried[0] == self._incumbent_value and max_nodes < 4 * self._tried[1]:
            return
        self._tried = (self._incumbent_value, max_nodes)
        marks = np.zeros(problem.num_items, dtype=np.int8)
        search = Branch(
            problem.costs,
            problem.weights,
            problem.edges.item_start,
            problem.edges.item_elements,
            point.multipliers,
            point.reduced_profits,
            point.price,
            np.argsort(-np.abs(point.reduced_profits), kind="stable"),
            marks,
        )
        tolerance = 0.0 if problem.has_exact_costs else 1e-11 * problem.budget
        is_whole = problem.has_whole_weights
        nodes_left, is_clear, is_found = search.search(
            problem.budget + tolerance,
            problem.budget - tolerance,
            slack_above(problem, point, self._incumbent_value),
            # Half of the least gain, so that rounding cannot hide it.
            0.5 if is_whole else 0.1 * self._slack,
            max_nodes,
        )
        if is_found:
            found = self.restored(Selection(problem, np.flatnonzero(marks)))
            is_clear = is_clear and found.is_feasible
            self._take(found)
        if nodes_left > 0 and is_clear and point.bound < _LARGEST_SURE_BOUND:
            self.bound = min(self.bound, self.best.value + self._slack)

    @property
    def _incumbent_value(self) -> float:
        return self.best.value - self._base

    def _charge(self, run: Run) -> None:
        """Improve charges until they hardly close the gap any more."""
        multipliers = DualDescent(self.problem, self.start, num_threads=run.num_threads)
        has_many = self.problem.num_edges >= _MANY_EDGES
        chunk = 100 if has_many else 50
        worth_while = _WORTH_CHARGING_MANY if has_many else _WORTH_CHARGING
        previous = inf
        for _ in range(0, _MOST_ITERATIONS, chunk):
            _improve(multipliers, chunk, self.problem.num_edges, run)
            point = DualPoint.at(self.problem, multipliers.values)
            if self._point is None or point.bound < self._point.bound:
                self._point = point
            self.tighten(point.bound)
            status = run.report(self.best, upper_bound=self.bound, step="charges")
            gain, gap = previous - point.bound, point.bound - self._incumbent_value
            if status is not None or self.is_proved or gain < worth_while * gap:
                return
            previous = point.bound

    def _enter(self, core: Core) -> None:
        reduction = reduce(core.problem)
        self._steps += [core, reduction]
        start = core.reduced(self.start)
        self._base = nextafter(self._base + core.base, inf) if core.base else self._base
        self.problem = reduction.problem
        self._point = None
        self._tried = (-1.0, 0)
        if start is None:
            start = GeneralizedGreedy().solve(core.problem, Run()).selection
        self.start = reduction.reduced(start)
        # Those taken, with what is left of the start, may be the best by now.
        self.offer(self.start)


def _improve(
    multipliers: DualDescent, iterations: int, num_edges: int, run: Run
) -> None:
    """Take so many steps, fewer if the run must stop."""
    slice_size = max(1, _EDGES_A_LOOK // max(1, num_edges))
    for done in range(0, iterations, slice_size):
        multipliers.improve(min(slice_size, iterations - done))
        if run.check_stop() is not None:
            return
