"""Covers that keep constraints, checked by enumeration."""

from itertools import combinations

import numpy as np
import pytest
from cases import for_each
from problems import random_constraints, random_problem
from refusals import refused

from thatch import CoverageProblem, Selection, cover
from thatch.errors import InfeasibleError, InputError, NoTimeError
from thatch.run.result import Status

PROBLEM = CoverageProblem.from_sets(
    {"a": {0, 1}, "b": {1, 2}, "c": {2, 3}, "d": {0, 1, 2, 3}},
    costs={"a": 1, "b": 1, "c": 1, "d": 3},
    budget=0,
)


def cheapest(problem, target):
    """The least cost of a selection that covers the target; None if none does."""
    every = problem.with_budget(float(problem.costs.sum()))
    selections = (
        Selection.of(every, chosen)
        for size in range(problem.num_items + 1)
        for chosen in combinations(range(problem.num_items), size)
    )
    costs = [
        each.cost
        for each in selections
        if each.value >= target * (1 - 1e-9) and each.is_feasible
    ]
    return min(costs, default=None)


def coverable(problem):
    constraints = problem.constraints
    forbidden = [] if constraints is None else constraints.forbidden
    allowed = np.setdiff1d(np.arange(problem.num_items), forbidden)
    return Selection.of(problem, allowed).value


@for_each("share", [0.6, None])
@for_each("seed", range(16))
def test_every_mix_of_constraints(seed, share):
    rng = np.random.default_rng(seed)
    is_edge = rng.random((7, 9)) < 0.35
    costs = [np.ones(7), rng.integers(0, 5, 7), rng.random(7)][seed % 3]
    problem = CoverageProblem.from_matrix(is_edge, costs=costs, budget=0)
    problem = problem.with_constraints(**random_constraints(seed, problem))
    try:
        result = cover(problem, share=share, share_of="coverable")
    except InfeasibleError:
        assert cheapest(problem, (share or 1.0) * coverable(problem)) is None
        return
    assert result.coverable == coverable(problem)
    optimum = cheapest(problem, result.target)
    tolerance = 1e-8 * max(1.0, optimum)
    assert result.selection.is_feasible
    assert result.selection.value >= result.target * (1 - 1e-9)
    assert result.lower_bound <= optimum + tolerance
    assert result.status is Status.OPTIMAL
    assert result.cost == pytest.approx(optimum, abs=tolerance)


def test_required_items_stay_and_forbidden_ones_do_not_count():
    assert cover(PROBLEM).selection.labels == ["a", "c"]
    assert cover(PROBLEM.with_constraints(required=["b"])).cost == 3
    found = cover(PROBLEM.with_constraints(forbidden=["c", "d"]))
    assert (found.selection.labels, found.coverable) == (["a", "b"], 3)


def test_a_demand_that_cannot_be_met_does_not_count():
    found = cover(PROBLEM.with_constraints(demands={0: 2, 3: 3}))
    assert found.coverable == 3
    assert found.selection.value == 3


def test_contradictions_are_named():
    problem = PROBLEM.with_constraints(
        conflicts=[("a", "c"), ("a", "b")], forbidden=[3]
    )
    with pytest.raises(InfeasibleError) as caught:
        cover(problem)
    assert set(caught.value.conflict) == {
        "the conflict of 'a' and 'c'",
        "forbidden item 'd'",
    }
    assert cover(problem, share=0.75).cost == 2


def test_no_time_is_said():
    with refused(NoTimeError, "time limit"):
        cover(PROBLEM.with_constraints(conflicts=[("a", "c")]), max_seconds=0)


def test_a_target_above_what_constraints_allow_is_refused():
    with refused(InputError, "4", "3"):
        cover(PROBLEM.with_constraints(forbidden=["c", "d"]), weight=4)


def test_the_random_problems_have_all_kinds():
    kinds = set()
    for seed in range(16):
        problem = random_problem(seed, max_items=7)
        constraints = problem.with_constraints(
            **random_constraints(seed, problem)
        ).constraints
        kinds |= set() if constraints is None else set(constraints.kinds)
    assert len(kinds) == 8
