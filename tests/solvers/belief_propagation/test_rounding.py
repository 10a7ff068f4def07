"""Fillings by rank and by gain."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from problems import problems, random_problem

from thatch import CoverageProblem, MaxSeconds, Run
from thatch.solvers.belief_propagation.rounding import BestRounding, greedy_completions
from thatch.solvers.greedy import complete_by_gain


def some_fields(problem, seed):
    return np.random.default_rng(seed).normal(size=problem.num_items)


@given(problem=problems(), seed=st.integers(0, 100))
def test_every_rerounding_is_feasible_and_the_last_is_greedy(problem, seed):
    found = list(greedy_completions(problem, some_fields(problem, seed)))
    assert all(selection.is_feasible for selection in found)
    greedy = complete_by_gain(problem, (), divisors=problem.costs)
    np.testing.assert_array_equal(found[-1].items, greedy.items)


def test_what_is_given_up_doubles_and_the_rest_stays():
    problem = CoverageProblem.from_matrix(np.eye(12), budget=9)
    fields = some_fields(problem, 0)
    ranked = np.argsort(-fields).tolist()
    found = list(greedy_completions(problem, fields))
    assert len(found) == 5
    for num_kept, selection in zip((8, 7, 5, 1, 0), found, strict=True):
        kept = ranked[:num_kept]
        others = [i for i in range(12) if i not in kept]
        assert selection.items.tolist() == sorted(kept + others[: 9 - num_kept])


def test_the_best_rounding_never_gets_worse():
    for seed in range(30):
        problem = random_problem(seed)
        rounding = BestRounding(problem)
        values = [rounding.round(some_fields(problem, k)).value for k in range(5)]
        values.append(rounding.complete_greedily(Run()).value)
        values.append(rounding.round(some_fields(problem, 9)).value)
        assert values == sorted(values)
        assert (
            rounding.best.value
            >= complete_by_gain(problem, (), divisors=problem.costs).value
        )


def test_without_time_little_is_refilled():
    problem = random_problem(16)
    rounding = BestRounding(problem)
    ranked = rounding.round(some_fields(problem, 0))
    assert rounding.complete_greedily(Run(stop=[MaxSeconds(0.0)])).value >= ranked.value
