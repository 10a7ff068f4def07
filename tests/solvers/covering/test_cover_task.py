import numpy as np
import pytest
from cover_tasks import task_of

from thatch import CoverageProblem
from thatch.solvers.covering.cover_task import CostUnits


def test_costs_are_counted_in_their_largest_common_unit():
    problem = CoverageProblem.from_sets([{0}, {1}, {2}], costs=[0.6, 1.5, 0], budget=9)
    units = CostUnits.of(problem)
    assert units.is_integral
    assert units.costs.tolist() == [2, 5, 0]
    assert units.as_cost(7) == pytest.approx(2.1, rel=1e-15)


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_other_costs_are_scaled_to_moderate_numbers(scale):
    costs = scale * np.array([np.pi, np.e])
    problem = CoverageProblem.from_sets([{0}, {1}], costs=costs, budget=0)
    units = CostUnits.of(problem)
    assert not units.is_integral
    assert 2.0**19 <= units.costs.max() <= 2.0**20
    assert [units.as_cost(each) for each in units.costs] == costs.tolist()


def test_items_that_alone_cover_an_element_are_taken():
    problem = CoverageProblem.from_sets([{0, 1}, {1, 2}, {2, 3}, {1}], budget=0)
    task = task_of(problem)
    assert task.is_trivial
    assert task.taken.tolist() == [0, 2]


def test_an_element_may_be_left_out_if_the_slack_allows_it():
    problem = CoverageProblem.from_sets([{0}, {1}, {2}], weights=[10, 1, 1], budget=0)
    task = task_of(problem, weight=10)
    assert task.taken.tolist() == [0]
    assert task.is_trivial


def test_items_left_out_take_their_elements_from_the_slack():
    problem = CoverageProblem.from_sets(
        [{0, 1}, {1, 2}, {2, 0}, {3, 4}, {3, 4, 5}, {5, 6}, {6, 3}], budget=0
    )
    task = task_of(problem, weight=5)
    assert task.slack == 2.0
    items = np.flatnonzero(task.items != 0)
    assert task.with_only(items, items[:0]).slack == 2.0
    assert not task.with_only(items[:0], items[:0]).has_cover
