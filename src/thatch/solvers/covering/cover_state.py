"""What a search for a cheap cover has reached, and what is still open."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf

import numpy as np

from thatch.arrays import Flags, Floats, Ints, exact_sum, is_at_most
from thatch.problem import tolerances
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Restriction, Selection
from thatch.run.result import Progress, Status
from thatch.run.run import Run
from thatch.solvers.covering.cover_task import CostUnits, CoverTask
from thatch.solvers.covering.lagrangian import CoverDual
from thatch.solvers.effort import Effort
from thatch.solvers.proving.cover_proof import CoverSearch


@dataclass(frozen=True, eq=False)
class Settled:
    """Components whose cheapest covers are known, and taken."""

    #: int64, all original items of them, ascending.
    items: Ints
    #: float64, one per original element: what bounds their cost from below.
    multipliers: Floats

    def is_before(self, task: CoverTask) -> bool:
        """Whether a task is without them."""
        return not np.isin(self.items, task.items).any()


class CoverState:
    """The best cover, the lower bound, and the items that can still improve it.

    Costs and bounds are in units, and include the items that are taken.
    """

    def __init__(
        self,
        problem: CoverageProblem,
        task: CoverTask,
        units: CostUnits,
        slack: float,
        run: Run,
        effort: Effort = Effort(),  # noqa: B008
        within: Restriction | None = None,
    ) -> None:
        #: The original problem.
        self.problem = problem
        #: What required and forbidden items left this problem, if there are any.
        self.within = within
        #: Every cover cheaper than the best one is a cover of this task.
        self.task = task
        self.slack = slack
        self.units = units
        self.run = run
        self.effort = effort
        #: The best cover: original items.
        self.items: Ints = task.taken
        self.cost = inf
        self.bound = exact_sum(units.costs[task.taken])
        #: Tasks and their multipliers that decided items, and the last ones.
        self.duals: list[tuple[CoverTask, CoverDual]] = []
        #: Components that are solved.
        self.settled: Settled | None = None
        #: The search for a proof, once it has begun.
        self.proving: CoverSearch | None = None
        #: Why the search must stop, if it must.
        self.status: Status | None = None

    @property
    def is_proved(self) -> bool:
        """Whether no cover is cheaper."""
        return self.bound >= self.cost * (1.0 - tolerances.PROOF)

    @property
    def gap(self) -> float:
        """Share of the cost that may be saved."""
        return (self.cost - self.bound) / self.cost if self.cost > 0 else 0.0

    @property
    def is_over(self) -> bool:
        """Whether the search is finished, or must stop."""
        if self.status is None:
            self.status = self.run.check_stop()
        return self.is_proved or self.status is not None

    @property
    def is_late(self) -> bool:
        """Whether the time limit leaves less than a step takes."""
        seconds = self.effort.step_seconds_per_edge * self.task.problem.num_edges
        return self.run.seconds_left < seconds

    @property
    def taken_cost(self) -> float:
        """Cost of the items that are taken."""
        return exact_sum(self.units.costs[self.task.taken])

    @property
    def open_cost(self) -> float:
        """Cost of the best cover less that of the items that are taken."""
        return self.cost - self.taken_cost

    def least_saving(self) -> float:
        """The least by which a better cover is cheaper."""
        return 1.0 if self.task.is_integral else 1e-9 * self.cost

    def offer(self, items: Ints, *, step: str, task: CoverTask | None = None) -> bool:
        """Keep a cover of a task if it is cheaper; return whether it is."""
        task = self.task if task is None else task
        if not task.is_cover(items):
            return False
        chosen = Selection(self.problem, task.restored(items))
        chosen = chosen.without_redundant_items()
        cost = exact_sum(self.units.costs[chosen.items])
        if cost >= self.cost or not self._is_cover(chosen):
            return False
        self.items, self.cost = chosen.items, cost
        self.report(step)
        return True

    def _is_cover(self, selection: Selection) -> bool:
        """Whether a selection of the original problem leaves at most the slack."""
        is_left = self.problem.reachable_elements & ~selection.covered
        return is_at_most(self.problem.weights[is_left], self.slack)

    def take(self, found: Selection) -> None:
        """Keep a cheaper cover."""
        cost = exact_sum(self.units.costs[found.items])
        if cost < self.cost:
            self.items, self.cost = found.items, cost
            self.report("branch and bound")

    def raise_bound(self, bound: float, *, step: str = "") -> None:
        """Keep a bound on the covers of the task, if it is higher.

        It is reported if there is the name of a step.
        """
        bound = self._rounded(self.taken_cost + bound)
        if bound > self.bound:
            self.bound = bound
            if step:
                self.report(step)

    def report(self, step: str) -> None:
        """Add an entry to the trace."""
        trace = self.run.trace
        cost, bound = (self.units.as_cost(each) for each in (self.cost, self.bound))
        is_better = not trace or cost < trace[-1].upper_bound
        progress = Progress(
            iteration=len(trace) + 1,
            seconds=self.run.seconds,
            value=min(bound, cost),
            upper_bound=cost,
            stalled=0 if is_better else trace[-1].stalled + 1,
            step=step,
        )
        self.status = self.run.record(progress) or self.status

    def fix(self, dual: CoverDual) -> bool:
        """Drop and take items by their reduced costs; return whether any is fixed.

        A cover with an item costs at least the bound and the item's reduced cost; one
        without it, at least the bound less its negative reduced cost.
        """
        bound = self.taken_cost + dual.bound
        limit = self.cost - (1.0 - tolerances.INTEGER if self.task.is_integral else 0.0)
        limit += 1e-12 * (self.cost + float(dual.multipliers.sum()))
        before = self.task
        has_fixed = self._decide(
            is_out=bound + dual.reduced_costs > limit,
            is_in=bound - dual.reduced_costs > limit,
        )
        if has_fixed:
            self.duals.append((before, dual))
        return has_fixed

    def drop_costly(self) -> bool:
        """Drop items that alone cost as much as the best cover.

        Much larger costs than that would also blur all sums.
        """
        is_out = self.task.problem.costs >= self.open_cost
        return self._decide(is_out=is_out, is_in=np.zeros_like(is_out))

    def _decide(self, *, is_out: Flags, is_in: Flags) -> bool:
        """Drop and take items; return whether there are any."""
        if not (is_out.any() or is_in.any()):
            return False
        if (is_out & is_in).any():
            self.close()
            return True
        task = self.task.with_only(
            np.flatnonzero(~(is_out | is_in)), np.flatnonzero(is_in)
        )
        if not task.has_cover:
            self.close()
            return True
        num_edges, left = task.problem.num_edges, self.run.seconds_left
        has_time = self.effort.cover.has_time_to_presolve(num_edges, left)
        self.task = task.presolved() if has_time else task
        if self.task.is_trivial:
            self.offer(self.task.items[:0], step="fixing")
            self.close()
        return True

    def close(self) -> None:
        """No cover that is cheaper is left."""
        self.raise_bound(self.cost - self.taken_cost, step="fixing")

    def _rounded(self, bound: float) -> float:
        if self.task.is_integral:
            bound = float(ceil(bound - tolerances.INTEGER))
        return min(bound, self.cost)
