"""Nested selections: plans that grow with the budget without being revised.

A chain of nested selections is described by the stage at which each item enters. Chains
start from the selection of one budget: larger selections contain it, smaller ones are
part of it. Then two items exchange their turns as long as that improves the sum of the
values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import inf

import numpy as np

from thatch.arrays import Floats, Ints, exact_sum
from thatch.errors import InfeasibleError, NoTimeError
from thatch.problem.constraints import with_decided
from thatch.problem.selection import Selection
from thatch.run.result import Result, Status
from thatch.run.run import Run
from thatch.solvers import Auto, Effort, LocalSearch, Solver
from thatch.solvers.decided_items import has_only_limits
from thatch.solvers.greedy import chosen_by_rank
from thatch.solvers.solving import solve

# Where chains may start, as shares of the budgets; the search that compares them, and
# the one that makes the best chain.
_STARTS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_QUICK, _BETTER = LocalSearch(max_work=1e7), Auto(Effort.fast())
_NO_ITEMS: Ints = np.zeros(0, dtype=np.int64)


def nested_results(results: Sequence[Result], run: Run) -> list[Result]:
    """Results whose selections are nested, one per budget, in ascending order.

    Parameters
    ----------
    results
        One result per budget; their bounds stay.
    run
        Its seed and threads are used; it ends the exchange of turns.
    """
    last = len(results) - 1
    chains: dict[int, list[Result]] = {}
    for start in sorted({round(share * last) for share in _STARTS}):
        if chains and _is_late(results, run):
            break
        try:
            chains[start] = _chain(results, start, _QUICK, run)
        except (InfeasibleError, NoTimeError) as error:
            reason = error
    if not chains:
        raise reason
    start = max(chains, key=lambda each: _total(chains[each]))
    best = chains[start]
    if not (run.must_stop or _is_late(results, run)):
        best = max(best, _chain(results, start, _BETTER, run), key=_total)
    if not has_only_limits(results[0].selection.problem):
        return best
    turns = _Turns(best, run)
    turns.exchange()
    return [
        _with_selection(result, turns.items_at(stage))
        for stage, result in enumerate(best)
    ]


def _is_late(results: Sequence[Result], run: Run) -> bool:
    """Whether there is no time left to solve the problem of every budget."""
    effort, problem = Effort(), results[-1].selection.problem
    seconds = effort.step_seconds_per_edge * problem.num_edges
    return run.seconds_left <= seconds * len(results)


def _total(chain: Sequence[Result]) -> float:
    return sum(each.selection.value for each in chain)


def _chain(
    results: Sequence[Result], start: int, solver: Solver, run: Run
) -> list[Result]:
    """From one selection on, larger ones that contain it and smaller ones inside."""
    chain = [results[start]]
    for result in results[start + 1 :]:
        kept = chain[-1].selection.items
        chain.append(_within(result, run, solver, required=kept))
    for result in reversed(results[:start]):
        everything = np.arange(result.selection.problem.num_items)
        outside = np.setdiff1d(everything, chain[0].selection.items)
        chain.insert(0, _within(result, run, solver, forbidden=outside))
    return chain


def _within(result: Result, run: Run, solver: Solver, **more: Ints) -> Result:
    """The result with the best selection under further constraints."""
    problem = result.selection.problem
    inner = replace(problem, constraints=with_decided(problem.constraints, **more))
    if Selection(inner, result.selection.items).is_feasible:
        return result
    if has_only_limits(problem) and _is_late([result], run):
        return _with_selection(result, _ranked_within(result, **more))
    left = run.seconds_left
    # Share of the remaining time for one selection.
    found = solve(
        inner,
        solver if has_only_limits(inner) else None,
        max_seconds=None if left == inf else 0.1 * left,
        seed=run.seed,
        num_threads=run.num_threads,
        progress=False,
    )
    return _with_selection(result, found.selection.items)


def _ranked_within(
    result: Result, *, required: Ints = _NO_ITEMS, forbidden: Ints = _NO_ITEMS
) -> Ints:
    """Items under further constraints, ranked by what they add to the result.

    Required items are from a smaller budget. All items that are not forbidden are from
    a larger one; there, those stay that every selection needs.
    """
    problem = result.selection.problem
    outer = result.selection.items
    if forbidden.size:
        outer = np.setdiff1d(np.arange(problem.num_items), forbidden)
    constraints = problem.constraints
    if constraints is not None:
        required = np.union1d(required, constraints.required)
    others = np.setdiff1d(outer, required)
    merits = Selection(problem, outer).contributions[np.isin(outer, others)]
    room = problem.budget - exact_sum(problem.costs[required])
    added = others[chosen_by_rank(merits, problem.costs[others], room)]
    found = np.union1d(required, added)
    # Together they may exceed the limit of a group.
    return found if Selection(problem, found).is_feasible else required


def _with_selection(result: Result, items: Ints) -> Result:
    """The result with another selection, and its bound."""
    selection = Selection(result.selection.problem, items)
    if np.array_equal(items, result.selection.items):
        return result
    return replace(
        result,
        selection=selection,
        status=Status.FINISHED,
        upper_bound=max(result.upper_bound, selection.bound),
    )


class _Turns:
    """When each item of a chain enters: a stage per item, one stage per budget."""

    def __init__(self, chain: Sequence[Result], run: Run) -> None:
        selections = [each.selection for each in chain]
        self._run = run
        self._problem = selections[-1].problem
        self._budgets = [each.problem.budget for each in selections]
        self._items = selections[-1].items
        self._stages = np.full(self._items.size, len(chain))
        for stage in reversed(range(len(chain))):
            self._stages[np.isin(self._items, selections[stage].items)] = stage
        constraints = self._problem.constraints
        required = () if constraints is None else constraints.required
        self._is_fixed = np.isin(self._items, required)
        edges = self._problem.edges
        self._elements = edges.item_elements[edges.positions_of(self._items)]
        self._degrees = edges.item_degrees[self._items]

    def items_at(self, stage: int) -> Ints:
        """The items of one stage, ascending."""
        return self._items[self._stages <= stage]

    def exchange(self) -> None:
        """Exchange the turns of two items as long as that improves the sum."""
        best = self._total(self._stages)
        # How many exchanges are tried in all: a few seconds.
        left, has_improved = 20_000, True
        while has_improved:
            has_improved = False
            for one, other in combinations(np.argsort(self._stages).tolist(), 2):
                left -= 1
                if left < 0 or self._run.must_stop:
                    return
                stages = self._exchanged(one, other)
                if stages is not None and self._total(stages) > best * (1 + 1e-12):
                    best, self._stages = self._total(stages), stages
                    has_improved = True

    def _exchanged(self, one: int, other: int) -> Ints | None:
        """The first item enters with the second, which enters as soon as it fits."""
        early, late = sorted((int(self._stages[one]), int(self._stages[other])))
        if early == late or self._is_fixed[one] or self._is_fixed[other]:
            return None
        first, second = (one, other) if self._stages[one] == early else (other, one)
        stages = self._stages.copy()
        stages[first] = late
        for stage in range(early, late + 1):
            stages[second] = stage
            if self._fits(stages):
                return stages
        return None

    def _fits(self, stages: Ints) -> bool:
        problem = self._problem
        return all(
            Selection(problem, self._items[stages <= stage]).cost <= budget
            for stage, budget in enumerate(self._budgets)
        )

    def _total(self, stages: Ints) -> float:
        """Sum of the values of all stages: an element counts from its first cover."""
        first = np.full(self._problem.num_elements, len(self._budgets))
        np.minimum.at(first, self._elements, np.repeat(stages, self._degrees))
        counts: Floats = (len(self._budgets) - first).astype(np.float64)
        return float(self._problem.weights @ counts)
