"""Branch and reduce: shrink a problem by bounds until it is solved.

A selection gives a lower bound, a dual descent an upper bound. From the two, variable
fixing decides items; what is left is presolved and bounded again until few more items
are fixed. Then every selection that may still be better is tried, if there
are not too many.

Every step takes a state and returns another one; states never change, but for the
descent, which continues where it was.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf, nextafter

from thatch.problem.selection import Restriction, Selection
from thatch.run.run import Run
from thatch.solvers.bounds.dual_bounds import DualPoint
from thatch.solvers.bounds.dual_descent import DualDescent
from thatch.solvers.bounds.overlap_bounds import overlap_bound_work, overlap_proof
from thatch.solvers.branch_and_bound import SearchTree, fix_variables
from thatch.solvers.effort import Effort
from thatch.solvers.greedy import GeneralizedGreedy
from thatch.solvers.presolve import reduce
from thatch.solvers.search_state import SearchState


def solve_restriction(
    restriction: Restriction,
    incumbent: Selection,
    run: Run,
    *,
    max_nodes: int,
    effort: Effort,
) -> tuple[Selection, bool] | None:
    """The best selection found within a restriction, and whether none is better.

    It is None if the incumbent is not within the restriction, or nothing is open.
    """
    inside = restriction.reduced(incumbent)
    if inside is None or restriction.problem.num_items == 0:
        return None
    state = SearchState.presolved(restriction.problem, inside)
    state = bound_fix_and_branch(
        state, run.unreported(), max_nodes=max_nodes, effort=effort
    )
    return restriction.restored(state.incumbent), state.is_settled


def bound_fix_and_branch(
    state: SearchState,
    run: Run,
    *,
    max_nodes: int,
    effort: Effort,
    is_quick: bool = False,
) -> SearchState:
    """Bound, fix variables, and branch on what is left; then bound overlaps.

    A descent that there was before is continued, with work in proportion to the nodes.
    If it must be quick, overlaps are not bounded.
    """
    work = float(effort.work_per_node) * max_nodes
    state = improve(state, run, work=effort.descent_work_share * work)
    state = bound_and_fix(state, run, effort)
    if state.problem.num_items == 0 and not state.is_proved:
        return state.tried_nothing()
    if state.dual is None and not (state.is_proved or run.must_stop):
        # What rounding left open after the last fixing.
        steps = effort.first_descent_iterations
        state = _descended(state, run, effort, iterations=steps)
    if state.dual is None:
        return state  # proved without one, or the run must stop
    state = _branched(state, state.dual, run, max_nodes=max_nodes, effort=effort)
    return state if is_quick else _with_overlap_bound(state, run, effort, work=work)


def compared_exactly(state: SearchState, run: Run, effort: Effort) -> SearchState:
    """The state in which what only rounding has left open is compared exactly."""
    if state.is_proved or not state.is_settled or run.must_stop:
        return state
    return bound_fix_and_branch(
        state, run, max_nodes=effort.first_nodes, effort=effort, is_quick=True
    )


def solve_small(state: SearchState, run: Run, effort: Effort) -> SearchState:
    """Branch and bound after a short descent, which proves most small problems."""
    nodes = effort.first_nodes
    first = _descended(state, run, effort, iterations=effort.first_descent_iterations)
    if first.dual is not None and not first.is_proved:
        first = _branched(first, first.dual, run, max_nodes=nodes, effort=effort)
    if first.is_settled:
        return first
    # A longer descent finds a better point, and a tree from there is another one.
    again = replace(first, dual=None, descent=None)
    return bound_fix_and_branch(again, run, max_nodes=nodes, effort=effort)


def bound_and_fix(state: SearchState, run: Run, effort: Effort) -> SearchState:
    """Lower the bound and fix variables in turn, until few more are fixed."""
    while not state.is_settled and not run.must_stop:
        if state.dual is None:
            state = _descended(state, run, effort)
        if state.dual is None or state.problem.num_items == 0:
            return state
        fixed = fix_variables(
            state.problem,
            state.dual,
            state.incumbent_value,
            max_free_share=effort.max_free_share,
        )
        if fixed is None or fixed.items.size == state.problem.num_items:
            return state
        state = _with_fixed_variables(state, fixed)
    return state


def improve(state: SearchState, run: Run, *, work: float) -> SearchState:
    """Continue the descent of the open problem, if there is one and it still falls."""
    descent = state.descent
    if descent is None or descent.is_converged or state.is_settled or run.must_stop:
        return state
    iterations = max(1, int(work / descent.work_per_iteration))
    return _lowered(state, descent, run, iterations, per_point=iterations)


def _descended(
    state: SearchState, run: Run, effort: Effort, *, iterations: int | None = None
) -> SearchState:
    """Lower the bound until it hardly falls, or for some iterations."""
    has_many = state.problem.num_edges >= effort.many_edges_for_descent
    per_point = effort.descent_iterations_per_point
    min_progress = effort.min_descent_progress
    if has_many:
        per_point = effort.descent_iterations_per_point_many_edges
        min_progress = effort.min_descent_progress_many_edges
    if iterations is None:
        iterations = effort.descent_iterations
    else:
        per_point = iterations
    descent = DualDescent(state.problem, state.start, num_threads=run.num_threads)
    state = replace(state, descent=descent)
    return _lowered(
        state, descent, run, iterations, per_point=per_point, min_progress=min_progress
    )


def _lowered(
    state: SearchState,
    descent: DualDescent,
    run: Run,
    iterations: int,
    *,
    per_point: int,
    min_progress: float = 0.0,
) -> SearchState:
    """Continue a descent while a point closes that share of the gap."""
    previous = inf
    for point in descent.points(
        iterations=iterations,
        iterations_per_point=per_point,
        should_stop=lambda: run.must_stop,
    ):
        state = state.with_dual(point)
        status = run.report(
            state.incumbent, upper_bound=state.bound, step="dual descent"
        )
        progress, gap = previous - point.bound, point.bound - state.incumbent_value
        if status is not None or state.is_settled or progress < min_progress * gap:
            return state
        previous = point.bound
    return state


def _with_overlap_bound(
    state: SearchState, run: Run, effort: Effort, *, work: float
) -> SearchState:
    """Bound the overlaps of items, once, if the gap is wide and the problem small."""
    gap = state.bound - state.incumbent.value
    is_wide = gap > effort.min_gap_for_overlap_bound * state.bound
    if state.has_overlap_bound or state.dual is None or not is_wide or run.must_stop:
        return state
    needed = overlap_bound_work(state.problem)
    is_affordable = needed <= effort.overlap_bound_work_share * work
    seconds = effort.overlap_bound_seconds_per_work * needed
    if not is_affordable or run.seconds_left < seconds:
        return state
    found = overlap_proof(state.problem, state.dual, effort.overlaps)
    if found is not None:
        state = state.bounded_by(*found)
    state = replace(state, has_overlap_bound=True)
    run.report(state.incumbent, upper_bound=state.bound, step="overlap bound")
    return state


def _with_fixed_variables(state: SearchState, fixed: Restriction) -> SearchState:
    """The state whose open problem is what variable fixing leaves, presolved."""
    reduction = reduce(fixed.problem)
    start = fixed.reduced(state.start)
    if start is None:
        start = GeneralizedGreedy().solve(fixed.problem, Run()).selection
    base_value = state.base_value
    if fixed.base_value:
        base_value = nextafter(base_value + fixed.base_value, inf)
    assert state.dual is not None
    smaller = SearchState(
        original=state.original,
        incumbent=state.incumbent,
        problem=reduction.problem,
        start=reduction.reduced(start),
        steps=(*state.steps, fixed, reduction),
        points=(*state.points, state.dual),
        bound=state.bound,
        base_value=base_value,
        proof=state.proof,
        is_compared=state.is_compared,
    )
    # The fixed items, with what is left of the start, may be the best by now.
    return smaller.improved_by(smaller.start)


def _branched(
    state: SearchState, dual: DualPoint, run: Run, *, max_nodes: int, effort: Effort
) -> SearchState:
    """Try every selection that may be better, unless there are too many.

    A search that ran out of nodes is continued: with as many nodes again if the
    problem is small, the incumbent better by now, or nodes are `node_growth` times as
    many; else with a share of them. It starts over at a dual point that closes a share
    of the gap.
    """
    problem, tree, nodes = state.problem, state.tree, max_nodes
    if problem.num_items > effort.max_items_to_branch:
        return state
    if tree is None or _is_narrower(dual, tree, state.incumbent_value, effort):
        is_exact = state.original.has_exact_costs
        tree = SearchTree(problem, dual, effort, has_exact_costs=is_exact)
    elif (
        problem.num_items > effort.max_items_to_branch_first
        and state.incumbent_value <= tree.incumbent_value
    ):
        is_larger = max_nodes >= effort.node_growth * tree.max_nodes
        nodes -= tree.max_nodes
        if not is_larger:
            nodes = int(effort.continued_share * max_nodes)
            max_nodes = tree.max_nodes
    tree.max_nodes, tree.incumbent_value = max_nodes, state.incumbent_value
    offers = _Offers(state)
    is_complete = tree.grow(run, nodes, offers.take)
    state = replace(offers.state, tree=tree)
    return state.tried(tree) if is_complete else state


class _Offers:
    """The state, with the best of the selections that a search offers."""

    def __init__(self, state: SearchState) -> None:
        self.state = state

    def take(self, selection: Selection) -> float:
        """Keep a selection if it is better; return the value of the best one."""
        found = self.state.restored(selection)
        if self.state.is_improved_by(found):
            self.state = replace(self.state, incumbent=found)
        return self.state.incumbent_value


def _is_narrower(
    dual: DualPoint, tree: SearchTree, incumbent_value: float, effort: Effort
) -> bool:
    """Whether a dual point leaves a much narrower gap than that of the tree."""
    gap = tree.dual.bound - incumbent_value
    return dual.bound - incumbent_value < (1.0 - effort.min_gap_closed) * gap
