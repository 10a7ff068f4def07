import pytest

from thatch import CoverageProblem, Exact, MaxIterations, solve
from thatch.errors import InputTypeError
from thatch.instances import toy
from thatch.solvers.registry import solver_named, solver_names

PROBLEM = toy.greedy_trap().problem


@pytest.mark.parametrize(
    ("arguments", "settings", "message"),
    [
        (
            (PROBLEM, "exact"),
            {},
            "solver must be one of the solver objects, got 'exact'",
        ),
        ((PROBLEM, Exact), {}, "solver must be one of the solver objects"),
        (({"a": 1},), {}, "problem must be a CoverageProblem"),
        ((PROBLEM,), {"stop": MaxIterations(3)}, "stop and observers must be lists"),
        ((PROBLEM,), {"observers": print}, "stop and observers must be lists"),
        ((PROBLEM,), {"max_seconds": "1"}, "max_seconds must be a number, got '1'"),
    ],
)
def test_what_is_no_problem_solver_or_list_is_refused(arguments, settings, message):
    with pytest.raises(InputTypeError) as caught:
        solve(*arguments, **settings)
    assert message in caught.value.message
    assert caught.value.hint


def test_observers_hear_every_iteration():
    heard = []
    result = solve(PROBLEM, observers=[heard.append])
    assert tuple(heard) == result.trace


@pytest.mark.parametrize("name", solver_names())
def test_nothing_is_bought_that_adds_nothing(name):
    problem = CoverageProblem.from_sets([{1, 2}, {1, 2}, {2}], budget=3)
    assert len(solve(problem, solver_named(name)).selection) == 1
