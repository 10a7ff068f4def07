"""Problems that need a proof tree: what is left of a search, and many constraints.

Required and forbidden items alone leave a smaller problem, and limits per group are
kept by solvers that accept them. With all other constraints, a branch and bound starts
from a selection that keeps them.
"""

from __future__ import annotations

import numpy as np

from thatch.arrays import Ints
from thatch.errors import NoTimeError
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.result import Result, Status
from thatch.run.run import Run
from thatch.solvers.explorers import Climb
from thatch.solvers.greedy import item_weights, ranking
from thatch.solvers.highs.feasibility import feasible_items, infeasibility_error
from thatch.solvers.proving.nodes import max_nodes_within
from thatch.solvers.proving.proving import any_selection, prove
from thatch.solvers.search_state import SearchState

# HiGHS may look for a first selection for this share of the time that is left.
_SHARE_TO_START = 0.5
# Items and edges looked at to improve a rounded selection, in a tenth of a second.
_WORK_TO_CLIMB = 1e8


def solve_integer_program(
    state: SearchState, run: Run, *, last_second: float
) -> tuple[SearchState, Status | None]:
    """Search the open problem until it is proved or the time is up."""
    status: Status | None = None

    def as_bound(bound: float) -> float:
        return min(state.bound, state.base_value + bound)

    def improved(found: Selection, bound: float) -> None:
        nonlocal state, status
        state = state.improved_by(found)
        now = run.report(
            state.incumbent, upper_bound=as_bound(bound), step="integer program"
        )
        status = status or now

    lowest = state.bound

    def should_stop(bound: float) -> bool:
        nonlocal status, lowest
        now = as_bound(bound)
        if now < lowest:
            lowest = now
            status = status or run.report(
                state.incumbent, upper_bound=now, step="integer program"
            )
        status = status or run.check_stop(upper_bound=now)
        return status is not None or run.seconds >= last_second

    proof = prove(
        state.start,
        should_stop=should_stop,
        improved=improved,
        most_covered=state.incumbent_value,
        seconds_left=lambda: min(run.seconds_left, last_second - run.seconds),
        polished=lambda found: _polished(found, run.seed),
    )
    return state.bounded_by_search(proof), status


def _polished(found: Selection, seed: int) -> Selection:
    """A better selection near one that a relaxation suggests."""
    climb = Climb(found.problem, found, seed=seed)
    climb.advance(_WORK_TO_CLIMB)
    return climb.best


def solve_constrained(
    problem: CoverageProblem, run: Run, *, start: Selection | None = None
) -> Result:
    """Solve a problem with any constraints.

    Parameters
    ----------
    problem
        The problem.
    run
        Every better selection is reported to it.
    start
        A feasible selection to start from, if there is one.

    Raises
    ------
    InfeasibleError
        If no selection keeps the constraints.
    NoTimeError
        If none was found within the time limit.
    """
    first = _feasible_start(problem, run) if start is None else start
    best = _completed(first, run)
    run.report(best, step="feasible start")

    def improved(found: Selection, bound: float) -> None:
        run.report(found, upper_bound=bound, step="branch and bound")

    proof = prove(
        best,
        should_stop=lambda bound: run.check_stop(upper_bound=bound) is not None,
        improved=improved,
        seconds_left=lambda: run.seconds_left,
        max_nodes=max_nodes_within(run.seconds_left, problem.num_edges),
    )
    best, bound = proof.selection, proof.bound
    status = run.report(best, upper_bound=bound, step="branch and bound")
    if proof.is_optimal:
        status = Status.OPTIMAL
    return run.result(
        best,
        status or Status.FINISHED,
        upper_bound=bound,
        certificate=proof.certificate,
    )


def _feasible_start(problem: CoverageProblem, run: Run) -> Selection:
    """The least that the constraints ask for, or what a search finds.

    Raises
    ------
    InfeasibleError
        If it is proved that there is no feasible selection.
    NoTimeError
        If neither a selection nor a proof was found.
    """
    least = Selection(problem, _least_items(problem))
    if least.is_feasible:
        return least

    def from_program() -> Selection | None:
        seconds = _SHARE_TO_START * run.seconds_left
        items = feasible_items(problem, item_weights(problem), max_seconds=seconds)
        return None if items is None else Selection(problem, items)

    found = any_selection(
        problem,
        should_stop=lambda: run.must_stop,
        suggested=from_program,
        seconds_left=lambda: run.seconds_left,
    )
    if found is None:
        raise NoTimeError(
            "no selection that meets the constraints was found within the time limit.",
            hint="Allow more time.",
        )
    if isinstance(found, Selection):
        return found
    raise infeasibility_error(problem, certificate=found, max_seconds=run.seconds_left)


def _least_items(problem: CoverageProblem) -> Ints:
    """Required items, the cheapest ones of groups, and all prerequisites of these."""
    constraints = problem.constraints
    if constraints is None:
        return np.zeros(0, dtype=np.int64)
    chosen = set(constraints.required.tolist())
    left_out = set(constraints.forbidden.tolist())
    groups = constraints.groups
    if groups is not None:
        missing = groups.at_least - groups.counts(constraints.required)
        for i in np.argsort(problem.costs, kind="stable").tolist():
            is_open = i not in chosen and i not in left_out
            if is_open and missing[groups.group[i]] > 0:
                chosen.add(i)
                missing[groups.group[i]] -= 1
    needs: dict[int, list[int]] = {}
    for one, other in constraints.prerequisites.tolist():
        needs.setdefault(one, []).append(other)
    waiting = list(chosen)
    while waiting:
        for other in needs.get(waiting.pop(), ()):
            if other not in chosen:
                chosen.add(other)
                waiting.append(other)
    return np.array(sorted(chosen), dtype=np.int64)


def _completed(start: Selection, run: Run, *, max_tries: int = 2000) -> Selection:
    """The selection with items added while it stays feasible, best first."""
    problem = start.problem
    merits = item_weights(problem)
    merits[start.items] = 0.0
    largest = largest_value = start
    for i in ranking(problem, merits)[:max_tries].tolist():
        if merits[i] <= 0.0 or run.must_stop:
            break
        larger = Selection(problem, np.sort(np.append(largest.items, i)))
        if _met(larger) > _met(largest) and larger.is_feasible:
            largest = larger
            if largest.value > largest_value.value:
                largest_value = largest
    return largest_value


def _met(selection: Selection) -> float:
    """Weight of the elements, each as far as its demand is met."""
    constraints = selection.problem.constraints
    demands = None if constraints is None else constraints.demands
    if demands is None:
        return selection.value
    shares = np.minimum(selection.cover_counts / demands, 1.0)
    return float(selection.problem.weights @ shares)
