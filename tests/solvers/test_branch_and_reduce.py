from dataclasses import replace

import numpy as np
import pytest
from cases import for_each
from hypothesis import given
from problems import problems, random_problem, steiner_triples

from thatch import CoverageProblem, Exact, Selection, Status, solve
from thatch.problem.selection import Restriction
from thatch.run.run import Run
from thatch.run.stopping import MaxIterations
from thatch.solvers import Exhaustive, LocalSearch, StaticGreedy
from thatch.solvers.bounds.dual_bounds import DualPoint
from thatch.solvers.branch_and_bound import fix_variables
from thatch.solvers.branch_and_reduce import (
    bound_and_fix,
    bound_fix_and_branch,
    solve_small,
)
from thatch.solvers.effort import Effort
from thatch.solvers.search_state import SearchState

ALL_NODES = 10**6


def optimum(problem):
    return solve(problem, Exhaustive()).selection.value


def nothing(problem):
    return Selection.of(problem, [])


def solved(problem, start, *, max_nodes=ALL_NODES, run=None):
    state = SearchState.presolved(problem, start)
    return bound_fix_and_branch(
        state, run or Run(), max_nodes=max_nodes, effort=Effort()
    )


def require_truth(state, best):
    """Nothing claimed is wrong."""
    assert state.incumbent.is_feasible
    assert state.incumbent.value <= best <= state.bound * (1 + 1e-8)
    if state.is_proved:
        assert state.incumbent.value == pytest.approx(best, rel=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("start", ["nothing", "static", "best"])
def test_nothing_claimed_is_wrong_wherever_it_starts(start):
    for seed in range(250):
        problem = random_problem(seed)
        best = solve(problem, Exhaustive()).selection
        selection = {
            "nothing": nothing(problem),
            "static": solve(problem, StaticGreedy()).selection,
            "best": best,
        }[start]
        for max_nodes in (3, ALL_NODES):
            state = solved(problem, selection, max_nodes=max_nodes)
            require_truth(state, best.value)
            assert state.incumbent.value >= selection.value


@given(problem=problems())
def test_nothing_claimed_is_wrong_on_any_valid_problem(problem):
    require_truth(solved(problem, nothing(problem)), optimum(problem))


def test_small_problems_of_whole_numbers_are_proved():
    for seed in range(250):
        problem = random_problem(seed)
        if problem.has_integer_weights and (problem.costs % 1 == 0).all():
            state = solved(problem, nothing(problem))
            assert state.is_proved
            assert state.incumbent.value == optimum(problem)


def test_what_is_taken_alone_can_be_the_best():
    """Item 1 is settled, and nothing is left to add to it."""
    problem = CoverageProblem.from_sets(
        [{0}, {0, 1, 2, 3}], costs=[1, 2], budget=2, weights={0: 1, 1: 5, 2: 5, 3: 5}
    )
    state = solved(problem, Selection.of(problem, [0]))
    require_truth(state, 16.0)
    assert state.incumbent.items.tolist() == [1]


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_problem_without_value_is_proved_at_once(is_whole):
    problem = CoverageProblem.from_matrix(
        np.eye(2), costs=[2, 3], weights=[1 if is_whole else 0.5, 2], budget=1
    )
    state = solved(problem, nothing(problem))
    assert state.is_proved
    assert state.bound == 0.0


@pytest.mark.slow
def test_a_selection_better_by_one_is_not_lost_to_rounding():
    """Losses are sums of multipliers: they differ by 1 only up to their last bits."""
    for seed in range(800):
        rng = np.random.default_rng(seed)
        num_items, num_elements = int(rng.integers(3, 7)), int(rng.integers(3, 9))
        problem = CoverageProblem.from_matrix(
            rng.random((num_items, num_elements)) < 0.5,
            costs=rng.integers(1, 8, num_items),
            weights=rng.integers(1, 9, num_elements),
            budget=int(rng.integers(3, 15)),
        )
        require_truth(solved(problem, nothing(problem)), optimum(problem))


def test_small_problems_are_proved_by_a_short_descent_too():
    for seed in range(120):
        problem = random_problem(seed)
        state = solve_small(
            SearchState.presolved(problem, nothing(problem)), Run(), Effort()
        )
        require_truth(state, optimum(problem))


def test_a_selection_improves_the_state_only_if_it_is_better():
    problem = random_problem(21)
    state = SearchState.presolved(problem, nothing(problem))
    found = solve(state.problem, Exhaustive()).selection
    better = state.improved_by(found)
    assert better.incumbent.value == optimum(problem)
    assert better.improved_by(found) is better
    assert better.improved_by(nothing(state.problem)) is better
    assert state.incumbent.value == 0.0


def test_a_selection_above_the_budget_does_not_improve_the_state():
    problem = CoverageProblem.from_matrix(np.eye(3), budget=2)
    state = SearchState.presolved(problem, nothing(problem))
    everything = Selection.of(state.problem, range(state.problem.num_items))
    assert state.improved_by(everything) is state


def test_better_selections_between_steps_keep_every_claim_true():
    for seed in range(120):
        problem = random_problem(seed)
        best = optimum(problem)
        state = SearchState.presolved(problem, nothing(problem))
        for _ in range(3):
            state = bound_and_fix(state, Run(), Effort())
            require_truth(state, best)
            state = state.improved_by(solve(state.problem, StaticGreedy()).selection)
            require_truth(state, best)
        state = bound_fix_and_branch(state, Run(), max_nodes=ALL_NODES, effort=Effort())
        require_truth(state, best)


def test_bounds_of_the_open_problem_are_never_below_the_incumbent():
    problem = random_problem(21)
    problem = replace(problem, budget=float(problem.costs.min()))
    best = solve(problem, Exhaustive()).selection
    state = SearchState.presolved(problem, best)
    assert state.bound == problem.reachable_weight
    state = state.bounded_by(1e9).bounded_by(best.value + 7)
    assert best.value + 7 <= state.bound <= (best.value + 7) * (1 + 1e-12)
    state = state.bounded_by(0.0)
    assert state.bound == best.value
    assert state.is_proved


def test_a_run_that_must_stop_claims_nothing():
    problem = random_problem(21)
    state = solved(problem, nothing(problem), run=Run(stop=[MaxIterations(0)]))
    assert state.bound == problem.reachable_weight
    assert not state.is_proved


def test_branch_and_bound_is_continued_where_it_stopped():
    """Small problems: each call adds nodes, until all selections were tried."""
    problem = steiner_triples(3)
    start = solve(problem, StaticGreedy()).selection
    states = [SearchState.presolved(problem, start)]
    while not states[-1].is_proved:
        state = bound_fix_and_branch(
            states[-1], Run(), max_nodes=300_000, effort=Effort()
        )
        assert state.incumbent.value >= states[-1].incumbent.value
        states.append(state)
    once = solved(problem, start, max_nodes=10**8)
    assert len(states) > 3
    assert states[-1].bound == once.bound == states[-1].incumbent.value
    np.testing.assert_array_equal(states[-1].incumbent.items, once.incumbent.items)


def test_a_run_that_stops_while_branching_proves_nothing():
    calls = []

    def stop_in_the_tree(progress):
        calls.append(progress)
        return Status.TARGET_REACHED if len(calls) > num_calls else None

    problem = steiner_triples(3)
    start = solve(problem, LocalSearch()).selection
    num_calls = 10**9
    whole = solved(problem, start, max_nodes=10**8, run=Run(stop=[stop_in_the_tree]))
    assert whole.is_proved
    num_calls, calls = len(calls) - 2, []
    cut = solved(problem, start, max_nodes=10**8, run=Run(stop=[stop_in_the_tree]))
    assert not cut.is_proved
    assert cut.bound >= whole.bound


def test_sums_beyond_a_double_prove_nothing_false():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        weights = rng.random(8)
        problem = CoverageProblem.from_matrix(
            rng.random((9, 8)) < 0.5,
            costs=rng.integers(1, 6, 9),
            weights=weights * (1.7e308 / weights.sum()),
            budget=7,
        )
        require_truth(solved(problem, nothing(problem)), optimum(problem))


def test_whole_weights_close_to_the_last_exact_one_prove_nothing_false():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        problem = CoverageProblem.from_matrix(
            rng.random((9, 12)) < 0.3,
            costs=rng.integers(1, 6, 9),
            weights=np.floor(rng.random(12) * 5e14),
            budget=9,
        )
        require_truth(solved(problem, nothing(problem)), optimum(problem))


def test_a_restriction_can_be_restricted():
    for seed in range(40):
        problem = random_problem(seed)
        everything = np.arange(problem.num_items)
        outer = Restriction.of(problem, everything, everything[:0])
        point = DualPoint.at(outer.problem, outer.problem.weights)
        inner = fix_variables(outer.problem, point, 0.0)
        found = solve(inner.problem, Exhaustive()).selection
        restored = outer.restored(inner.restored(found))
        assert restored.value == pytest.approx(optimum(problem), rel=1e-9)


def test_halves_that_merge_to_whole_weights_prove_nothing_wrong():
    problem = CoverageProblem.from_sets(
        [{0, 1}, {0}, {2, 3}], weights=[0.5] * 4, budget=1
    )
    result = solve(problem, Exact(start=Selection.of(problem, [1])))
    assert result.selection.value == 1.0


@for_each("seed", range(150))
def test_a_poor_start_and_uneven_weights_prove_nothing_wrong(seed):
    rng = np.random.default_rng(seed)
    num_items = int(rng.integers(3, 12))
    kinds = [
        rng.integers(1, 9, 14) / 2,
        rng.integers(1, 30, 14) / 10,
        rng.random(14) * 9,
    ]
    problem = CoverageProblem.from_matrix(
        rng.random((num_items, 14)) < rng.choice([0.1, 0.3, 0.5]),
        costs=rng.integers(1, 8, num_items).astype(float),
        weights=kinds[seed % 3],
        budget=float(rng.integers(3, 20)),
    )
    start = Selection.of(problem, problem.affordable_items[:1])
    result = solve(problem, Exact(start=start))
    assert result.upper_bound >= optimum(problem) * (1 - 1e-12)
    assert result.selection.value == pytest.approx(optimum(problem), rel=1e-8)


def test_a_tree_is_continued_unless_a_dual_point_closes_a_share_of_the_gap():
    problem = steiner_triples(4, budget=40)
    effort = Effort(max_items_to_branch_first=0, min_gap_closed=0.1)
    state = SearchState.presolved(problem, solve(problem, LocalSearch()).selection)
    state = bound_fix_and_branch(state, Run(), max_nodes=200, effort=effort)
    assert not state.is_proved
    again = bound_fix_and_branch(state, Run(), max_nodes=200, effort=effort)
    assert again.tree is state.tree
    gap = state.dual.bound - state.incumbent_value
    lower = replace(state.dual, bound=state.dual.bound - 0.2 * gap)
    anew = replace(state, dual=lower, descent=None)
    anew = bound_fix_and_branch(anew, Run(), max_nodes=200, effort=effort)
    assert anew.tree is not state.tree
