"""Packing: the problem is solved, and the printed text is within the budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from time import thread_time

import numpy as np

from thatch.context.selection.selection_task import SelectionTask
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.result import Progress, Result, Status
from thatch.solvers import Auto, Effort
from thatch.solvers.bounds.dual_descent import DualDescent
from thatch.solvers.solving import solve
from thatch.text.budget_fitting import shortened
from thatch.text.grouping import limited_result

# Messages take longer than the search of such problems, and add nothing to it.
_EFFORT = replace(
    Effort.fast(), min_edges_for_messages=10**9, min_edges_for_messages_first=10**9
)
# A text that leaves more room than this share of the budget is filled up, in at most
# this many attempts.
_MIN_ROOM, _MAX_ATTEMPTS = 0.005, 8


@dataclass(frozen=True, slots=True)
class Deadline:
    """When a selection must be finished, in processor time of this thread.

    In a busy server, the answer is the same as alone.

    >>> Deadline(5.0, lambda: 3.0).seconds_left
    2.0
    """

    second: float
    clock: Callable[[], float] = thread_time

    @classmethod
    def within(
        cls, max_seconds: float, clock: Callable[[], float] = thread_time
    ) -> Deadline:
        """The deadline this many seconds from now."""
        return cls(clock() + max_seconds, clock)

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline."""
        return max(0.0, self.second - self.clock())

    def is_over(self) -> bool:
        """Whether there is no time left."""
        return self.seconds_left == 0.0

    def leaving(self, seconds: float) -> Deadline:
        """The deadline, or a later one that leaves at least this many seconds."""
        return Deadline(max(self.second, self.clock() + seconds), self.clock)


@dataclass(frozen=True, eq=False)
class Packed:
    """A selection whose printed text is within the budget."""

    selection: Selection
    #: No selection has a greater value, in terms of the problem of the task.
    upper_bound: float
    status: Status
    #: Whether other chunks than the candidates may add something.
    needs_more_candidates: bool


def packed(task: SelectionTask, deadline: Deadline) -> Packed:
    """Solve the problem of a task so that the printed text is within the budget.

    The bound holds for what chunks cost themselves; headers and companions come in
    addition.
    """
    solver = _solver(task, deadline)
    result = solver(task.charged_problem)

    def excess(selection: Selection) -> float:
        return task.size(selection.items.tolist()) - task.budget

    first = result.selection.without_redundant_items()
    fitting = shortened(first, excess, solver)
    chosen = fitting.items
    if not np.isin(task.preferred, chosen).all():
        # A smaller budget left no room for all of them, which together fit.
        chosen = np.sort(task.preferred)
    selection = _filled(task, Selection(task.problem, chosen))
    has_bound = task.charged_problem is task.problem
    proved = result.upper_bound if has_bound else inf
    certificate = certificate_of(task, selection, proved, deadline)
    bound, status = max(certificate.bound, selection.bound), result.status
    if bound <= selection.bound:
        status = Status.OPTIMAL
    elif status is Status.OPTIMAL:
        status = Status.FINISHED
    is_better_left = task.greatest_density_left > certificate.price
    needs_more = is_better_left or task.is_exhausted_by(selection)
    return Packed(selection, bound, status, needs_more)


def _solver(
    task: SelectionTask, deadline: Deadline
) -> Callable[[CoverageProblem], Result]:
    """A function that solves a problem, with the limit per group."""

    # A rule and no time limit: a solver uses up a limit, and mostly needs far less.
    def stop_at_limit(_: Progress) -> Status | None:
        return Status.TIME_LIMIT if deadline.is_over() else None

    def answer(problem: CoverageProblem) -> Result:
        solver = Auto(effort=_EFFORT)
        return solve(
            problem, solver, stop=[stop_at_limit], num_threads=1, progress=False
        )

    per_group = task.per_group
    if per_group is None:
        return answer
    return lambda problem: limited_result(problem, task.groups, per_group, answer)


def _filled(task: SelectionTask, selection: Selection) -> Selection:
    """The selection with what fits the room that is left, as printed."""
    problem = task.problem
    refused = np.zeros(problem.num_items, dtype=np.bool_)
    for _ in range(_MAX_ATTEMPTS):
        room = task.budget - task.size(selection.items.tolist())
        if room <= _MIN_ROOM * task.budget:
            break
        gains = task.gains(selection)
        is_open = (gains > 0) & (problem.costs <= room) & ~refused
        is_open &= task.is_open(selection)
        if not is_open.any():
            break
        rates = np.where(is_open, gains / np.maximum(task.charges, 1e-12), -1.0)
        best = int(np.argmax(rates))
        larger = Selection.of(problem, [*selection.items.tolist(), best])
        if task.size(larger.items.tolist()) <= task.budget:
            selection = larger
        else:
            refused[best] = True
    return selection


@dataclass(frozen=True, slots=True)
class Certificate:
    """A bound on the value of any selection, in terms of the problem of a task."""

    bound: float
    #: What one token more would be worth, by the dual bound.
    price: float


def certificate_of(
    task: SelectionTask, selection: Selection, proved: float, deadline: Deadline
) -> Certificate:
    """Bound the value of any selection of all chunks.

    If other chunks take some of the budget, the candidates in the rest of it are worth
    at most the proved bound, which may be infinite, and at most the dual bound less the
    price of what the others take. The bound is the most that both allow together with
    what the others weigh, each at most its size times its density.
    """
    points = DualDescent(task.problem, selection).points(
        iterations=100, iterations_per_point=100, should_stop=deadline.is_over
    )
    point = min(points, key=lambda point: point.bound)
    proved, others = min(proved, point.bound), task.greatest_density_left
    # The size of the others at which both bounds are equal.
    size = (point.bound - proved) / max(point.price, 1e-300)
    if others >= point.price:
        # The more of the others, the better.
        size = task.problem.budget
    bound = min(proved + others * size, point.bound + (others - point.price) * size)
    return Certificate(bound, point.price)
