from math import inf, nan

import numpy as np
import pytest
from problems import random_problem
from refusals import refused

from thatch import (
    CoverageProblem,
    Exact,
    InputError,
    MaxIterations,
    Selection,
    Status,
    solve,
)
from thatch.errors import InputTypeError, SolverFailedError
from thatch.problem.instances import toy
from thatch.solvers import LocalSearch
from thatch.solvers.registry import solver_named, solver_names
from thatch.solvers.solving import solve_each

PROBLEM = toy.greedy_trap().problem


@pytest.mark.parametrize(
    ("arguments", "settings", "facts"),
    [
        ((PROBLEM, 5), {}, ("solver", "5")),
        ((PROBLEM, Exact), {}, ("solver", "Exact")),
        (({"a": 1},), {}, ("problem", "{'a': 1}")),
        ((PROBLEM,), {"stop": MaxIterations(3)}, ("stop",)),
        ((PROBLEM,), {"stop": [5]}, ("stop", "[5]")),
        ((PROBLEM,), {"observers": print}, ("observers",)),
        ((PROBLEM, LocalSearch(start=5)), {}, ("start", "5")),
        ((PROBLEM,), {"max_seconds": "1"}, ("max_seconds", "'1'")),
    ],
)
def test_arguments_of_the_wrong_type_are_refused(arguments, settings, facts):
    with refused(InputTypeError, *facts):
        solve(*arguments, **settings)


@pytest.mark.parametrize("name", solver_names())
def test_a_solver_may_be_given_by_its_name(name):
    by_name, by_object = solve(PROBLEM, name), solve(PROBLEM, solver_named(name))
    assert by_name.selection.labels == by_object.selection.labels
    (one,) = solve_each([PROBLEM], name)
    assert one.selection.labels == by_object.selection.labels


def test_unknown_names_of_solvers_are_refused():
    for call in (solve, lambda *arguments: solve_each([arguments[0]], arguments[1])):
        with refused(InputError, "solver", "'gredy'") as caught:
            call(PROBLEM, "gredy")
        assert "greedy" in caught.value.hint


class Claiming:
    """A solver of somebody else that returns what it is given."""

    def __init__(self, items, *, bound=inf, status=Status.FINISHED, problem=PROBLEM):
        self.selection = Selection.of(problem, items)
        self.bound, self.status = bound, status

    def solve(self, problem, run):
        return run.result(self.selection, self.status, upper_bound=self.bound)


class Silent:
    def solve(self, problem, run):
        return None


class Embellished(Selection):
    """A selection that claims to be free and to cover more than it does."""

    value, cost, is_feasible = 1e9, 0.0, True


def test_a_solver_that_exceeds_the_budget_is_named():
    with refused(SolverFailedError, "Claiming", repr(PROBLEM.budget)):
        solve(PROBLEM, Claiming(range(PROBLEM.num_items), status=Status.OPTIMAL))


def test_value_and_cost_are_counted_anew():
    claiming = Claiming([0])
    claiming.selection = Embellished(PROBLEM, claiming.selection.items)
    result = solve(PROBLEM, claiming)
    assert result.selection.value == Selection.of(PROBLEM, [0]).value
    claiming.selection = Embellished(PROBLEM, np.arange(PROBLEM.num_items))
    with refused(SolverFailedError, "Claiming", repr(PROBLEM.budget)):
        solve(PROBLEM, claiming)


def test_a_solver_inside_another_one_is_named_too():
    wasteful = Claiming(range(PROBLEM.num_items))
    with refused(SolverFailedError, "Claiming", repr(PROBLEM.budget)):
        solve(PROBLEM, LocalSearch(start=wasteful))


@pytest.mark.parametrize("bound", [nan, -1.0, 9.0])
def test_a_bound_that_a_selection_exceeds_is_refused(bound):
    with refused(SolverFailedError, "Claiming", repr(bound)):
        solve(PROBLEM, Claiming([0, 2], bound=bound))


def test_a_bound_that_only_greedy_exceeds_is_refused():
    with refused(SolverFailedError, "Claiming", "1.0"):
        solve(PROBLEM, Claiming([], bound=1.0, status=Status.OPTIMAL))


def test_optimal_needs_a_bound():
    result = solve(PROBLEM, Claiming([0], status=Status.OPTIMAL))
    assert result.status is Status.FINISHED
    assert result.gap > 0.0
    proved = solve(PROBLEM, Claiming(solve(PROBLEM).selection.items, bound=16.0))
    assert proved.status is Status.OPTIMAL


def test_answers_of_another_kind_or_another_problem_are_refused():
    with refused(SolverFailedError, "Silent", "None"):
        solve(PROBLEM, Silent())
    other = toy.star(9).problem
    with refused(SolverFailedError, "Claiming"):
        solve(PROBLEM, Claiming([0], problem=other))


def test_observers_are_called_after_every_iteration():
    calls = []
    result = solve(PROBLEM, observers=[calls.append])
    assert tuple(calls) == result.trace


@pytest.mark.parametrize("name", solver_names())
def test_nothing_is_bought_that_adds_nothing(name):
    problem = CoverageProblem.from_sets([{1, 2}, {1, 2}, {2}], budget=3)
    assert len(solve(problem, solver_named(name)).selection) == 1


def test_redundant_items_are_replaced_by_others_that_gain():
    """Item 1 is redundant; without it, item 2 fits, and makes item 3 redundant."""
    sets = [{0, 1}, {1}, {2, 3, 4}, {2}]
    problem = CoverageProblem.from_sets(sets, costs=[1, 2, 2, 1], budget=4)
    result = solve(problem, Claiming([0, 1, 3], problem=problem))
    assert result.selection.items.tolist() == [0, 2]
    assert result.selection.value == 5.0


def test_redundant_items_stay_once_the_time_is_over():
    sets = [{0, 1}, {1}, {2, 3, 4}, {2}]
    problem = CoverageProblem.from_sets(sets, costs=[1, 2, 2, 1], budget=4)
    result = solve(problem, Claiming([0, 1, 3], problem=problem), max_seconds=0)
    assert result.selection.items.tolist() == [0, 1, 3]
    assert result.upper_bound >= 5.0


def test_a_selection_without_redundant_items_is_not_completed():
    problem = CoverageProblem.from_sets([{0}, {1}], budget=2)
    result = solve(problem, Claiming([0], problem=problem))
    assert result.selection.items.tolist() == [0]


def test_replacing_redundant_items_never_loses_and_ends_with_none():
    for seed in range(200):
        problem = random_problem(seed)
        order = np.random.default_rng(seed).permutation(problem.num_items)
        chosen = np.zeros(0, dtype=np.int64)
        for i in order:
            if Selection.of(problem, [*chosen, i]).is_feasible:
                chosen = np.append(chosen, i)
        before = Selection.of(problem, chosen)
        result = solve(problem, Claiming(chosen, problem=problem))
        assert result.selection.is_feasible
        assert result.selection.value >= before.value
        assert (result.selection.contributions > 0).all()
