"""Certified lower bounds on the cost of a cover, by Lagrangian duality.

A multiplier u_a per element is what covering it may cost. A cover may leave
elements z uncovered, of total weight up to the slack. For all multipliers u >= 0,

    sum_a u_a - max {sum_a u_a z_a : sum_a w_a z_a <= slack, 0 <= z_a <= 1}
    - sum_i max(0, s_i - c_i),  s_i = sum of u_a over the elements of i,

is at most the cost of any cover. Elements that weigh more than the slack are in every
cover, so that z_a = 0. Every bound here is this sum less its rounding error: a proof,
wherever the multipliers come from.

The multipliers are raised by subgradient steps. A step goes as far as the bound is from
the best known cost, times a factor that is halved when the bound rises no more.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from thatch._kernels import subgradients as kernel
from thatch._kernels.graph import sum_over_elements
from thatch.arrays import Floats, Ints
from thatch.solvers.bounds.dual_bounds import critical_price
from thatch.solvers.covering.cover_task import CoverTask
from thatch.solvers.step_efforts import AscentEffort


@dataclass(frozen=True, eq=False)
class CoverDual:
    """Multipliers and their bound."""

    #: No cover costs less than this; in units of cost.
    bound: float
    #: float64, shape (num_elements,): non-negative.
    multipliers: Floats
    #: float64, shape (num_items,): cost less the multipliers of the item's elements.
    reduced_costs: Floats

    @classmethod
    def at(cls, task: CoverTask, multipliers: Floats) -> CoverDual:
        """Evaluate one multiplier per element."""
        edges = task.problem.edges
        sums = np.empty(task.problem.num_items)
        sum_over_elements(multipliers, edges.item_start, edges.item_elements, sums)
        reduced = task.problem.costs - sums
        lost, _ = _left_out(task, multipliers)
        bound = float(multipliers.sum()) + float(np.minimum(reduced, 0.0).sum()) - lost
        # The sum over an item's elements may be off by one rounding error per element;
        # NumPy adds the long sums in pairs, which may be off by a few dozen.
        errors = int(edges.item_degrees.max(initial=0)) + 200
        size = float(multipliers.sum()) + float((-reduced[reduced < 0]).sum())
        touched = float((task.problem.costs - reduced)[reduced < 0].sum())
        bound -= errors * float(np.finfo(float).eps) * (size + touched)
        return cls(max(0.0, bound), multipliers, reduced)


def first_multipliers(task: CoverTask) -> Floats:
    """The cost of the cheapest item of each element, per element that it covers."""
    edges = task.problem.edges
    ratios = task.problem.costs / np.maximum(1, edges.item_degrees)
    found: Floats = np.zeros(edges.num_elements)
    has_item = edges.element_degrees > 0
    starts = edges.element_start[:-1][has_item]
    if starts.size:
        found[has_item] = np.minimum.reduceat(ratios[edges.element_items], starts)
    found[~np.isfinite(found)] = 0.0
    return found


class Ascent:
    """Subgradient steps, which can be continued."""

    def __init__(
        self,
        task: CoverTask,
        multipliers: Floats,
        effort: AscentEffort = AscentEffort(),  # noqa: B008
        *,
        factor: float | None = None,
    ) -> None:
        self._task = task
        self._effort = effort
        self._best, self._present = multipliers, multipliers.copy()
        self._best_bound = -inf
        self._factor = effort.factors[0] if factor is None else factor
        self._direction = np.zeros_like(multipliers)
        self._stalled = 0

    @property
    def has_ended(self) -> bool:
        """Whether further steps would raise the bound only a little."""
        return self._factor < self._effort.factors[2]

    @property
    def best(self) -> CoverDual:
        """The best multipliers so far."""
        return CoverDual.at(self._task, self._best)

    def climb(self, num_steps: int, *, cost: float) -> None:
        """Take some steps; `cost` is that of the best known cover."""
        for _ in range(num_steps):
            if self.has_ended or self._best_bound >= cost:
                self._factor = 0.0
                return
            self._step(cost)

    def _step(self, cost: float) -> None:
        bound, slope = self._evaluated()
        least_rise = self._effort.least_rise * abs(self._best_bound)
        has_risen = bound > self._best_bound + least_rise
        self._stalled = 0 if has_risen else self._stalled + 1
        if bound > self._best_bound:
            self._best_bound, self._best = bound, self._present.copy()
        if self._stalled >= self._effort.patience:
            self._factor *= 0.5
            self._stalled = 0
            self._present = self._best.copy()
            self._direction[:] = 0.0
            bound, slope = self._evaluated()
        momentum = self._effort.momentum
        norm = kernel.turn(self._present, slope, self._direction, momentum)
        if norm == 0.0:
            self._factor = 0.0
            return
        step = self._factor * max(cost - bound, 1e-3 * cost) / norm
        kernel.move(self._present, self._direction, step)

    def _evaluated(self) -> tuple[float, Floats]:
        """The bound before rounding, and its slope."""
        problem, present = self._task.problem, self._present
        lost, left_out = _left_out(self._task, present)
        slope = 1.0 - left_out
        excess = kernel.lower_slopes(
            present,
            problem.costs,
            problem.edges.item_start,
            problem.edges.item_elements,
            slope,
        )
        return float(present.sum()) - excess - lost, slope


def _left_out(task: CoverTask, multipliers: Floats) -> tuple[float, Floats]:
    """What uncovered elements may earn, and the share of each that is left out."""
    problem = task.problem
    left_out = np.zeros(problem.num_elements)
    if task.slack <= 0.0:
        return 0.0, left_out
    optional = np.flatnonzero(~task.mandatory)
    earned, weights = multipliers[optional], problem.weights[optional]
    price = critical_price(earned, weights, budget=task.slack)
    excess = earned - price * weights
    lost = price * task.slack + float(np.maximum(excess, 0.0).sum())
    left_out[optional[excess > 0]] = 1.0
    rest = task.slack - float(weights[excess > 0].sum())
    tied = optional[(excess == 0) & (earned > 0)]
    total = float(problem.weights[tied].sum())
    if rest > 0 and total > 0:
        left_out[tied] = min(1.0, rest / total)
    return lost, left_out


def lowest_reduced_costs(task: CoverTask, dual: CoverDual, per_element: int) -> Ints:
    """The items of lowest reduced cost of every element, ascending."""
    edges = task.problem.edges
    ranked = edges.ranked_items(np.argsort(dual.reduced_costs, kind="stable"))
    place = np.arange(ranked.size) - np.repeat(
        edges.element_start[:-1], edges.element_degrees
    )
    is_in = np.zeros(task.items.size, dtype=np.bool_)
    is_in[ranked[place < per_element]] = True
    return np.flatnonzero(is_in)
