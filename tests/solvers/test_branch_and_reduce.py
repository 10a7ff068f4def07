from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from problems import problems, random_problem

from thatch import CoverageProblem, Exact, Selection, solve
from thatch.bounds.dual_bounds import DualPoint
from thatch.presolve.variable_fixing import Core, fix_variables
from thatch.run.run import Run
from thatch.run.stopping import MaxIterations
from thatch.solvers import Exhaustive, StaticGreedy
from thatch.solvers.branch_and_reduce import Narrowing

ALL_NODES = 10**6


def optimum(problem):
    return solve(problem, Exhaustive()).selection.value


def nothing(problem):
    return Selection.of(problem, [])


def narrowed(problem, start, *, max_nodes=ALL_NODES):
    narrowing = Narrowing(problem, start)
    narrowing.narrow(Run())
    narrowing.branch(max_nodes)
    return narrowing


def require_truth(narrowing, best):
    """Nothing claimed is wrong."""
    assert narrowing.best.is_feasible
    assert narrowing.best.value <= best <= narrowing.bound * (1 + 1e-8)
    if narrowing.is_proved:
        assert narrowing.best.value == pytest.approx(best, rel=1e-8)


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
            narrowing = narrowed(problem, selection, max_nodes=max_nodes)
            require_truth(narrowing, best.value)
            assert narrowing.best.value >= selection.value


@given(problem=problems())
@settings(max_examples=150, deadline=None)
def test_nothing_claimed_is_wrong_on_any_valid_problem(problem):
    require_truth(narrowed(problem, nothing(problem)), optimum(problem))


def test_small_problems_of_whole_numbers_are_proved():
    for seed in range(250):
        problem = random_problem(seed)
        if problem.has_whole_weights and (problem.costs % 1 == 0).all():
            narrowing = narrowed(problem, nothing(problem))
            assert narrowing.is_proved
            assert narrowing.best.value == optimum(problem)


def test_what_is_taken_alone_can_be_the_best():
    """Item 1 is settled, and nothing is left to add to it."""
    problem = CoverageProblem.from_sets(
        [{0}, {0, 1, 2, 3}], costs=[1, 2], budget=2, weights={0: 1, 1: 5, 2: 5, 3: 5}
    )
    narrowing = narrowed(problem, Selection.of(problem, [0]))
    require_truth(narrowing, 16.0)
    assert narrowing.best.items.tolist() == [1]


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_problem_without_value_is_proved_at_once(is_whole):
    problem = CoverageProblem.from_matrix(
        np.eye(2), costs=[2, 3], weights=[1 if is_whole else 0.5, 2], budget=1
    )
    narrowing = narrowed(problem, nothing(problem))
    assert narrowing.is_proved
    assert narrowing.bound == 0.0


def test_a_selection_better_by_one_is_not_lost_to_rounding():
    """Losses are sums of charges: they differ by 1 only up to their last bits."""
    for seed in range(800):
        rng = np.random.default_rng(seed)
        num_items, num_elements = int(rng.integers(3, 7)), int(rng.integers(3, 9))
        problem = CoverageProblem.from_matrix(
            rng.random((num_items, num_elements)) < 0.5,
            costs=rng.integers(1, 8, num_items),
            weights=rng.integers(1, 9, num_elements),
            budget=int(rng.integers(3, 15)),
        )
        require_truth(narrowed(problem, nothing(problem)), optimum(problem))


def test_offers_are_taken_only_if_better():
    problem = random_problem(21)
    narrowing = Narrowing(problem, nothing(problem))
    found = solve(narrowing.problem, Exhaustive()).selection
    assert narrowing.offer(found)
    assert narrowing.best.value == optimum(problem)
    assert not narrowing.offer(found)
    assert not narrowing.offer(nothing(narrowing.problem))
    assert narrowing.best.value == optimum(problem)


def test_an_offer_above_the_budget_is_refused():
    problem = CoverageProblem.from_matrix(np.eye(3), budget=2)
    narrowing = Narrowing(problem, nothing(problem))
    everything = Selection.of(narrowing.problem, range(narrowing.problem.num_items))
    assert not narrowing.offer(everything)
    assert len(narrowing.best) == 0


def test_offers_between_steps_keep_every_claim_true():
    for seed in range(120):
        problem = random_problem(seed)
        best = optimum(problem)
        narrowing = Narrowing(problem, nothing(problem))
        for _ in range(3):
            narrowing.narrow(Run())
            require_truth(narrowing, best)
            narrowing.offer(solve(narrowing.problem, StaticGreedy()).selection)
            require_truth(narrowing, best)
        narrowing.branch(ALL_NODES)
        require_truth(narrowing, best)


def test_bounds_of_what_is_left_tighten_the_whole_but_never_pass_the_best():
    problem = random_problem(21)
    best = solve(problem, Exhaustive()).selection
    narrowing = Narrowing(problem, best)
    assert narrowing.bound == inf
    narrowing.tighten(1e9)
    narrowing.tighten(best.value + 7)
    assert best.value + 7 <= narrowing.bound <= (best.value + 7) * (1 + 1e-12)
    narrowing.tighten(0.0)
    assert narrowing.bound == best.value
    assert narrowing.is_proved


def test_a_run_that_may_not_go_on_claims_nothing():
    problem = random_problem(21)
    narrowing = Narrowing(problem, nothing(problem))
    narrowing.narrow(Run(stop=[MaxIterations(0)]))
    narrowing.branch(ALL_NODES)
    assert narrowing.bound == inf
    assert not narrowing.is_proved


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
        require_truth(narrowed(problem, nothing(problem)), optimum(problem))


def test_whole_weights_close_to_the_last_exact_one_prove_nothing_false():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        problem = CoverageProblem.from_matrix(
            rng.random((9, 12)) < 0.3,
            costs=rng.integers(1, 6, 9),
            weights=np.floor(rng.random(12) * 5e14),
            budget=9,
        )
        require_truth(narrowed(problem, nothing(problem)), optimum(problem))


def test_the_core_of_a_core_is_a_core():
    for seed in range(40):
        problem = random_problem(seed)
        core = Core.of(problem, np.arange(problem.num_items), np.arange(0))
        point = DualPoint.at(core.problem, core.problem.weights)
        inner = fix_variables(core.problem, point, 0.0)
        found = solve(inner.problem, Exhaustive()).selection
        restored = core.restored(inner.restored(found))
        assert restored.value == pytest.approx(optimum(problem), rel=1e-9)


def test_halves_that_merge_to_whole_weights_prove_nothing_wrong():
    problem = CoverageProblem.from_sets(
        [{0, 1}, {0}, {2, 3}], weights=[0.5] * 4, budget=1
    )
    result = solve(problem, Exact(start=Selection.of(problem, [1])))
    assert result.selection.value == 1.0


@pytest.mark.parametrize("seed", range(150))
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
