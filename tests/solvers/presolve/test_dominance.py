import math

import numpy as np
import pytest
import reference
from hypothesis import given
from problems import problems, random_problem
from refusals import refused

from thatch import CoverageProblem, InputError, Selection, solve
from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.solvers import Exhaustive
from thatch.solvers.presolve import reduce

# A restored value may lie below the smaller problem's by what was rounded up: an ulp
# for each sum of weights, and one for each of the two values.
ULPS = 4 * np.finfo(float).eps


def some_selection(problem, seed):
    """A random selection within the budget."""
    rng = np.random.default_rng(seed)
    chosen = []
    for i in rng.permutation(problem.num_items):
        cost = math.fsum(problem.costs[[*chosen, i]])
        if cost <= problem.budget and rng.random() < 0.6:
            chosen.append(i)
    return Selection.of(problem, chosen)


def check_way_back(reduction, selection):
    """The restored selection costs the same and covers no less than rounding hides."""
    restored = reduction.restored(selection)
    assert restored.problem is reduction.original
    assert restored.cost == selection.cost
    assert restored.is_feasible == selection.is_feasible
    assert restored.value >= selection.value * (1 - ULPS)
    if reduction.original.has_integer_weights:
        assert restored.value >= selection.value
    return restored


def check_way_there(reduction, selection):
    reduced = reduction.reduced(selection)
    assert reduced.problem is reduction.problem
    assert reduced.cost <= selection.cost
    assert reduced.value >= selection.value
    return reduced


def check_optimum(problem):
    reduction = reduce(problem)
    optimum = solve(problem, Exhaustive()).selection.value
    best = solve(reduction.problem, Exhaustive()).selection
    assert optimum <= best.value
    restored = check_way_back(reduction, best)
    assert optimum * (1 - ULPS) <= restored.value <= optimum
    if problem.has_integer_weights:
        assert restored.value == best.value == optimum


@pytest.mark.parametrize(
    "num_problems", [200, pytest.param(2000, marks=pytest.mark.slow)]
)
def test_the_optimum_stays_and_comes_back(num_problems):
    for seed in range(num_problems):
        check_optimum(random_problem(seed))


@given(problem=problems())
def test_any_valid_problem_keeps_its_optimum(problem):
    reduction = reduce(problem)
    optimum = reference.optimum(problem)
    smaller = reference.optimum(reduction.problem)
    assert optimum <= smaller <= optimum * (1 + ULPS)


def test_any_selection_goes_there_and_back():
    for seed in range(500):
        problem = random_problem(seed)
        reduction = reduce(problem)
        selection = some_selection(problem, seed)
        reduced = check_way_there(reduction, selection)
        check_way_back(reduction, reduced)
        there = check_way_back(reduction, some_selection(reduction.problem, seed))
        assert reduction.reduced(there).value >= there.value


def test_a_second_pass_finds_nothing_more():
    for seed in range(500):
        once = reduce(random_problem(seed, max_items=30)).problem
        twice = reduce(once).problem
        assert (once.num_items, once.num_elements, once.num_edges) == (
            twice.num_items,
            twice.num_elements,
            twice.num_edges,
        )


def test_what_the_budget_cannot_buy_and_what_weighs_nothing_is_left_out():
    problem = CoverageProblem.from_sets(
        [{0, 1}, {1}, {2}], costs=[9, 2, 3], weights=[5, 1, 0], budget=4
    )
    reduction = reduce(problem)
    assert reduction.items.tolist() == [1]
    assert reduction.problem.weights.tolist() == [1.0]
    assert reduction.representatives.tolist() == [-1, 0, -1]


def test_twins_go_to_the_lower_number_and_cheaper_ones_first():
    sets = [{0, 1}, {0, 1}, {0, 1}, {1}]
    problem = CoverageProblem.from_sets(sets, costs=[3, 2, 2, 2], budget=4)
    reduction = reduce(problem)
    assert reduction.items.tolist() == [1]
    assert reduction.representatives.tolist() == [0, 0, 0, 0]


def test_a_subset_that_is_cheaper_stays():
    problem = CoverageProblem.from_sets([{0, 1}, {0}], costs=[2, 1], budget=2)
    assert reduce(problem).problem.num_items == 2


def test_weights_of_elements_that_become_one_are_added():
    """Leaving out the third item makes all three elements alike."""
    problem = CoverageProblem.from_sets(
        [{0, 1, 2}, {1}], costs=[1, 2], weights=[1, 2, 4], budget=2
    )
    assert reduce(problem).problem.weights.tolist() == [7.0]


def test_real_weights_are_rounded_up_when_added():
    weights = [0.1, 0.2, 0.3]
    problem = CoverageProblem.from_sets([{0, 1, 2}], weights=weights, budget=1)
    (total,) = reduce(problem).problem.weights.tolist()
    assert math.fsum([*weights, -total]) <= 0.0
    assert math.fsum([*weights, -math.nextafter(total, 0.0)]) > 0.0


def test_free_items_are_always_taken_as_one():
    problem = CoverageProblem.from_sets(
        [{0}, {0, 1}, {1, 2}, {3}, {2, 4}, {1}], costs=[1, 0, 0, 2, 2, 0], budget=2
    )
    reduction = reduce(problem)
    assert reduction.items.tolist() == [1, 3, 4]
    assert reduction.free_items.tolist() == [1, 2]
    assert reduction.problem.weights.tolist() == [1.0, 1.0, 3.0]
    nothing = Selection.of(reduction.problem, [])
    assert reduction.restored(nothing).items.tolist() == [1, 2]
    assert reduction.reduced(Selection.of(problem, [])).value == 3.0


def test_a_problem_with_nothing_to_leave_out_is_itself():
    problem = BiregularGraph(100, 300, 9, 3).problem(budget=100, seed=0)
    reduction = reduce(problem)
    assert reduction.problem is problem
    assert reduction.restored(Selection.of(problem, [3, 7])).items.tolist() == [3, 7]


@pytest.mark.parametrize(("num_items", "num_elements"), [(0, 0), (0, 3), (3, 0)])
def test_problems_with_nothing_in_them_come_down_to_nothing(num_items, num_elements):
    problem = CoverageProblem.from_edges(
        [], costs=np.ones(num_items), weights=np.ones(num_elements), budget=2
    )
    reduction = reduce(problem)
    assert (reduction.problem.num_items, reduction.problem.num_elements) == (0, 0)
    assert len(reduction.restored(Selection.of(reduction.problem, []))) == 0


def test_a_selection_of_another_problem_is_refused():
    problem = CoverageProblem.from_sets([{0}, {0, 1}], budget=1)
    reduction = reduce(problem)
    with refused(InputError, "smaller"):
        reduction.restored(Selection.of(problem, [0]))
    with refused(InputError, "original"):
        reduction.reduced(Selection.of(reduction.problem, [0]))
