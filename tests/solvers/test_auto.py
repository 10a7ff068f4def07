import pytest

from thatch import Auto, GeneralizedGreedy, Status, solve
from thatch.errors import InputError
from thatch.instances.random_graphs import BiregularGraph
from thatch.solvers.names import SOLVERS, by_name


def test_small_problems_are_proved_and_the_trace_says_how():
    graph = BiregularGraph(
        num_items=100, num_elements=300, item_degree=9, element_degree=3
    )
    result = solve(graph.problem(budget=100, seed=3))
    assert result.status is Status.OPTIMAL
    assert [reading.step for reading in result.trace] == ["ggreedy", "bp", "exact"]


def test_large_problems_get_the_better_of_the_heuristics():
    graph = BiregularGraph(
        num_items=24_000, num_elements=72_000, item_degree=9, element_degree=3
    )
    problem = graph.problem(budget=24_000, seed=0)
    result = solve(problem, Auto())
    assert result.status is Status.FINISHED
    assert result.selection.value > solve(problem, GeneralizedGreedy()).selection.value


def test_every_name_gives_its_solver():
    for name, kind in SOLVERS.items():
        assert type(by_name(name)) is kind


@pytest.mark.parametrize(("name", "hint"), [("gredy", "greedy"), ("zzz", "auto")])
def test_unknown_names_are_refused_with_a_guess(name, hint):
    with pytest.raises(InputError) as caught:
        by_name(name)
    assert f"got {name!r}" in caught.value.message
    assert hint in caught.value.hint
