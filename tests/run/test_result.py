from math import inf

from cases import for_each
from problems import random_problem

from thatch import Run, Selection, Status


def result_with(value_bound):
    problem = random_problem(0)
    best = Selection.of(problem, [])
    return Run().result(best, Status.FINISHED, upper_bound=value_bound)


def test_the_gap_is_the_share_of_the_bound_that_may_be_missing():
    assert result_with(8.0).gap == 1.0
    assert result_with(0.0).gap == 0.0
    assert result_with(inf).gap == 1.0


def test_a_tighter_bound_is_kept_and_a_looser_one_is_not():
    assert result_with(8.0).with_bound(5.0).upper_bound == 5.0
    assert result_with(8.0).with_bound(9.0).upper_bound == 8.0


def test_a_bound_at_the_value_proves_the_optimum():
    assert result_with(8.0).with_bound(0.0).status is Status.OPTIMAL
    assert result_with(8.0).with_bound(1.0).status is Status.FINISHED


@for_each("status", Status)
def test_every_status_is_a_sentence(status):
    assert status.value.endswith(".")
    assert status.label == status.name.lower()
