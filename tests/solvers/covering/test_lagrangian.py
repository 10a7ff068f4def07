import numpy as np
import pytest
from cover_tasks import task_of
from hypothesis import given
from hypothesis import strategies as st
from problems import random_problem

from thatch import CoverageProblem, Status, cover
from thatch.solvers.covering.cover_task import CostUnits
from thatch.solvers.covering.lagrangian import (
    Ascent,
    CoverDual,
    first_multipliers,
    lowest_reduced_costs,
)


@given(seed=st.integers(0, 2**32 - 1), share=st.sampled_from([1.0, 0.9, 0.5]))
def test_any_multipliers_are_a_bound(seed, share):
    problem = random_problem(seed, max_items=7, max_elements=10)
    target = {"share": share, "share_of": "coverable"}
    task = task_of(problem, **target)
    result = cover(problem, **target)
    assert result.status is Status.OPTIMAL
    units = CostUnits.of(problem)
    taken = units.costs[task.taken].sum()
    rng = np.random.default_rng(seed)
    largest = task.problem.costs.max(initial=0.0)
    for multipliers in (
        first_multipliers(task),
        largest * rng.random(task.problem.num_elements),
    ):
        bound = units.as_cost(taken + CoverDual.at(task, multipliers).bound)
        assert bound <= result.cost * (1 + 1e-7)


def test_an_odd_cycle_is_covered_by_half_of_each_item():
    problem = CoverageProblem.from_sets(
        [{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}], budget=0
    )
    task = task_of(problem)
    ascent = Ascent(task, first_multipliers(task))
    ascent.climb(1000, cost=3.0)
    assert ascent.has_ended
    assert 2.49 < ascent.best.bound <= 2.5


def test_the_weight_that_may_be_left_out_lowers_the_bound():
    problem = CoverageProblem.from_sets(
        [{a, (a + 1) % 10} for a in range(10)], budget=0
    )
    bounds = []
    for share in (1.0, 0.8, 0.5):
        task = task_of(problem, share=share)
        ascent = Ascent(task, first_multipliers(task))
        ascent.climb(2000, cost=5.0)
        bounds.append(ascent.best.bound)
    assert bounds == pytest.approx([5.0, 4.0, 2.5], rel=1e-3)


def test_candidates_are_the_items_of_lowest_reduced_cost():
    problem = CoverageProblem.from_sets(
        [{0, 1}, {1, 2}, {2, 0}, {0, 3}, {3, 1}], costs=[1, 5, 1, 5, 1], budget=0
    )
    task = task_of(problem)
    dual = CoverDual.at(task, np.zeros(task.problem.num_elements))
    found = task.items[lowest_reduced_costs(task, dual, 1)]
    assert set(found.tolist()) <= {0, 2, 4}
