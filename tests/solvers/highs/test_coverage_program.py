import numpy as np
import pytest
from problems import random_problem

from thatch import Selection, solve
from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.solvers import Exhaustive
from thatch.solvers.highs.coverage_program import LinearProgram


def ignored(items, bound):
    return False


def answer_of(program, *, seed=0):
    start = Selection.of(program.problem, [])
    return program.solve(start=start, seed=seed, max_seconds=600.0, watch=ignored)


def test_the_same_seed_gives_the_same_answer():
    graph = BiregularGraph(
        num_items=60, num_elements=60, item_degree=6, element_degree=6
    )
    problem = graph.problem(budget=9, seed=1)
    (one, bound), (other, other_bound) = (
        answer_of(LinearProgram(problem), seed=5) for _ in range(2)
    )
    np.testing.assert_array_equal(one, other)
    assert bound == other_bound


def test_what_is_forbidden_is_not_chosen_again():
    problem = random_problem(21)
    program = LinearProgram(problem)
    first, _ = answer_of(program)
    program.forbid(first)
    second, bound = answer_of(program)
    assert not set(first.tolist()) <= set(second.tolist())
    assert Selection.of(problem, second).value <= bound


@pytest.mark.parametrize("max_seconds", [600.0, float("inf")])
def test_multipliers_are_the_same_in_a_process_and_in_a_thread(max_seconds):
    problem = random_problem(21)
    multipliers = LinearProgram(problem).solve_relaxation(max_seconds=max_seconds)
    expected = LinearProgram(problem).solve_relaxation(max_seconds=float("inf"))
    np.testing.assert_array_equal(multipliers, expected)


def test_without_time_there_are_no_multipliers_and_no_answer():
    problem = random_problem(21)
    program = LinearProgram(problem)
    start = solve(problem, Exhaustive()).selection
    assert program.solve_relaxation(max_seconds=0.0) is None
    assert program.solve(start=start, seed=0, max_seconds=0.0, watch=ignored) is None
