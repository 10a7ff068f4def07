"""Problems with constraints: every solver keeps them or refuses them."""

from itertools import combinations

import numpy as np
import pytest
from cases import for_each
from problems import random_constraints, random_problem, with_random_groups
from refusals import refused

from thatch import CoverageProblem, MaxIterations, solve
from thatch.errors import InfeasibleError, InputError, NoTimeError
from thatch.problem.selection import Selection
from thatch.run.result import Status
from thatch.solvers import (
    Auto,
    BeliefPropagation,
    Effort,
    Exact,
    Exhaustive,
    GeneralizedGreedy,
    Greedy,
    LocalSearch,
    StaticGreedy,
)
from thatch.solvers.bounds import lp_bound
from thatch.solvers.solving import solve_each

FAST = [
    Auto(),
    Auto(Effort(max_items_exhaustive=0)),
    BeliefPropagation(max_iterations=20),
    Exhaustive(),
    GeneralizedGreedy(),
    GeneralizedGreedy(seed_size=2),
    Greedy(),
    LocalSearch(max_rounds=30),
    StaticGreedy(),
    Exact(),
]
PROBLEM = CoverageProblem.from_sets(
    {"north": {0, 1, 2}, "south": {2, 3}, "east": {4}, "west": {5}}, budget=2
)


def best_value(problem):
    """The value of the best feasible selection, by trying all; None if none is."""
    items = range(problem.num_items)
    selections = (
        Selection.of(problem, chosen)
        for size in range(problem.num_items + 1)
        for chosen in combinations(items, size)
    )
    return max((each.value for each in selections if each.is_feasible), default=None)


def check(result, optimum):
    """The selection is feasible, the bound valid, and a proof a proof."""
    tolerance = 1e-8 * max(1.0, optimum)
    assert result.selection.is_feasible
    assert result.selection.value <= optimum + tolerance
    assert result.upper_bound >= optimum - tolerance
    if result.status is Status.OPTIMAL:
        assert result.selection.value == pytest.approx(optimum, abs=tolerance)


@for_each("seed", range(30))
def test_limits_per_group_are_kept_and_bounded(seed):
    problem = with_random_groups(random_problem(seed, max_items=9), seed)
    optimum = best_value(problem)
    for solver in FAST:
        check(solve(problem, solver), optimum)
    assert solve(problem, Exhaustive()).selection.value == pytest.approx(optimum)
    assert solve(problem, Exact()).status is Status.OPTIMAL


@for_each("seed", range(24))
def test_every_mix_of_constraints(seed):
    problem = random_problem(seed, max_items=8, max_elements=12)
    problem = problem.with_constraints(**random_constraints(seed, problem))
    optimum = best_value(problem)
    for solver in (Auto(), Exact()):
        if optimum is None:
            with pytest.raises(InfeasibleError):
                solve(problem, solver)
        else:
            result = solve(problem, solver)
            check(result, optimum)
            assert result.status is Status.OPTIMAL


@pytest.mark.parametrize("solver", FAST, ids=repr)
def test_any_solver_keeps_required_and_forbidden_items(solver):
    problem = PROBLEM.with_constraints(required=["east"], forbidden=["north"])
    result = solve(problem, solver)
    assert result.selection.labels == ["south", "east"]
    assert (result.selection.value, result.upper_bound) == (3, 3)
    assert result.trace[-1].value == 3


@pytest.mark.parametrize(
    ("constraints", "kind"),
    [
        ({"groups": ["a"] * 4, "at_least": 1}, "at least k items per group"),
        ({"budgets": {"staff": ([1] * 4, 2)}}, "several budgets"),
        ({"demands": 2}, "demands"),
        ({"prerequisites": [(0, 1)]}, "prerequisites"),
        ({"conflicts": [(0, 1)]}, "conflicts"),
    ],
)
def test_a_solver_refuses_by_name_what_it_does_not_keep(constraints, kind):
    problem = PROBLEM.with_constraints(**constraints)
    for solver in (Greedy(), BeliefPropagation(), LocalSearch(), Exhaustive()):
        with refused(InputError, type(solver).__name__, kind) as caught:
            solve(problem, solver)
        assert "auto" in caught.value.hint


def test_a_solver_of_another_package_keeps_no_groups():
    class Empty:
        def solve(self, problem, run):
            return run.result(Selection.of(problem, []), Status.FINISHED)

    required = PROBLEM.with_constraints(required=[1])
    assert solve(required, Empty()).selection.labels == ["south"]
    grouped = PROBLEM.with_constraints(groups=["a"] * 4, at_most=1)
    with refused(InputError, "Empty", "at most k items per group"):
        solve(grouped, Empty())


def test_a_start_is_continued_inside():
    problem = PROBLEM.with_constraints(required=["east"], forbidden=["west"])
    start = Selection.of(problem, ["south", "east"])
    for solver in (LocalSearch(start=start, max_rounds=1), Exact(start=start)):
        assert solve(problem, solver).selection.labels == ["north", "east"]
    bad = Selection.of(problem, ["south"])
    with refused(InputError, "start", "'east'"):
        solve(problem, LocalSearch(start=bad))


