import numpy as np
import pytest

from thatch import CoverageProblem, Exact, Exhaustive, InputError, solve
from thatch.instances import toy
from thatch.instances.random_graphs import ErdosRenyiGraph


def test_too_many_items_are_refused_with_the_way_out():
    problem = CoverageProblem.from_matrix(np.eye(31), budget=3)
    with pytest.raises(InputError) as caught:
        solve(problem, Exhaustive())
    assert caught.value.message == "exhaustive takes at most 30 items, got 31."
    assert "exact" in caught.value.hint


def test_twenty_four_items_agree_with_exact():
    graph = ErdosRenyiGraph(num_items=24, num_elements=40, probability=0.15)
    problem = graph.problem(budget=40, seed=3)
    assert (
        solve(problem, Exhaustive()).selection.value
        == solve(problem, Exact()).selection.value
    )


@pytest.mark.parametrize(
    "case", [toy.greedy_trap(), toy.cheap_crumb(), toy.path(9), toy.star(8)]
)
def test_toys_have_the_optimum_they_claim(case):
    assert solve(case.problem, Exhaustive()).selection.value == case.optimum
