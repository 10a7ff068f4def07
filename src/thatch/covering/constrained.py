"""Covers that keep constraints.

Required and forbidden items leave a smaller problem of the same kind. With all other
constraints the cover is an integer program: one column per item, 1 if it is chosen, and
one per element, 1 if it is left out; what is left out weighs at most the slack.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from math import ceil, inf

import numpy as np

from thatch.arrays import Flags, Floats, Ints, exact_sum, frozen
from thatch.bounds.constraint_rows import (
    Row,
    constraint_rows,
    excluding_row,
    highs_scale,
)
from thatch.bounds.feasibility import conflicting, enumerated, is_feasible_program
from thatch.bounds.highs_process import reports_of
from thatch.bounds.highs_worker import Model, Report, Task
from thatch.covering.target import Target
from thatch.errors import InfeasibleError, NoTimeError
from thatch.problem.constraints import DECIDED
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.restriction import Restriction
from thatch.problem.selection import Selection
from thatch.run.progress import Progress
from thatch.run.result import Status
from thatch.run.run import Run

# A selection that violates a constraint by the tolerance of HiGHS is excluded, and the
# program solved again, at most this often.
_MAX_REPEATS = 20


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


def decided_part(problem: CoverageProblem) -> Restriction | None:
    """The problem without required and forbidden items.

    None if there are none, or other constraints as well.
    """
    constraints = problem.constraints
    if constraints is None or not set(constraints.kinds) <= DECIDED:
        return None
    is_open = np.ones(problem.num_items, dtype=bool)
    is_open[constraints.required] = False
    is_open[constraints.forbidden] = False
    plain = replace(problem, constraints=None)
    return Restriction.of(plain, np.flatnonzero(is_open), constraints.required)


@dataclass(frozen=True, eq=False)
class FoundCover:
    """The cheapest cover that was found, and a bound on the cost."""

    items: Ints
    lower_bound: float
    status: Status


def constrained_cover(problem: CoverageProblem, target: Target, run: Run) -> FoundCover:
    """Cover a target at least cost, keeping every constraint.

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
    while search.has_to_repeat:
        search.repeat()
    if search.best is None:
        raise NoTimeError(
            "no selection that covers the target and keeps the constraints was found "
            "within the time limit.",
            hint="Allow more time, or lower the target.",
        )
    cost = search.best.cost
    is_proved = search.is_over and search.bound >= cost * (1.0 - 1e-8)
    status = Status.OPTIMAL if is_proved else run.check_stop() or Status.FINISHED
    bound = cost if is_proved else min(search.bound, cost)
    return FoundCover(search.best.items, bound, status)


class _Search:
    """Runs HiGHS until its answer keeps every constraint exactly."""

    def __init__(self, program: _Program, run: Run) -> None:
        self._program = program
        self._run = run
        self._repeats = 0
        self.best: Selection | None = None
        self.bound = 0.0
        self.is_over = False

    @property
    def has_to_repeat(self) -> bool:
        """Whether there is no answer yet, and time and tries are left."""
        if self.is_over or self._repeats >= _MAX_REPEATS:
            return False
        return self._repeats == 0 or not self._run.must_stop

    def repeat(self) -> None:
        """Run HiGHS once, to its end or the time limit."""
        self._repeats += 1
        task = self._program.task(seed=self._run.seed)
        seconds = self._run.seconds_left
        with closing(reports_of(task, max_seconds=seconds)) as reports:
            for report in reports:
                if report is None:
                    if self._run.must_stop:
                        return
                    continue
                self._take(report)
                if report.is_last:
                    return
        self._repeats = _MAX_REPEATS

    def _take(self, report: Report) -> None:
        if report.error is not None:
            raise report.error
        if report.is_infeasible:
            raise self._program.infeasible()
        if report.bound < inf:
            self.bound = max(self.bound, self._program.cost_bound(report.bound))
        if report.chosen is None:
            return
        found = self._program.selection(report.chosen)
        is_cover = self._program.is_cover(found)
        if is_cover and (self.best is None or found.cost < self.best.cost):
            self.best = found
            self._report()
        if report.is_last:
            self.is_over = is_cover
            if not is_cover:
                self._program.exclude(found.items)

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
        coverable = coverable_elements(problem) & (problem.weights > 0)
        self._elements = np.flatnonzero(coverable)
        self._rows = [row.scaled() for row in constraint_rows(problem)]
        self._model = self._built(self._rows)

    def task(self, *, seed: int) -> Task:
        """What HiGHS is to do."""
        return Task(
            self._model,
            num_integers=self._model.objective.size,
            options={
                "parallel": "off",
                "threads": 1,
                "mip_rel_gap": 0.0,
                "mip_abs_gap": 1e-7,
                "mip_detect_symmetry": False,
                "random_seed": seed % 2**31,
            },
        )

    def selection(self, chosen: Ints) -> Selection:
        """The items among the columns that are 1."""
        return Selection(self._problem, chosen[chosen < self._problem.num_items])

    def is_cover(self, selection: Selection) -> bool:
        """Whether a selection covers the target and keeps the constraints."""
        is_left_out = ~selection.covered[self._elements]
        left_out = exact_sum(self._problem.weights[self._elements][is_left_out])
        return left_out <= self._target.slack and selection.is_feasible

    def cost_bound(self, bound: float) -> float:
        """A bound of HiGHS on the negative cost as a lower bound on the cost."""
        least = max(0.0, (-bound - 1e-6 - 1e-7 * self._model.objective.size))
        least /= self._scale
        return float(ceil(least - 1e-6)) if self._problem.has_exact_costs else least

    def exclude(self, items: Ints) -> None:
        """Exclude items that HiGHS took for a cover that keeps the constraints."""
        row = excluding_row(self._problem, items)
        self._model = self._model.with_row(row.items, row.most, row.values)

    def infeasible(self) -> InfeasibleError:
        """The error, with constraints that keep the target from being covered."""
        needed = conflicting(self._rows, self._is_feasible)
        texts = tuple(row.text for row in needed)
        return InfeasibleError(
            f"no selection covers {self._target.weight:g} and keeps "
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
        problem, edges = self._problem, self._problem.edges
        elements, num_items = self._elements, self._problem.num_items
        demands: Floats = np.ones(elements.size)
        if problem.constraints is not None and problem.constraints.demands is not None:
            demands = problem.constraints.demands[elements].astype(np.float64)
        left_out = num_items + np.arange(elements.size)
        columns = [
            np.append(edges.items_of(int(a)), left_out[k])
            for k, a in enumerate(elements.tolist())
        ]
        values = [
            np.append(-np.ones(each.size - 1), -demands[k])
            for k, each in enumerate(columns)
        ]
        weights = problem.weights[elements]
        scale = highs_scale(np.append(weights, self._target.slack))
        columns.append(left_out)
        values.append(weights * scale)
        columns += [row.items for row in rows]
        values += [row.values for row in rows]
        limits = [*(-demands), self._target.slack * scale, *(row.most for row in rows)]
        starts = np.append(0, np.cumsum([each.size for each in columns]))
        costs = -problem.costs * self._scale
        return Model(
            objective=np.concatenate([costs, np.zeros(elements.size)]),
            column_upper=np.ones(num_items + elements.size),
            row_upper=np.array(limits),
            row_start=starts.astype(np.int32),
            columns=np.concatenate(columns, dtype=np.int32, casting="unsafe"),
            values=np.concatenate(values),
        )
