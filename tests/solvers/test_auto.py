from math import isnan

import pytest

from thatch import (
    Auto,
    BeliefPropagation,
    GeneralizedGreedy,
    InputError,
    Status,
    TargetGap,
    solve,
)
from thatch.instances import toy
from thatch.instances.random_graphs import BiregularGraph
from thatch.solvers.names import SOLVERS, by_name


def test_small_problems_are_proved_and_the_trace_says_how():
    graph = BiregularGraph(
        num_items=100, num_elements=300, item_degree=9, element_degree=3
    )
    result = solve(graph.problem(budget=100, seed=3))
    assert result.status is Status.OPTIMAL
    steps = list(dict.fromkeys(reading.step for reading in result.trace))
    assert steps[:4] == ["ggreedy", "bp", "local search", "lp"]


def test_large_problems_get_the_better_of_the_heuristics():
    graph = BiregularGraph(
        num_items=60_000, num_elements=180_000, item_degree=9, element_degree=3
    )
    problem = graph.problem(budget=60_000, seed=0)
    result = solve(problem, Auto())
    assert result.status is Status.FINISHED
    assert result.selection.value > solve(problem, GeneralizedGreedy()).selection.value


def test_a_worse_selection_never_replaces_a_better_one():
    problem = toy.cheap_crumb().problem
    assert solve(problem, BeliefPropagation()).selection.value == 2.0

    def stop_after_bp(progress):
        return Status.TIME_LIMIT if isnan(progress.largest_change) is False else None

    result = solve(problem, Auto(), stop=[stop_after_bp])
    assert result.selection.value == 10.0


def test_stopping_rules_reach_into_every_phase(hard):
    start = solve(hard, BeliefPropagation()).selection.value
    result = solve(hard, Auto(), stop=[TargetGap(0.5)])
    assert result.status is Status.TARGET_REACHED
    assert result.trace[-1].step == "lp"
    assert result.selection.value >= start


def test_every_name_gives_its_solver():
    for name, kind in SOLVERS.items():
        assert type(by_name(name)) is kind


@pytest.mark.parametrize(("name", "hint"), [("gredy", "greedy"), ("zzz", "auto")])
def test_unknown_names_are_refused_with_a_guess(name, hint):
    with pytest.raises(InputError) as caught:
        by_name(name)
    assert f"got {name!r}" in caught.value.message
    assert hint in caught.value.hint
