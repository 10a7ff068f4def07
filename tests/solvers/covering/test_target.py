import pytest

from thatch import CoverageProblem
from thatch.solvers.covering.cover_task import Target


def problem_of(*weights):
    sets = [{a} for a in range(len(weights))]
    return CoverageProblem.from_sets(sets, weights=list(weights), budget=1e9)


@pytest.mark.parametrize(
    ("share", "weight"), [(0.07, 7), (0.071, 8), (0.7, 70), (0, 0), (1, 100)]
)
def test_a_share_of_integer_weights_is_rounded_up_once(share, weight):
    found = Target.of(problem_of(*[1] * 100), share=share)
    assert found == Target(weight, 100 - weight)


def test_everything_is_the_default():
    assert Target.of(problem_of(0.1, 0.2)) == Target(0.1 + 0.2, 0.0)


def test_a_share_of_real_weights_leaves_room_for_rounding():
    found = Target.of(problem_of(0.1, 0.1, 0.1), share=2 / 3)
    assert 0.1 <= found.slack < 0.1 + 1e-11


def test_the_coverable_weight_itself_is_a_target():
    problem = problem_of(0.1, 0.2, 0.3)
    # The weights add up to a little more than the double that is nearest to them.
    assert 0.0 < Target.of(problem, weight=problem.reachable_weight).slack < 1e-16


def test_the_slack_knows_the_smallest_weights():
    assert Target.of(problem_of(1e9, 1e-9, 1e-9), weight=1e9).slack == 2e-9
