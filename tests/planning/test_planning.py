"""Sweeps, alternatives, importance and comparisons, checked by enumeration."""

from itertools import combinations

import numpy as np
import pytest
from cases import for_each
from problems import random_problem, with_random_groups
from refusals import refused

from thatch import CoverageProblem, MaxSeconds, Run, Selection, cover, solve
from thatch.errors import InputError, InputTypeError
from thatch.planning import (
    alternatives,
    compare,
    importance,
    item_importance,
    nesting,
    sweep,
    sweeping,
)
from thatch.planning.budget_bounds import bounds_of_budgets
from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.run.result import Status
from thatch.verification import reasons_against_bound

NAMED = CoverageProblem.from_sets(
    {"north": {0, 1, 2}, "south": {2, 3}, "east": {4}, "west": {0, 1, 2}}, budget=2
)
GRAPH = BiregularGraph(num_items=60, num_elements=180, item_degree=9, element_degree=3)


def best_value(problem, *, required=(), forbidden=()):
    items = [i for i in range(problem.num_items) if i not in forbidden]
    selections = (
        Selection.of(problem, chosen)
        for size in range(len(items) + 1)
        for chosen in combinations(items, size)
        if set(required) <= set(chosen)
    )
    values = [each.value for each in selections if each.is_feasible]
    return max(values, default=None)


@for_each("nested", [False, True])
@for_each("seed", range(12))
def test_a_sweep_is_feasible_bounded_and_monotone(seed, nested):
    problem = random_problem(seed, max_items=8, max_elements=12)
    if seed % 3 == 0:
        problem = with_random_groups(problem, seed)
    total = float(problem.costs.sum())
    found = sweep(problem, [total, 0.0, 0.3 * total, 0.6 * total], nested=nested)
    assert (np.diff(found.budgets) > 0).all()
    assert (np.diff(found.values) >= 0).all()
    assert (np.diff(found.upper_bounds) >= 0).all()
    for result in found:
        optimum = best_value(result.selection.problem)
        tolerance = 1e-8 * max(1.0, optimum)
        assert result.selection.is_feasible
        assert result.upper_bound >= optimum - tolerance
        if result.status is Status.OPTIMAL and not nested:
            assert result.selection.value >= optimum - tolerance
    if nested:
        assert found.is_nested


def test_a_sweep_reaches_what_separate_solutions_reach():
    problem = GRAPH.problem(budget=1, seed=3)
    budgets = [10, 25, 40, 60]
    found = sweep(problem, budgets)
    alone = [solve(problem.with_budget(budget)).selection.value for budget in budgets]
    assert found.values.tolist() == pytest.approx(alone, rel=1e-9)


def test_a_sweep_keeps_every_constraint():
    required = NAMED.with_constraints(required=["east"], forbidden=["north"])
    found = sweep(required, [1, 2, 3])
    assert [each.selection.labels for each in found] == [
        ["east"],
        ["east", "west"],
        ["south", "east", "west"],
    ]
    separate = NAMED.with_constraints(conflicts=[("north", "south")])
    assert sweep(separate, [1, 2, 3]).values.tolist() == [3, 4, 5]


def test_a_sweep_ends_in_time_and_without_budgets():
    assert len(sweep(NAMED, [])) == 0
    problem = GRAPH.problem(budget=1, seed=3)
    for result in sweep(problem, range(10, 60, 10), max_seconds=0.01):
        assert result.selection.is_feasible
        assert result.upper_bound >= result.selection.value


@pytest.mark.parametrize(
    ("budgets", "kind", "facts"),
    [
        ([1, -2], InputError, ("-2", "budgets")),
        ([1, float("nan")], InputError, ("nan", "budgets")),
        (["a"], InputTypeError, ("budgets", "'a'")),
        ([[1]], InputError, ("budgets", "2 dimensions")),
    ],
)
def test_bad_budgets_are_refused(budgets, kind, facts):
    with refused(kind, *facts):
        sweep(NAMED, budgets)


@pytest.mark.slow
@for_each("seed", range(6))
@for_each("differ", [0.2, 0.5])
def test_alternatives_differ_as_asked(seed, differ):
    problem = GRAPH.problem(budget=120, seed=seed)
    found = alternatives(problem, 4, differ)
    assert len(found) == 4
    off_diagonal = ~np.eye(4, dtype=bool)
    assert (found.differences[off_diagonal] >= differ).all()
    values = [each.selection.value for each in found]
    assert values == sorted(values, reverse=True)
    best = solve(problem)
    for each in found:
        assert each.selection.is_feasible
        assert each.upper_bound >= best.selection.value
        assert each.gap >= 1 - each.selection.value / best.upper_bound - 1e-9


def test_alternatives_keep_constraints_and_end():
    found = alternatives(NAMED.with_constraints(required=["east"]), 5, 0.5)
    assert all("east" in each.selection.labels for each in found)
    assert {tuple(each.selection.labels) for each in found} == {
        ("north", "east"),
        ("east", "west"),
        ("south", "east"),
        ("east",),
    }
    assert found.in_all.tolist() == [2]
    everything = NAMED.with_constraints(required=[0, 2])
    assert len(alternatives(everything, 3)) == 1


@pytest.mark.parametrize(
    ("n", "differ", "facts"),
    [(0, 0.2, ("n", "0")), (2, 0.0, ("differ", "0.0")), (2, 1.5, ("differ", "1.5"))],
)
def test_bad_numbers_of_alternatives_are_refused(n, differ, facts):
    with refused(InputError, *facts):
        alternatives(NAMED, n, differ)


