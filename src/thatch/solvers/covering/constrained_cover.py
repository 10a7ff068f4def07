"""Covers that meet constraints.

Required and forbidden items leave a smaller problem of the same kind. With all other
constraints the cover is an integer program: one column per item, 1 if it is chosen, and
one per element, 1 if it is left out; what is left out weighs at most the slack.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, inf

import numpy as np

from thatch.arrays import Flags, Floats, Ints, exact_sum, frozen
from thatch.errors import InfeasibleError, NoTimeError
from thatch.problem import tolerances
from thatch.problem.constraint_rows import (
    Row,
    constraint_rows,
    excluding_row,
    highs_scale,
)
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.result import Progress, Status
from thatch.run.run import Run
from thatch.solvers.covering.cover_task import Target
from thatch.solvers.highs.cover_program import cover_model
from thatch.solvers.highs.feasibility import (
    conflicting,
    enumerated,
    is_feasible_program,
)
from thatch.solvers.highs.programs import (
    MAX_REPEATS,
    error_of,
    followed,
    integer_options,
    with_rows,
)
from thatch.solvers.highs.worker import Model, Report, Task


def coverable_elements(problem: CoverageProblem) -> Flags:
    """Elements that enough items may cover: bool, shape (num_elements,)."""
    constraints = problem.constraints
    if constraints is None:
        return problem.reachable_elements
    is_open = np.ones(problem.num_items, dtype=bool)
    is_open[constraints.forbidden] = False
    counts = Selection(problem, np.flatnonzero(is_open)).cover_counts
    demands = 1 if constraints.demands is None else constraints.demands
    found: Flags = frozen(counts >= demands)
    return found


@dataclass(frozen=True, eq=False)
class FoundCover:
    """The cheapest cover that was found, and a bound on the cost."""

    items: Ints
    lower_bound: float
    status: Status


def constrained_cover(problem: CoverageProblem, target: Target, run: Run) -> FoundCover:
    """Find the cheapest cover of a target that meets every constraint.

    Parameters
    ----------
    problem
        The problem, with a budget that allows everything.
    target
        The weight to cover of the coverable elements.
    run
        Its time limit and seed; every better cover is reported.

    Raises
    ------
    InfeasibleError
        If no selection that keeps the constraints covers the target.
    NoTimeError
        If none was found within the time limit.
    """
    program = _Program(problem, target)
    search = _Search(program, run)
    for _ in range(MAX_REPEATS):
        if search.is_over_after_run():
            break
    if search.best is None:
        raise NoTimeError(
            "no selection that covers the target and meets the constraints was found "
            "within the time limit.",
            hint="Allow more time, or lower the target.",
        )
    cost = search.best.cost
    is_proved = search.is_over and search.bound >= cost * (1.0 - tolerances.PROOF)
    status = Status.OPTIMAL if is_proved else run.check_stop() or Status.FINISHED
    bound = cost if is_proved else min(search.bound, cost)
    return FoundCover(search.best.items, bound, status)


class _Search:
    """Runs HiGHS until its answer keeps every constraint exactly."""

    def __init__(self, program: _Program, run: Run) -> None:
        self._program = program
        self._run = run
        self.best: Selection | None = None
        self.bound = 0.0
        self.is_over = False

    def is_over_after_run(self) -> bool:
        """Run HiGHS once; False if its answer is no cover and there is time left."""
        task = self._program.task(seed=self._run.seed)
        seconds = self._run.seconds_left
        last = followed(task, max_seconds=seconds, take=self._take)
        return last is None or self.is_over or self._run.must_stop

    def _take(self, report: Report | None) -> bool:
        """Keep what HiGHS reports; True if the run must stop."""
        if report is None:
            return self._run.must_stop
        if report.is_infeasible:
            raise self._program.infeasible()
        if report.bound < inf:
            self.bound = max(self.bound, self._program.cost_bound(report.bound))
        if report.chosen is None:
            return False
        found = self._program.selection(report.chosen)
        is_cover = self._program.is_cover(found)
        if is_cover and (self.best is None or found.cost < self.best.cost):
            self.best = found
            self._report()
        if report.is_last:
            self.is_over = is_cover
            if not is_cover:
                self._program.exclude(found.items)
        return False

    def _report(self) -> None:
        trace = self._run.trace
        self._run.record(
            Progress(
                iteration=len(trace) + 1,
                seconds=self._run.seconds,
                value=self.bound,
                upper_bound=inf if self.best is None else self.best.cost,
                step="integer program",
            )
        )


class _Program:
    """The cover as an integer program."""

    def __init__(self, problem: CoverageProblem, target: Target) -> None:
        self._problem = problem
        self._target = target
        self._scale = highs_scale(problem.costs)
        self._is_coverable = coverable_elements(problem) & (problem.weights > 0)
        self._rows = [row.scaled() for row in constraint_rows(problem)]
        self._model = self._built(self._rows)

    def task(self, *, seed: int) -> Task:
        """What HiGHS is to do."""
        return Task(
            self._model,
            num_integers=self._model.objective.size,
            options=integer_options(seed),
        )

    def selection(self, chosen: Ints) -> Selection:
        """The items among the columns that are 1."""
        return Selection(self._problem, chosen[chosen < self._problem.num_items])

    def is_cover(self, selection: Selection) -> bool:
        """Whether a selection covers the target and keeps the constraints."""
        is_left_out = self._is_coverable & ~selection.covered
        left_out = exact_sum(self._problem.weights[is_left_out])
        return left_out <= self._target.slack and selection.is_feasible

    def cost_bound(self, bound: float) -> float:
        """A bound of HiGHS on the negative cost as a lower bound on the cost."""
        least = max(0.0, -bound - error_of(self._model.objective.size))
        least /= self._scale
        if self._problem.has_exact_costs:
            least = float(ceil(least - tolerances.INTEGER))
        return least

    def exclude(self, items: Ints) -> None:
        """Exclude items that HiGHS took for a cover that keeps the constraints."""
        row = excluding_row(self._problem, items)
        self._model = with_rows(self._model, [row])

    def infeasible(self) -> InfeasibleError:
        """The error, with constraints that keep the target from being covered."""
        needed = conflicting(self._rows, self._is_feasible)
        texts = tuple(row.text for row in needed)
        return InfeasibleError(
            f"no selection covers {self._target.weight:g} and meets "
            f"{enumerated(texts) or 'the constraints'}.",
            conflict=texts,
            hint="Relax one of the constraints, or lower the target.",
        )

    def _is_feasible(self, rows: Sequence[Row]) -> bool:
        model = self._built(rows)
        model = replace(model, objective=np.zeros(model.objective.size))
        size = model.objective.size
        return is_feasible_program(
            Task(model, num_integers=size, options={"threads": 1})
        )

    def _built(self, rows: Sequence[Row]) -> Model:
        problem = self._problem
        edges, _ = problem.edges.restricted_to(
            np.arange(problem.num_items), self._is_coverable
        )
        demands: Floats = np.ones(problem.num_elements)
        if problem.constraints is not None and problem.constraints.demands is not None:
            demands = problem.constraints.demands.astype(np.float64)
        return cover_model(
            edges,
            problem.costs * self._scale,
            problem.weights[self._is_coverable],
            slack=self._target.slack,
            optional=np.ones(edges.num_elements, dtype=np.bool_),
            demands=demands[self._is_coverable],
            rows=rows,
        )
