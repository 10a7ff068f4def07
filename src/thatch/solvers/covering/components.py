"""Small connected components of a cover, solved one by one.

What presolve leaves of a large sparse cover often falls apart: a third of it may be in
components that branch and bound solves at once. The search goes on with the rest.
Certificates bound their cost by multipliers alone, as that of all other items.
"""

from __future__ import annotations

import numpy as np

from thatch._kernels.small_covers import SmallCovers
from thatch.arrays import Flags, Floats, Indices, Ints, distinct, exact_sum
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.edges import Edges
from thatch.problem.selection import Selection
from thatch.solvers.covering.cover_state import CoverState, Settled
from thatch.solvers.covering.cover_task import CoverTask
from thatch.solvers.covering.lagrangian import Ascent, CoverDual


def settle_components(state: CoverState, dual: CoverDual) -> bool:
    """Solve small components and take their items; return whether there are any.

    Only those of large tasks whose elements must all be covered.

    Parameters
    ----------
    state
        What the search has reached.
    dual
        Multipliers of its task.
    """
    task, effort, run = state.task, state.effort.cover, state.run
    edges = task.problem.edges
    is_small = edges.num_edges < effort.least_edges_for_components
    if is_small or task.slack > 0.0 or state.is_over:
        return False
    components = [
        items
        for items in edges.components()
        if items.size <= effort.max_component_items
    ]
    if not components:
        return False
    chosen = _chosen(state, components)
    saving = 1.0 - 1e-6 if task.is_integral else 1e-12 * state.cost
    search = SmallCovers(
        task.problem.costs, edges, _feasible(task.problem, dual), saving, chosen
    )
    last_second = run.seconds + effort.component_time_share * run.seconds_left
    is_settled = np.zeros(task.items.size, dtype=bool)
    for items in components:
        if run.seconds > last_second or run.must_stop:
            break
        elements = distinct(edges.item_elements[edges.positions_of(items)])
        left = search.solve(
            items, elements.astype(np.int64), effort.max_component_nodes
        )
        is_settled[items] = left >= 0
    state.offer(np.flatnonzero(chosen), step="components")
    if not is_settled.any():
        return False
    _take(state, is_settled, is_settled & chosen.astype(bool), dual)
    return True


def _take(
    state: CoverState, is_settled: Flags, is_taken: Flags, dual: CoverDual
) -> None:
    """Go on without components that are solved."""
    task = state.task
    state.duals.append((task, dual))
    part = task.part(np.flatnonzero(is_settled))
    start = dual.multipliers[distinct(_elements(task.problem.edges, is_settled))]
    cost = exact_sum(task.problem.costs[is_taken])
    multipliers = _raised(state, part, start, cost=cost)
    multipliers = part.prices(multipliers, state.problem.weights)
    state.settled = Settled(part.items, multipliers)
    state.task = task.with_only(np.flatnonzero(~is_settled), np.flatnonzero(is_taken))
    if state.task.is_trivial:
        state.close()


def _elements(edges: Edges, is_inside: Flags) -> Indices:
    """The elements of some items, with repetitions."""
    return edges.item_elements[edges.positions_of(np.flatnonzero(is_inside))]


def _raised(
    state: CoverState, part: CoverTask, multipliers: Floats, *, cost: float
) -> Floats:
    """Multipliers of higher bound, for the certificate; the lowest cost is known."""
    run, effort = state.run, state.effort
    share = effort.cover.component_time_share
    last_second = run.seconds + share * run.seconds_left
    ascent = Ascent(part, multipliers, effort.ascent)
    while not (ascent.has_ended or run.seconds > last_second or run.must_stop):
        ascent.climb(effort.ascent.max_steps_per_slice, cost=cost)
    found = ascent.best
    is_better = found.bound > CoverDual.at(part, multipliers).bound
    return found.multipliers if is_better else multipliers


def _chosen(state: CoverState, components: list[Ints]) -> np.ndarray:
    """Marks of the best cover, and all items of a component that it does not cover."""
    task, edges = state.task, state.task.problem.edges
    chosen = np.isin(task.items, state.items)
    covered = Selection(task.problem, np.flatnonzero(chosen)).covered
    is_incomplete = np.zeros(task.items.size, dtype=bool)
    uncovered = np.repeat(~covered, edges.element_degrees)
    is_incomplete[edges.element_items[uncovered]] = True
    for items in components:
        if is_incomplete[items].any():
            chosen[items] = True
    return chosen.astype(np.int8)


def _feasible(problem: CoverageProblem, dual: CoverDual) -> Floats:
    """Multipliers, lowered until no item earns more than its cost."""
    edges, costs = problem.edges, problem.costs
    earned = costs - dual.reduced_costs
    share = costs / np.maximum(earned, costs)
    lowest = np.minimum.reduceat(share[edges.element_items], edges.element_start[:-1])
    found: Floats = dual.multipliers * lowest
    return found
