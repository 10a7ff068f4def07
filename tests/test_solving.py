import pytest
from refusals import refused

from thatch import (
    CoverageProblem,
    Exact,
    LocalSearch,
    MaxIterations,
    Selection,
    Status,
    solve,
)
from thatch.errors import InputTypeError, SolverFailedError
from thatch.instances import toy
from thatch.solvers.registry import solver_named, solver_names

PROBLEM = toy.greedy_trap().problem


@pytest.mark.parametrize(
    ("arguments", "settings", "facts"),
    [
        ((PROBLEM, "exact"), {}, ("solver", "'exact'")),
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


class Spender:
    """Chooses everything, whatever it costs."""

    def solve(self, problem, run):
        everything = Selection.of(problem, range(problem.num_items))
        return run.result(everything, Status.FINISHED)


def test_a_solver_that_exceeds_the_budget_is_named():
    with refused(SolverFailedError, "Spender", repr(PROBLEM.budget)):
        solve(PROBLEM, Spender())


def test_observers_are_called_after_every_iteration():
    calls = []
    result = solve(PROBLEM, observers=[calls.append])
    assert tuple(calls) == result.trace


@pytest.mark.parametrize("name", solver_names())
def test_nothing_is_bought_that_adds_nothing(name):
    problem = CoverageProblem.from_sets([{1, 2}, {1, 2}, {2}], budget=3)
    assert len(solve(problem, solver_named(name)).selection) == 1
