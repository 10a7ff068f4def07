import numpy as np
import pytest
import reference
from cases import for_each
from problems import random_problem

from thatch import CoverageProblem, Selection, solve
from thatch.problem.selection import Restriction
from thatch.solvers import Exhaustive, StaticGreedy
from thatch.solvers.bounds.dual_bounds import DualPoint
from thatch.solvers.bounds.dual_descent import DualDescent
from thatch.solvers.branch_and_bound import fix_variables


def known(problem):
    return solve(problem, StaticGreedy()).selection


def good_point(problem):
    descent = DualDescent(problem, known(problem))
    descent.iterate(100)
    return DualPoint.at(problem, descent.multipliers)


def random_point(problem, seed):
    rng = np.random.default_rng(seed)
    return DualPoint.at(problem, problem.weights * rng.random(problem.num_elements))


def contradictions(core, incumbent_value):
    """Better selections that leave what is taken, or take what is left."""
    taken, decided = set(core.taken.tolist()), set(core.items.tolist())
    for chosen in reference.feasible_selections(core.original):
        if reference.value(core.original, chosen) > incumbent_value * (
            1 + 1e-9
        ) and not (taken <= set(chosen) <= taken | decided):
            yield chosen


@for_each("seed", range(60))
def test_no_better_selection_contradicts_the_core(seed):
    problem = random_problem(seed, max_items=9)
    best = solve(problem, Exhaustive()).selection.value
    for point in (good_point(problem), random_point(problem, seed)):
        for incumbent_value in (known(problem).value, best, 0.9 * best):
            core = fix_variables(problem, point, incumbent_value)
            assert list(contradictions(core, incumbent_value)) == []


@for_each("seed", range(60))
def test_the_best_of_the_core_is_the_best_of_all(seed):
    problem = random_problem(seed)
    incumbent_value = known(problem).value
    best = solve(problem, Exhaustive()).selection
    core = fix_variables(problem, good_point(problem), incumbent_value)
    if best.value > incumbent_value * (1 + 1e-9):
        inside = core.reduced(best)
        assert core.restored(inside).value == best.value
        assert inside.value + core.base_value == pytest.approx(best.value)
        found = solve(core.problem, Exhaustive()).selection.value
        assert found + core.base_value >= best.value * (1 - 1e-12)


def test_nothing_is_fixed_if_too_many_items_stay_free():
    for seed in range(20):
        problem = random_problem(seed)
        point, incumbent_value = good_point(problem), known(problem).value
        core = fix_variables(problem, point, incumbent_value)
        share = core.problem.num_items / problem.num_items
        for most, is_fixed in ((share + 1e-9, True), (share - 1e-9, False)):
            found = fix_variables(problem, point, incumbent_value, max_free_share=most)
            assert (found is not None) == is_fixed


def test_there_and_back_is_the_same_selection():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        problem = random_problem(seed).with_budget(1e13)
        role = rng.integers(0, 3, problem.num_items)
        items, taken = np.flatnonzero(role == 0), np.flatnonzero(role == 1)
        core = Restriction.of(problem, items, taken)
        part = Selection.of(core.problem, np.flatnonzero(rng.random(items.size) < 0.5))
        whole = core.restored(part)
        assert set(whole.items) == set(taken) | set(items[part.items])
        assert core.reduced(whole).items.tolist() == part.items.tolist()
        assert part.value + core.base_value == pytest.approx(whole.value)


def test_whole_costs_leave_exactly_what_is_not_spent():
    problem = CoverageProblem.from_matrix(np.eye(3), costs=[3, 4, 5], budget=9)
    core = Restriction.of(problem, np.array([1, 2]), np.array([0]))
    assert core.problem.budget == 6.0
    assert core.problem.costs.tolist() == [4.0, 5.0]


def test_real_costs_leave_rather_too_much():
    problem = CoverageProblem.from_matrix(
        np.eye(10), costs=np.full(10, 0.1), budget=1.0
    )
    core = Restriction.of(problem, np.array([9]), np.arange(9))
    inside = Selection.of(core.problem, [0])
    assert inside.is_feasible
    assert core.restored(inside).is_feasible
    assert core.problem.budget == pytest.approx(0.1, rel=1e-10)


def test_what_does_not_fit_beside_those_taken_is_not_reduced():
    problem = CoverageProblem.from_matrix(np.eye(3), costs=[3, 4, 5], budget=9)
    core = Restriction.of(problem, np.array([1, 2]), np.array([0]))
    assert core.reduced(Selection.of(problem, [1, 2])) is None


def test_taken_items_above_the_budget_leave_a_budget_of_zero():
    problem = CoverageProblem.from_matrix(np.eye(3), costs=[3, 4, 5], budget=6)
    core = Restriction.of(problem, np.array([2]), np.array([0, 1]))
    assert core.problem.budget == 0.0


@pytest.mark.parametrize("unit", [1.0, 2.0**52, 1e300])
def test_whole_costs_beyond_exact_sums_hide_nothing(unit):
    """2^53 + 1 rounds to 2^53: beside an item of that cost, one of cost 1 is free."""
    problem = CoverageProblem.from_matrix(
        np.eye(2), costs=[2 * unit, 1.0], budget=2 * unit
    )
    if Selection.of(problem, [0, 1]).is_feasible:
        core = Restriction.of(problem, np.array([1]), np.array([0]))
        assert core.reduced(Selection.of(problem, [0, 1])) is not None
