"""Branch and reduce: shrink a problem by bounds until it is solved.

A selection gives a lower bound, a dual descent an upper bound. From the two, variable
fixing decides items; what is left is presolved and bounded again until few more items
are fixed. Then every selection that may still be better is tried, if there
are not too many.

Every step takes a state and returns another one; states never change, but for the
descent, which continues where it was.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, nextafter

import numpy as np

from thatch._kernels.enumeration import Branch
from thatch.bounds.dual_bounds import DualPoint, proof_tolerance
from thatch.bounds.dual_descent import DualDescent
from thatch.bounds.overlap_bounds import overlap_bound, overlap_bound_work
from thatch.presolve.dominance import Reduction, reduce
from thatch.presolve.integer_costs import with_integer_costs
from thatch.presolve.variable_fixing import fix_variables, free_share, slack
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.restriction import Restriction
from thatch.problem.selection import Selection
from thatch.run.run import Run
from thatch.solvers.effort import Effort
from thatch.solvers.greedy import GeneralizedGreedy

__all__ = [
    "SearchState",
    "bound_and_fix",
    "bound_fix_and_branch",
    "improve",
    "presolve",
    "solve_small",
    "unreduced",
]

# Nodes between two checks of the stopping rules: some hundredths of a second.
_NODES_PER_CHECK = 100_000
# Above it, sums of integer weights may be off by one half.
_LARGEST_EXACT_BOUND = 1e12


@dataclass(frozen=True, eq=False)
class SearchState:
    """The incumbent, the bound, and the part of the problem that is still open."""

    original: CoverageProblem
    #: The best selection known, of the original problem.
    incumbent: Selection
    #: How the open problem came from the original one.
    steps: tuple[Reduction | Restriction, ...]
    #: What is left to decide.
    problem: CoverageProblem
    #: A selection of the open problem; the incumbent may be better.
    start: Selection
    #: No selection of the original problem is worth more than this.
    bound: float = inf
    #: Weight covered by items that are fixed, rounded up.
    base_value: float = 0.0
    #: The lowest dual point of the open problem, once there was a descent.
    dual: DualPoint | None = None
    #: The last branch and bound of the open problem, if it did not end.
    tree: SearchTree | None = None
    #: The descent that found it, which can be continued: the one thing that changes.
    descent: DualDescent | None = None
    #: Whether the overlaps of the open problem were bounded.
    has_overlap_bound: bool = False

    @property
    def is_proved(self) -> bool:
        """Whether the incumbent is as good as the bound."""
        return self.bound <= self.incumbent.value + self.tolerance

    @property
    def tolerance(self) -> float:
        """How far the bound of a proved incumbent may be above its value."""
        return proof_tolerance(self.original, self.incumbent.value)

    @property
    def incumbent_value(self) -> float:
        """What a selection of the open problem must exceed to be better."""
        return self.incumbent.value - self.base_value

    def restored(self, selection: Selection) -> Selection:
        """A selection of the open problem as one of the original problem."""
        for step in reversed(self.steps):
            selection = step.restored(selection)
        return Selection(self.original, selection.items)

    def improved_by(self, selection: Selection) -> SearchState:
        """The state with a selection of the open problem, if that is better."""
        found = self.restored(selection)
        if not self.is_improved_by(found):
            return self
        return replace(self, incumbent=found, start=selection)

    def is_improved_by(self, found: Selection) -> bool:
        """Whether a selection of the original problem is better than the incumbent."""
        return found.is_feasible and found.value > self.incumbent.value

    def bounded_by(self, bound: float) -> SearchState:
        """The state with a bound on the open problem, if that is lower."""
        if self.base_value > 0.0:
            bound = nextafter(bound + self.base_value, inf)
        bound = self.original.rounded_bound(bound)
        return replace(self, bound=min(self.bound, max(bound, self.incumbent.value)))

    def with_dual(self, point: DualPoint) -> SearchState:
        """The state with a dual point of the open problem, if that is lower."""
        is_lower = self.dual is None or point.bound < self.dual.bound
        state = replace(self, dual=point) if is_lower else self
        return state.bounded_by(point.bound)


def presolve(problem: CoverageProblem, incumbent: Selection) -> SearchState:
    """Count costs in integers, drop dominated items and merge equal elements."""
    exact = problem if problem.has_exact_costs else with_integer_costs(problem)
    counted = problem if exact is None else exact
    reduction = reduce(counted)
    start = reduction.reduced(Selection(counted, incumbent.items))
    return SearchState(
        problem,
        incumbent,
        (reduction,),
        reduction.problem,
        start,
        bound=problem.reachable_weight,
    )


def unreduced(problem: CoverageProblem, incumbent: Selection) -> SearchState:
    """The problem as it is, where presolve would take too long."""
    bound = problem.reachable_weight
    return SearchState(problem, incumbent, (), problem, incumbent, bound=bound)


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
    if state.dual is None:
        return state  # proved without one, or the run must stop
    state = _branched(state, state.dual, run, max_nodes=max_nodes, effort=effort)
    return state if is_quick else _with_overlap_bound(state, run, effort, work=work)


def solve_small(state: SearchState, run: Run, effort: Effort) -> SearchState:
    """Branch and bound after a short descent, which proves most small problems."""
    nodes = effort.first_nodes
    first = _descended(state, run, effort, iterations=effort.first_descent_iterations)
    if first.dual is not None and not first.is_proved:
        first = _branched(first, first.dual, run, max_nodes=nodes, effort=effort)
    if first.is_proved:
        return first
    # A longer descent finds a better point, and a tree from there is another one.
    again = replace(first, dual=None, descent=None)
    return bound_fix_and_branch(again, run, max_nodes=nodes, effort=effort)


def bound_and_fix(state: SearchState, run: Run, effort: Effort) -> SearchState:
    """Lower the bound and fix variables in turn, until few more are fixed."""
    while not state.is_proved and not run.must_stop:
        if state.dual is None:
            state = _descended(state, run, effort)
        if state.dual is None or state.problem.num_items == 0:
            return state
        share = free_share(state.problem, state.dual, state.incumbent_value)
        if share > effort.max_free_share or share == 1.0:
            return state
        state = _with_fixed_variables(state, state.dual)
    return state


def improve(state: SearchState, run: Run, *, work: float) -> SearchState:
    """Continue the descent of the open problem, if there is one and it still falls."""
    descent = state.descent
    if descent is None or descent.is_converged or state.is_proved or run.must_stop:
        return state
    iterations = max(1, int(work / descent.work_per_iteration))
    for point in descent.points(
        iterations=iterations,
        iterations_per_point=iterations,
        should_stop=lambda: run.must_stop,
    ):
        state = state.with_dual(point)
    run.report(state.incumbent, upper_bound=state.bound, step="dual descent")
    return state


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
    previous = inf
    descent = DualDescent(state.problem, state.start, num_threads=run.num_threads)
    state = replace(state, descent=descent)
    for point in descent.points(
        iterations=effort.descent_iterations if iterations is None else iterations,
        iterations_per_point=per_point if iterations is None else iterations,
        should_stop=lambda: run.must_stop,
    ):
        state = state.with_dual(point)
        status = run.report(
            state.incumbent, upper_bound=state.bound, step="dual descent"
        )
        progress, gap = previous - point.bound, point.bound - state.incumbent_value
        if status is not None or state.is_proved or progress < min_progress * gap:
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
    bound = overlap_bound(state.problem, state.dual.multipliers)
    state = replace(state.bounded_by(bound), has_overlap_bound=True)
    run.report(state.incumbent, upper_bound=state.bound, step="overlap bound")
    return state


def _with_fixed_variables(state: SearchState, dual: DualPoint) -> SearchState:
    """The state whose open problem is what variable fixing leaves, presolved."""
    fixed = fix_variables(state.problem, dual, state.incumbent_value)
    reduction = reduce(fixed.problem)
    start = fixed.reduced(state.start)
    if start is None:
        start = GeneralizedGreedy().solve(fixed.problem, Run()).selection
    base_value = state.base_value
    if fixed.base_value:
        base_value = nextafter(base_value + fixed.base_value, inf)
    smaller = SearchState(
        original=state.original,
        incumbent=state.incumbent,
        steps=(*state.steps, fixed, reduction),
        problem=reduction.problem,
        start=reduction.reduced(start),
        bound=state.bound,
        base_value=base_value,
    )
    # The fixed items, with what is left of the start, may be the best by now.
    return smaller.improved_by(smaller.start)


def _branched(
    state: SearchState, dual: DualPoint, run: Run, *, max_nodes: int, effort: Effort
) -> SearchState:
    """Try every selection that may be better, unless there are too many.

    A search that ran out of nodes is continued: with as many nodes again if the
    problem is small, the incumbent better by now, or nodes are `node_growth` times as
    many; else with a share of them. It starts anew at a dual point that closes a share
    of the gap.
    """
    problem, tree, nodes = state.problem, state.tree, max_nodes
    if problem.num_items > effort.max_items_to_branch:
        return state
    if tree is None or _is_narrower(dual, tree, state.incumbent_value, effort):
        tree = SearchTree(problem, dual, effort)
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
    is_complete = tree.grow(state, run, nodes)
    state = replace(state, tree=tree)
    if tree.best is not None:
        found = state.restored(tree.best)
        is_complete = is_complete and found.is_feasible
        if state.is_improved_by(found):
            state = replace(state, incumbent=found)
    if is_complete and tree.dual.bound < _LARGEST_EXACT_BOUND:
        bound = min(state.bound, state.incumbent.value + state.tolerance)
        state = replace(state, bound=bound)
    return state


def _is_narrower(
    dual: DualPoint, tree: SearchTree, incumbent_value: float, effort: Effort
) -> bool:
    """Whether a dual point leaves a much narrower gap than that of the tree."""
    gap = tree.dual.bound - incumbent_value
    return dual.bound - incumbent_value < (1.0 - effort.min_gap_closed) * gap


class SearchTree:
    """Branch and bound at one dual point; it can be continued."""

    def __init__(
        self, problem: CoverageProblem, dual: DualPoint, effort: Effort
    ) -> None:
        self.dual = dual
        #: Maximum number of nodes at the present incumbent, and its value.
        self.max_nodes = 0
        self.incumbent_value = -inf
        self._problem = problem
        self._marks = np.zeros(problem.num_items, dtype=np.int8)
        self._is_found = False
        group, at_most = problem.group_limits
        self._search = Branch(
            problem.costs,
            problem.weights,
            problem.edges.item_start,
            problem.edges.item_elements,
            dual.multipliers,
            dual.reduced_profits,
            dual.price,
            np.argsort(-np.abs(dual.reduced_profits), kind="stable"),
            group,
            at_most.copy(),
            dual.group_prices,
            self._marks,
        )
        # A node of many elements takes longer: it counts as several.
        mean_degree = problem.num_edges / max(1, problem.num_items)
        self._node_size = max(1.0, mean_degree / effort.elements_per_node)

    @property
    def best(self) -> Selection | None:
        """The best selection found that is better than the incumbent was."""
        if not self._is_found:
            return None
        return Selection(self._problem, np.flatnonzero(self._marks))

    def grow(self, state: SearchState, run: Run, num_nodes: int) -> bool:
        """Search on for some nodes; True if every selection was tried."""
        nodes = int(num_nodes / self._node_size)
        problem = self._problem
        rounding = 0.0 if problem.has_exact_costs else 1e-11 * problem.budget
        per_check = max(1, int(_NODES_PER_CHECK / self._node_size))
        while nodes > 0 and not run.must_stop:
            nodes_left, is_complete, self._is_found = self._search.search(
                problem.budget + rounding,
                problem.budget - rounding,
                slack(problem, self.dual, state.incumbent_value),
                # Half of the least gain, so that rounding cannot hide it.
                0.5 if problem.has_integer_weights else 0.1 * state.tolerance,
                min(nodes, per_check),
            )
            if nodes_left > 0:
                return is_complete
            nodes -= per_check
        return False
