"""The state of a search: the incumbent, the bound, and what is still open."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, nextafter

import numpy as np

from thatch.problem import tolerances
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Restriction, Selection
from thatch.run.certificates import Certificate, Step, TryAll
from thatch.run.result import Result, Status
from thatch.run.run import Run
from thatch.solvers.bounds.dual_bounds import DualPoint
from thatch.solvers.bounds.dual_descent import DualDescent
from thatch.solvers.branch_and_bound import SearchTree
from thatch.solvers.certifying import prices_of, restored_steps
from thatch.solvers.presolve import Reduction, presolve
from thatch.solvers.proving.proving import Proof as TreeProof


@dataclass(frozen=True, eq=False)
class Proof:
    """What shows a bound of the original problem."""

    path: tuple[Reduction | Restriction, ...]
    points: tuple[DualPoint, ...]
    #: For the last problem of the path.
    last: tuple[Step, ...]

    @property
    def certificate(self) -> Certificate:
        """The certificate of the original problem."""
        return Certificate(restored_steps(self.last, self.path, self.points))


@dataclass(frozen=True, eq=False)
class SearchState:
    """The incumbent, the bound, and the part of the problem that is still open."""

    original: CoverageProblem
    #: The best selection known, of the original problem.
    incumbent: Selection
    #: What is left to decide.
    problem: CoverageProblem
    #: A selection of the open problem; the incumbent may be better.
    start: Selection
    #: How the open problem came from the original one, and the dual points that
    #: decided its items.
    steps: tuple[Reduction | Restriction, ...] = ()
    points: tuple[DualPoint, ...] = ()
    #: No selection of the original problem is worth more than this.
    bound: float = inf
    #: Weight covered by items that are fixed, rounded up.
    base_value: float = 0.0
    #: The lowest dual point of the open problem, once there was a descent.
    dual: DualPoint | None = None
    #: The last branch and bound of the open problem, if it did not end.
    tree: SearchTree | None = None
    #: The descent that found it, which can be continued: the one thing that changes.
    descent: DualDescent | None = None
    #: Whether the overlaps of the open problem were bounded.
    has_overlap_bound: bool = False
    #: What shows the bound.
    proof: Proof | None = None
    #: Whether all that may be better was compared with the incumbent, by exact sums.
    is_compared: bool = False

    @classmethod
    def unreduced(cls, problem: CoverageProblem, incumbent: Selection) -> SearchState:
        """The problem as it is, where presolve would take too long."""
        bound = problem.reachable_bound
        proof = Proof((), (), ())
        return cls(problem, incumbent, problem, incumbent, bound=bound, proof=proof)

    @classmethod
    def presolved(cls, problem: CoverageProblem, incumbent: Selection) -> SearchState:
        """The problem without dominated items, with equal elements merged."""
        reduction = presolve(problem)
        start = reduction.reduced(Selection(reduction.original, incumbent.items))
        return cls(
            problem,
            incumbent,
            reduction.problem,
            start,
            (reduction,),
            bound=problem.reachable_bound,
            proof=Proof((), (), ()),
        )

    @property
    def is_proved(self) -> bool:
        """Whether no selection is better than the incumbent."""
        if self.is_compared:
            return self.bound <= self.incumbent.bound
        return self.incumbent.is_proved_by(self.bound)

    @property
    def is_settled(self) -> bool:
        """Whether only rounding is left between the incumbent and the bound."""
        most = self.incumbent.bound
        return self.bound <= most * (1.0 + 2.0 * tolerances.TIES) or self.is_proved

    @property
    def incumbent_value(self) -> float:
        """What a selection of the open problem must exceed to be better."""
        value = self.incumbent.value - self.base_value
        if self.original.has_integer_weights:
            return value
        # Both numbers are rounded.
        return value - 4 * float(np.finfo(float).eps) * self.incumbent.value

    def restored(self, selection: Selection) -> Selection:
        """A selection of the open problem as one of the original problem."""
        for step in reversed(self.steps):
            selection = step.restored(selection)
        return Selection(self.original, selection.items)

    def improved_by(self, selection: Selection) -> SearchState:
        """The state with a selection of the open problem, if that is better."""
        found = self.restored(selection)
        if not self.is_improved_by(found):
            return self
        return replace(self, incumbent=found, start=selection)

    def is_improved_by(self, found: Selection) -> bool:
        """Whether a selection of the original problem is better than the incumbent."""
        return found.is_feasible and found.is_better_than(self.incumbent)

    def bounded_by(self, bound: float, *last: Step) -> SearchState:
        """The state with a bound on the open problem, if that is lower.

        Without steps that show it, the bound is used but not certified.
        """
        if self.base_value > 0.0:
            bound = nextafter(bound + self.base_value, inf)
        if self.steps:
            bound += self.original.counting_error
        bound = max(self.original.rounded_bound(bound), self.incumbent.bound)
        return self._with_bound(bound, last)

    def _with_bound(self, bound: float, last: tuple[Step, ...]) -> SearchState:
        if bound >= self.bound:
            return self
        proof = Proof(self.steps, self.points, last)
        return replace(self, bound=bound, proof=proof)

    def _compared(
        self, bound: float, last: tuple[Step, ...], *, is_exact: bool = True
    ) -> SearchState:
        """The state after all selections were compared with the incumbent."""
        state = self._with_bound(bound, last)
        if state is self and is_exact and bound <= self.bound:
            # The bound was known; now it is known to be exact.
            state = replace(self, proof=Proof(self.steps, self.points, last))
        return replace(state, is_compared=is_exact)

    def tried(self, tree: SearchTree) -> SearchState:
        """The state in which a search has tried every selection of the open problem."""
        bound = self.incumbent.bound
        if tree.is_rounded:
            bound *= 1.0 + 2.0 * tolerances.TIES
        trial = TryAll(tree.order, prices_of(tree.dual))
        return self._compared(bound, (trial,), is_exact=not tree.is_rounded)

    def bounded_by_search(self, proof: TreeProof) -> SearchState:
        """The state after branch and bound on the open problem."""
        steps = tuple(proof.certificate.steps)
        if not proof.is_optimal:
            return self.bounded_by(proof.bound, *steps)
        # Better selections were compared exactly.
        return self._compared(self.incumbent.bound, steps)

    def tried_nothing(self) -> SearchState:
        """The state in which nothing is open: only the fixed items are left."""
        point = DualPoint.at(self.problem, self.problem.weights)
        trial = TryAll(np.zeros(0, dtype=np.int64), prices_of(point))
        return self._compared(self.incumbent.bound, (trial,))

    def result(self, run: Run, status: Status | None) -> Result:
        """Close the run with what the search has reached."""
        run.report(self.incumbent, upper_bound=self.bound, step="end")
        if self.is_proved:
            status = Status.OPTIMAL
        return run.result(
            self.incumbent,
            status or Status.FINISHED,
            upper_bound=self.bound,
            certificate=None if self.proof is None else self.proof.certificate,
        )

    def with_dual(self, point: DualPoint) -> SearchState:
        """The state with a dual point of the open problem, if that is lower."""
        is_lower = self.dual is None or point.bound < self.dual.bound
        state = replace(self, dual=point) if is_lower else self
        return state.bounded_by(point.bound, prices_of(point))
