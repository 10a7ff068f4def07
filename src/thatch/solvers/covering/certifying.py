"""Certificates for covers: what the multipliers of a search prove.

A multiplier is a cost per element, and the price of the slack is a cost per weight.
Divided by it, multipliers are prices of elements, in weight, and costs have a price as
well: they bound what a selection within a budget covers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar, cast

import numpy as np

from thatch.arrays import Ints, distinct
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.certificates import Prices
from thatch.solvers.bounds.dual_bounds import critical_price
from thatch.solvers.certifying import lifted
from thatch.solvers.covering.cover_state import CoverState
from thatch.solvers.covering.cover_task import CoverTask
from thatch.solvers.covering.lagrangian import CoverDual
from thatch.solvers.proving.cover_proof import CoverProof, CoverSearch
from thatch.solvers.proving.nodes import RootStep, is_shown
from thatch.solvers.proving.proof_tree import ProofTree

# Without a time limit, the proof of a search that ended goes through this many nodes.
_NODES_AT_THE_END = 200

Kind = TypeVar("Kind", bound=RootStep)


def begin_proof(state: CoverState, *, should_stop: Callable[[], bool]) -> CoverSearch:
    """A tree that starts with what the search has found."""
    problem, _ = _original(state)

    def improved(found: Selection, bound: float) -> None:
        if state.within is None:
            state.take(found)
        else:
            inside = np.flatnonzero(np.isin(state.within.items, found.items))
            state.take(Selection(state.problem, inside))

    search = CoverSearch(
        problem,
        state.slack,
        incumbent=_best(state),
        should_stop=should_stop,
        improved=improved,
        seconds_left=lambda: state.run.seconds_left,
    )
    _take_steps(state, search.tree)
    return search


def _original(state: CoverState) -> tuple[CoverageProblem, Ints]:
    """The problem with its required items, and which items are those of the search."""
    if state.within is None:
        return state.problem, np.arange(state.problem.num_items)
    return state.within.original, state.within.items


def _best(state: CoverState) -> Selection:
    """The best cover as one of the original problem."""
    problem, items = _original(state)
    taken = items[:0] if state.within is None else state.within.taken
    return Selection(problem, distinct(items[state.items], taken))


def finished_proof(state: CoverState) -> CoverProof:
    """The best cover, and what is proved about it in the end."""
    search = state.proving
    if search is not None:
        search.tree.offer(_best(state))
        proof = search.proof()
        if proof.is_optimal or proof.bound >= state.units.as_cost(state.bound):
            return proof
        # The search has gone on since the tree began.
        return max(proof, _begun(state).proof(), key=lambda found: found.bound)
    search = _begun(state)
    num_edges = search.tree.root.elements.size
    is_small = num_edges <= state.effort.cover.max_edges_for_program[1]
    if is_small:
        search.tree.grow(max_nodes=_NODES_AT_THE_END)
    return search.proof()


def _begun(state: CoverState) -> CoverSearch:
    return begin_proof(state, should_stop=lambda: state.run.must_stop)


def _take_steps(state: CoverState, tree: ProofTree) -> None:
    """Let a tree start with what presolve and the multipliers have decided."""
    _, items = _original(state)
    tasks = [(task, _prices_of(state, task, dual)) for task, dual in state.duals]
    is_same, known = True, 0
    for task, prices in [*tasks, (state.task, None)]:
        for presolve in task.presolves[known:]:
            # Rounding may let a tree decide less than the search did.
            is_other = tree.root.is_open.copy()
            is_other[items[presolve.items]] = False
            if state.settled is not None:
                is_other[items[state.settled.items]] = False
            is_same = is_same and not is_other.any()
            steps = _restored(state, presolve.steps)
            if is_same and tree.begin_at_once(steps):
                continue
            for step in steps:
                is_same = is_same and is_shown(tree.root, step)
                if is_same:
                    tree.begin([step])
        known = max(known, len(task.presolves))
        if prices is not None:
            tree.begin(_restored(state, [prices]))


def _restored(state: CoverState, steps: Sequence[Kind]) -> Sequence[Kind]:
    """Steps in the numbers of the problem with its required items."""
    if state.within is None:
        return steps
    return cast(Sequence[Kind], lifted(steps, state.within))


def _prices_of(state: CoverState, task: CoverTask, dual: CoverDual) -> Prices | None:
    """Multipliers as prices of the problem."""
    multipliers, weights = dual.multipliers, task.problem.weights
    optional = ~task.mandatory
    price = critical_price(
        multipliers[optional], weights[optional], budget=max(task.slack, 0.0)
    )
    if price <= 0.0:
        ratios = multipliers[~optional] / weights[~optional]
        price = float(ratios.max(initial=0.0))
        multipliers = np.where(optional, 0.0, multipliers)
    elements = task.prices(multipliers, state.problem.weights)
    settled = state.settled
    if settled is not None and settled.is_before(task):
        elements += settled.multipliers
        ratios = settled.multipliers / np.maximum(state.problem.weights, 1e-300)
        price = max(price, float(ratios.max(initial=0.0)))
    if price <= 0.0:
        return None
    elements = np.minimum(elements / price, state.problem.weights)
    # The budget is in costs, the multipliers in units of cost.
    per_unit = state.units.as_cost(1.0)
    return Prices(elements, np.array([1.0 / (price * per_unit)]))
