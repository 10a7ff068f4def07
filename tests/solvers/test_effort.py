from dataclasses import fields
from math import inf

import pytest
from problems import random_problem
from refusals import refused

from thatch import Auto, Effort, InputError, solve
from thatch.errors import InputTypeError
from thatch.solvers.effort import PRESETS, WorkRule


def test_presets_are_found_by_name():
    assert [Effort.named(name) for name in PRESETS] == [
        Effort.fast(),
        Effort(),
        Effort.thorough(),
    ]
    with refused(InputError, "hasty", *PRESETS):
        Effort.named("hasty")


def test_the_representation_shows_what_differs_from_the_default():
    assert repr(Effort()) == "Effort()"
    assert repr(Effort(max_nodes=5)) == "Effort(max_nodes=5)"


@pytest.mark.parametrize("name", ["max_nodes", "first_work", "core_items"])
def test_values_of_the_wrong_type_are_refused(name):
    with refused(InputTypeError, name):
        Effort(**{name: "many"})


@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), 2.5])
def test_impossible_limits_are_refused(value):
    with refused(InputError, "descent_iterations", value):
        Effort(descent_iterations=value)


@pytest.mark.parametrize("name", ["elements_per_node", "work_growth", "work_per_node"])
def test_what_is_divided_by_is_positive(name):
    with refused(InputError, name, 0):
        Effort(**{name: 0})


@pytest.mark.parametrize("limits", [{"min_rounds": 0}, {"max_free_share": 1.0}])
def test_extreme_limits_end_too(limits):
    problem = random_problem(3, max_items=40, max_elements=80)
    effort = Effort(max_items_exhaustive=0, max_items_to_branch_first=0, **limits)
    assert solve(problem, Auto(effort)).selection.is_feasible


@pytest.mark.parametrize("value", [5, (1.5,), "ab"])
def test_a_tuple_is_needed_where_the_default_is_one(value):
    with refused((InputError, InputTypeError), "core_items"):
        Effort(core_items=value)


def test_every_limit_is_documented():
    """A reader who tunes Auto finds each field explained where it is declared."""
    import inspect

    lines = inspect.getsource(Effort).splitlines()
    for field in fields(Effort):
        place = next(
            k for k, line in enumerate(lines) if line.startswith(f"    {field.name}:")
        )
        assert lines[place - 1].startswith("    #: "), field.name


def test_work_grows_with_the_edges_within_limits():
    rule = WorkRule(factor=2.0, power=1.0, least=10.0, most=100.0)
    assert [rule.at(size) for size in (1, 20, 1000)] == [10.0, 40.0, 100.0]


def test_presolve_takes_a_small_share_of_the_time_left():
    effort = Effort(presolve_seconds_per_edge=1e-6, presolve_time_share=0.25)
    assert effort.has_time_to_presolve(1_000_000, 4.0)
    assert not effort.has_time_to_presolve(1_000_000, 3.9)
    assert effort.has_time_to_presolve(10**12, inf)