@for_each("exact", [False, True])
@for_each("seed", range(16))
def test_the_loss_of_every_item_is_within_its_bounds(seed, exact):
    problem = random_problem(seed, max_items=8, max_elements=12)
    if seed % 4 == 0:
        problem = with_random_groups(problem, seed)
    result = solve(problem)
    optimum = best_value(problem)
    found = importance(result, exact=exact)
    tolerance = 1e-8 * max(1.0, optimum)
    for k, i in enumerate(found.items.tolist()):
        decided = "forbidden" if found.is_chosen[k] else "required"
        other = best_value(problem, **{decided: [i]})
        loss = np.inf if other is None else optimum - other
        assert found.least_losses[k] <= loss + tolerance
        assert found.most_losses[k] >= loss - tolerance
        if exact and other is not None:
            assert found.least_losses[k] == pytest.approx(loss, abs=tolerance)


def test_importance_of_some_items_by_name():
    found = importance(solve(NAMED), items=["east", "north"], exact=True)
    frame = found.to_frame("pandas")
    assert frame["item"].tolist() == ["north", "east"]
    assert frame["least_loss"].tolist() == [0, 0]
    with refused(InputTypeError, "result"):
        importance(NAMED)


def test_without_time_there_is_one_alternative():
    (result,) = alternatives(NAMED, 3, max_seconds=0)
    assert result.selection.is_feasible
    assert result.upper_bound >= best_value(NAMED)


@for_each("nested", [False, True])
@for_each("seed", range(16))
def test_without_time_a_sweep_only_ranks_items(seed, nested, monkeypatch):
    problem = random_problem(seed, max_items=8, max_elements=12)
    if seed % 4 == 0:
        problem = with_random_groups(problem, seed)
    monkeypatch.setattr(sweeping, "BudgetSearch", None)
    monkeypatch.setattr(nesting, "solve", None)
    budgets = np.linspace(0.3, 1.5, 4) * problem.budget
    found = sweep(problem, budgets, nested=nested, max_seconds=0)
    assert np.array_equal(found.budgets, np.unique(budgets))
    assert found.is_nested or not nested
    for result in found:
        assert result.selection.is_feasible
        best = best_value(result.selection.problem)
        assert result.upper_bound >= best - 1e-8 * max(1.0, best)


@for_each("seed", range(16))
def test_one_price_bounds_many_budgets(seed):
    """Whether the clock leaves time for a price of every budget or not."""
    problem = random_problem(seed, max_items=8, max_elements=12)
    problems = [problem.with_budget(k * problem.budget / 3) for k in range(1, 6)]
    for run in (Run(), Run(stop=[MaxSeconds(0)])):
        bounds = bounds_of_budgets(problems, run)
        for each, (bound, certificate) in zip(problems, bounds, strict=True):
            assert bound >= best_value(each)
            claim = {"most_covered": bound}
            assert not reasons_against_bound(each, certificate, **claim)


@for_each("exact", [False, True])
@for_each("seed", range(8))
def test_one_time_limit_holds_for_the_importance_of_all_items(seed, exact, monkeypatch):
    """Without any time no item is solved again, and the bounds still hold."""
    problem = random_problem(seed, max_items=8, max_elements=12)
    result, optimum = solve(problem), best_value(problem)
    monkeypatch.setattr(item_importance, "solve", None)
    found = importance(result, exact=exact, max_seconds=0)
    tolerance = 1e-8 * max(1.0, optimum)
    for k, i in enumerate(found.items.tolist()):
        decided = "forbidden" if found.is_chosen[k] else "required"
        other = best_value(problem, **{decided: [i]})
        loss = np.inf if other is None else optimum - other
        assert found.least_losses[k] - tolerance <= loss
        assert loss <= found.most_losses[k] + tolerance


def test_a_comparison_names_what_changes():
    one, other = (
        Selection.of(NAMED, items) for items in (["north"], ["west", "south"])
    )
    found = compare(one, other)
    assert found.labels(found.only_one) == ["north"]
    assert found.labels(found.only_other) == ["south", "west"]
    assert (found.value_change, found.cost_change, found.difference) == (1, 1, 1)
    assert found.elements_gained.tolist() == [3]
    assert found.elements_lost.tolist() == []
    nothing = Selection.of(NAMED, [])
    assert compare(nothing, nothing).difference == 0
    with refused(InputError, "different problems"):
        compare(one, Selection.of(GRAPH.problem(budget=1, seed=0), []))


def test_alternatives_end_when_nothing_is_left():
    assert len(alternatives(NAMED.with_budget(0))) == 1
    found = alternatives(NAMED, 5, differ=1.0)
    chosen = [set(each.selection.labels) for each in found]
    assert all(not one & other for one, other in combinations(chosen, 2))
    assert len(found) == 3


def test_a_nested_sweep_begins_where_a_chain_is_feasible():
    problem = CoverageProblem.from_sets(
        [{0}, {0, 1, 2, 3}, {4}], costs=[1, 3, 1], budget=1
    ).with_constraints(groups={"g": [0, 1]}, at_least=1)
    found = sweep(problem, [1, 3], nested=True)
    assert found.is_nested
    assert [each.selection.items.tolist() for each in found] == [[0], [0, 2]]


def test_wrong_types_are_refused():
    with refused(InputTypeError, "problem"):
        sweep("x", [1])
    with refused(InputTypeError, "problem"):
        alternatives("x")
    with refused(InputTypeError, "differ"):
        alternatives(NAMED, 5, "0.5")
    with refused(InputError, "max_seconds", "-1"):
        alternatives(NAMED, max_seconds=-1)
    with refused(InputTypeError, "neither a result nor a selection"):
        compare(1, 2)


def test_a_cover_is_compared_too():
    assert compare(cover(NAMED), solve(NAMED)).value_change == -1
