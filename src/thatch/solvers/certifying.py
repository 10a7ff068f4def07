"""Certificates of problems from those of smaller ones.

A search shrinks its problem step by step: items are decided, dominated ones dropped,
equal elements merged. A certificate of what is left becomes one of the original problem
by taking these steps back: its numbers are those of the original, and what each step
has decided comes first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thatch.arrays import Floats, Indices, Ints
from thatch.problem.constraint_rows import priced_rows
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Restriction, Selection
from thatch.run.certificates import (
    Branch,
    Certificate,
    Combine,
    Eliminate,
    Imply,
    LeaveOut,
    Overlaps,
    Prices,
    Split,
    Step,
    Take,
    TryAll,
    VertexCovers,
)
from thatch.solvers.bounds.dual_bounds import DualPoint
from thatch.solvers.presolve import Reduction


def prices_of(point: DualPoint) -> Prices:
    """A dual point as a step of a certificate."""
    # Rows: the budget, then the upper and the lower limit of each group but the last.
    rows = np.zeros(1 + 2 * max(0, point.group_prices.size - 1))
    rows[0] = point.price
    rows[1::2] = point.group_prices[:-1]
    return Prices(point.multipliers, rows)


def certificate_of(point: DualPoint) -> Certificate:
    """The certificate that a dual point is."""
    return Certificate((prices_of(point),))


def restored_steps(
    steps: Sequence[Step],
    path: Sequence[Restriction | Reduction],
    points: Sequence[DualPoint],
) -> list[Step]:
    """Steps for the first problem of a path from those for the last.

    Parameters
    ----------
    steps
        What shows the bound of the last problem.
    path
        How each problem became the next one.
    points
        The dual points that decided the items of the restrictions, in order.
    """
    found, left = list(steps), list(points)
    for via in reversed(path):
        found = lifted(found, via)
        if isinstance(via, Restriction):
            found.insert(0, prices_of(left.pop()))
        elif (pairs := _dominated(via)).size:
            found.insert(0, LeaveOut(pairs))
    return found


def lifted(steps: Sequence[Step], via: Restriction | Reduction) -> list[Step]:
    """Steps in the numbers of the problem before a step."""
    lift = _Lift(via)
    return [lift.step(each) for each in steps]


class _Lift:
    """Numbers of a smaller problem as those of the one that it came from."""

    def __init__(self, via: Restriction | Reduction) -> None:
        self._items = via.items
        self._num_items = via.original.num_items
        self._known: dict[int, Prices] = {}
        self._cost_scale = 1.0
        # Rows with prices before those of cases, here and in the original.
        self._num_rows = _num_rows(via.problem), _num_rows(via.original)
        if isinstance(via, Restriction):
            self._shares = _shares(via.original, _reached(via))
        else:
            self._shares = _shares(via.original, via.elements)
            self._cost_scale = via.cost_scale

    def step(self, step: Step) -> Step:
        """One step, with all that it contains."""
        if isinstance(step, Prices):
            return self._prices(step)
        if isinstance(step, LeaveOut):
            return LeaveOut(self._items[step.pairs])
        if isinstance(step, Take):
            return Take(self._items[step.items])
        if isinstance(step, Imply):
            return Imply(self._numbered(step.pairs))
        if isinstance(step, TryAll):
            return TryAll(self._items[step.order], self._prices(step.prices))
        if isinstance(step, VertexCovers):
            return step
        if isinstance(step, Eliminate):
            return Eliminate(self._items[step.order])
        if isinstance(step, Combine):
            return Combine(step.price * self._cost_scale)
        if isinstance(step, Overlaps):
            return Overlaps(
                self._elements(step.prices),
                self._of_items(step.diagonal),
                self._of_items(step.point),
                step.price * self._cost_scale,
            )
        if isinstance(step, Split):
            return Split(
                self._items[step.items],
                step.most,
                [self.step(each) for each in step.at_most],
                [self.step(each) for each in step.more],
            )
        return Branch(
            int(self._items[step.item]),
            [self.step(each) for each in step.without],
            [self.step(each) for each in step.with_item],
        )

    def _prices(self, prices: Prices) -> Prices:
        found = self._known.get(id(prices))
        if found is None:
            elements = self._elements(prices.elements)
            few, more = self._num_rows
            inside, cases = prices.rows[:few], prices.rows[few:]
            rows = prices.rows
            if cases.size:
                rows = np.concatenate([inside, np.zeros(more - few), cases])
            if self._cost_scale != 1.0 and rows.size:
                rows = np.append(rows[0] * self._cost_scale, rows[1:])
            found = Prices(elements, rows)
            self._known[id(prices)] = found
        return found

    def _numbered(self, elements: Ints) -> Ints:
        """One original element for each, as no others were merged with it."""
        numbers, _ = self._shares
        first = np.full(int(numbers.max(initial=-1)) + 1, -1)
        first[numbers[numbers >= 0]] = np.flatnonzero(numbers >= 0)
        return first[elements]

    def _elements(self, values: Floats) -> Floats:
        numbers, shares = self._shares
        found = np.zeros(numbers.size)
        is_kept = numbers >= 0
        found[is_kept] = values[numbers[is_kept]] * shares[is_kept]
        return found

    def _of_items(self, values: Floats) -> Floats:
        found = np.zeros(self._num_items)
        found[self._items] = values
        return found


def _num_rows(problem: CoverageProblem) -> int:
    return 1 if problem.constraints is None else priced_rows(problem).sizes.size


def _shares(problem: CoverageProblem, numbers: Ints | Indices) -> tuple[Ints, Floats]:
    """The number of each element, and its share of the weight of its group."""
    numbers = numbers.astype(np.int64, copy=False)
    is_kept = numbers >= 0
    inside = numbers[is_kept]
    shares = np.zeros(numbers.size)
    if inside.size == 0:
        return numbers, shares
    sizes = np.bincount(inside)
    if sizes.max() == 1:
        shares[is_kept] = 1.0
        return numbers, shares
    totals = np.bincount(inside, problem.weights[is_kept])
    is_alone = sizes[inside] == 1
    with np.errstate(invalid="ignore", divide="ignore"):
        parts = problem.weights[is_kept] / totals[inside]
    shares[is_kept] = np.where(is_alone, 1.0, np.nan_to_num(parts))
    return numbers, shares


def _reached(restriction: Restriction) -> Ints:
    """The number of each element in the smaller problem, or -1."""
    original = restriction.original
    covered = Selection(original, restriction.taken).cover_counts > 0
    _, is_left = original.edges.restricted_to(restriction.items, ~covered)
    return np.where(is_left, np.cumsum(is_left) - 1, -1)


def _dominated(reduction: Reduction) -> Ints:
    """Items that the reduction has dropped, and what replaces them."""
    numbers = reduction.representatives
    by = np.full(numbers.size, -1)
    is_kept = numbers >= 0
    by[is_kept] = reduction.items[numbers[is_kept]]
    items = np.flatnonzero(is_kept & (by != np.arange(by.size)))
    is_free = np.isin(items, reduction.free_items)
    items = items[~is_free]
    return np.column_stack([items, by[items]])