@pytest.mark.parametrize(
    ("constraints", "conflict"),
    [
        (
            {"required": ["north", "south", "east"]},
            {
                "required item 'north'",
                "required item 'south'",
                "required item 'east'",
                "the budget of 2",
            },
        ),
        (
            {"required": [0, 3], "conflicts": [(0, 3), (1, 2)]},
            {
                "required item 'north'",
                "required item 'west'",
                "the conflict of 'north' and 'west'",
            },
        ),
        (
            {"forbidden": ["west"], "required": [0], "prerequisites": [(0, 1), (1, 3)]},
            {
                "forbidden item 'west'",
                "required item 'north'",
                "the prerequisite 'south' of 'north'",
                "the prerequisite 'west' of 'south'",
            },
        ),
        (
            {"groups": list("abcc"), "at_least": {"a": 1, "b": 1, "c": 1}},
            {
                "at least 1 of group 'a'",
                "at least 1 of group 'b'",
                "at least 1 of group 'c'",
                "the budget of 2",
            },
        ),
    ],
)
def test_contradictions_are_named_and_nothing_else(constraints, conflict):
    budget = 2 if "the budget of 2" in conflict else 4
    problem = PROBLEM.with_budget(budget).with_constraints(**constraints)
    with pytest.raises(InfeasibleError) as caught:
        solve(problem)
    assert set(caught.value.conflict) == conflict
    assert "contradict each other" in str(caught.value)


def test_no_time_for_a_first_selection_is_said():
    problem = PROBLEM.with_constraints(
        required=[2], groups=["a", "a", None, None], at_least=1, conflicts=[(0, 2)]
    )
    with refused(NoTimeError, "time limit"):
        solve(problem, max_seconds=0)


def test_solve_each_keeps_constraints():
    problem = PROBLEM.with_constraints(groups=["a"] * 4, at_most=1)
    for result in solve_each([problem, PROBLEM], BeliefPropagation()):
        assert result.selection.is_feasible


def test_groups_connect_what_is_separate():
    """Two hundred items that share nothing, and one limit for all of them."""
    problem = CoverageProblem.from_sets([{i} for i in range(200)], budget=200)
    limited = problem.with_constraints(groups=["all"] * 200, at_most=7)
    result = solve(limited)
    assert (result.selection.value, result.gap) == (7, 0)


def test_a_larger_problem_has_a_close_bound():
    rng = np.random.default_rng(5)
    problem = CoverageProblem.from_matrix(rng.random((300, 500)) < 0.02, budget=60)
    limited = problem.with_constraints(groups=(np.arange(300) % 7).tolist(), at_most=4)
    result = solve(limited, stop=[MaxIterations(40)])
    assert result.selection.is_feasible
    assert len(result.selection) == 28
    assert result.upper_bound <= 1.003 * lp_bound(limited)


@for_each("seed", range(60))
def test_branch_and_bound_counts_the_room_that_is_left(seed):
    """Room in a group that has a price is a loss, as budget that is not spent."""
    rng = np.random.default_rng(seed)
    problem = CoverageProblem.from_matrix(
        rng.random((7, 6)) < 0.4,
        costs=rng.integers(1, 6, 7),
        weights=rng.integers(1, 9, 6),
        budget=9,
    ).with_constraints(groups=rng.integers(0, 3, 7).tolist(), at_most=1)
    result = solve(problem, Exact(start=Selection.of(problem, [])))
    assert (result.selection.value, result.gap) == (best_value(problem), 0)


def test_items_that_earn_the_same_do_not_loosen_the_bound():
    problem = CoverageProblem.from_sets([{i} for i in range(10)], budget=2)
    limited = problem.with_constraints(groups=[i // 2 for i in range(10)], at_most=1)
    assert solve(limited, GeneralizedGreedy()).upper_bound == 2


@pytest.mark.parametrize(
    "constraints", [{"conflicts": [(0, 1)]}, {"budgets": {"staff": ([0.1] * 12, 0.3)}}]
)
def test_costs_that_just_exceed_a_budget_end(constraints):
    """Three tenths are more than 0.3: HiGHS takes three items for feasible."""
    problem = CoverageProblem.from_sets(
        [{i, i + 1, i + 2} for i in range(12)], costs=[0.1] * 12, budget=0.3
    )
    result = solve(problem.with_constraints(**constraints))
    assert (result.selection.value, result.gap) == (6, 0)


@pytest.mark.parametrize(
    "constraints",
    [
        {"groups": [0, 0], "at_least": 2},
        {"required": [0, 1], "demands": 2},
        {"required": [0, 1], "budgets": {"staff": ([0.1, 0.2], 0.3)}},
    ],
)
def test_what_only_rounding_makes_feasible_is_infeasible(constraints):
    problem = CoverageProblem.from_sets([{0}, {0}], costs=[0.1, 0.2], budget=0.3)
    with pytest.raises(InfeasibleError) as caught:
        solve(problem.with_constraints(**constraints))
    assert "the budget of 0.3" in caught.value.conflict


def test_many_required_items_are_counted():
    problem = CoverageProblem.from_sets([{i} for i in range(50)], budget=30)
    with pytest.raises(InfeasibleError) as caught:
        solve(problem.with_constraints(required=range(40)))
    assert caught.value.conflict == (
        "the budget of 30",
        "40 required items that cost 40",
    )


def test_exact_is_never_below_its_start():
    problem = PROBLEM.with_constraints(conflicts=[(0, 1)])
    start = Selection.of(problem, ["north", "west"])
    result = solve(problem, Exact(start=start), stop=[MaxIterations(1)])
    assert result.selection.value >= start.value
    bad = Selection.of(problem, ["north", "south"])
    with refused(InputError, "start", "exclude"):
        solve(problem, Exact(start=bad))


def test_demands_have_a_start_that_meets_some():
    problem = CoverageProblem.from_sets([{0}, {0}, {1}], budget=2)
    result = solve(problem.with_constraints(demands=2), stop=[MaxIterations(1)])
    assert result.selection.value == 1
