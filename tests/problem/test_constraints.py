"""Constraints as callers give them, and what a selection must keep."""

import math

import numpy as np
import pytest
from refusals import refused

from thatch import CoverageProblem
from thatch.errors import InputError, InputTypeError
from thatch.problem.constraints import ConstraintKind
from thatch.problem.selection import Selection

NAMED = CoverageProblem.from_sets(
    {"north": {"a", "b"}, "south": {"b", "c"}, "east": {"c"}, "west": {"d"}},
    costs={"north": 2, "south": 1, "east": 1, "west": 1},
    budget=3,
)
PLAIN = CoverageProblem.from_sets([{0, 1}, {1, 2}, {2}, {3}], budget=3)


def violations(problem, items, **constraints):
    return list(Selection.of(problem.with_constraints(**constraints), items).violations)


def test_names_and_indices_mean_the_same():
    one = NAMED.with_constraints(required=["north", 3], forbidden=["east"])
    other = NAMED.with_constraints(required=[0, "west"], forbidden=(2,))
    for problem in (one, other):
        assert problem.constraints.required.tolist() == [0, 3]
        assert problem.constraints.forbidden.tolist() == [2]


def test_without_constraints_there_are_none():
    for given in ({}, {"required": []}, {"demands": 1}, {"demands": [1, 1, 1, 1]}):
        assert PLAIN.with_constraints(**given).constraints is None
    limited = PLAIN.with_constraints(groups=["a", "a", "b", None], at_most=2)
    assert limited.constraints is None


def test_new_constraints_replace_the_former_ones():
    problem = PLAIN.with_constraints(required=[0]).with_constraints(forbidden=[1])
    assert problem.constraints.kinds == (ConstraintKind.FORBIDDEN,)
    assert problem.with_constraints().constraints is None


@pytest.mark.parametrize(
    ("constraints", "items", "said"),
    [
        ({"required": ["north"]}, ["south"], "it lacks the required item 'north'"),
        ({"forbidden": [1]}, ["south"], "it contains the forbidden item 'south'"),
        (
            {"groups": {"coast": ["east", "west"]}, "at_most": 1},
            ["east", "west"],
            "it has 2 items of group 'coast', which exceeds 1",
        ),
        (
            {"groups": ["a", "a", "b", None], "at_least": {"b": 1}},
            ["south"],
            "it has 0 items of group 'b', fewer than 1",
        ),
        (
            {"budgets": {"staff": ({"north": 1, "south": 3, "east": 0, "west": 2}, 4)}},
            ["south", "west"],
            "its staff is 5, which exceeds 4",
        ),
        (
            {"prerequisites": {"east": "south"}},
            ["east"],
            "'east' needs 'south', which it lacks",
        ),
        (
            {"conflicts": [("east", "south")]},
            ["east", "south"],
            "'south' and 'east' exclude each other",
        ),
        (
            {"required": [1]},
            ["north", "south", "east"],
            "it costs 4.0, which exceeds the budget 3.0",
        ),
    ],
)
def test_a_violation_is_named(constraints, items, said):
    found = violations(NAMED, items, **constraints)
    assert [
        text.replace("'east' and 'south'", "'south' and 'east'") for text in found
    ] == [said]


def test_an_element_counts_once_its_demand_is_met():
    problem = NAMED.with_constraints(demands={"b": 2})
    assert Selection.of(problem, ["north"]).value == 1
    both = Selection.of(problem, ["north", "south"])
    assert both.value == 3
    # Without either of them, b would not count.
    assert both.contributions.tolist() == [2, 2]


def test_a_restriction_reduces_the_limits_of_groups():
    problem = PLAIN.with_constraints(groups=["a", "a", "a", "b"], at_most=2)
    smaller = problem.restricted_to([1, 2, 3], taken=[0])
    group, room = smaller.group_limits
    assert room[group].tolist()[:2] == [1, 1]


def test_other_constraints_cannot_be_restricted():
    problem = PLAIN.with_constraints(conflicts=[(0, 1)])
    with refused(InputError, "conflicts", "restricted"):
        problem.restricted_to([1, 2])


@pytest.mark.parametrize(
    ("constraints", "kind", "facts"),
    [
        ({"required": ["nort"]}, InputError, ("required", "'nort'")),
        ({"required": [4]}, InputError, ("required", "4", "4 items")),
        ({"required": [-1]}, InputError, ("required", "-1")),
        ({"required": "north"}, InputTypeError, ("required", "'north'")),
        ({"required": 3}, InputTypeError, ("required", "3")),
        ({"required": [0.5]}, InputTypeError, ("required", "0.5")),
        ({"required": [True, False]}, InputTypeError, ("required", "True")),
        ({"required": [0], "forbidden": ["north"]}, InputError, ("'north'", "both")),
        ({"groups": ["a"] * 3, "at_most": 1}, InputError, ("3 groups", "4 items")),
        ({"groups": ["a"] * 4}, InputError, ("no limit",)),
        ({"at_most": 1}, InputError, ("at_most", "no groups")),
        ({"groups": "abcd", "at_most": 1}, InputTypeError, ("groups", "'abcd'")),
        (
            {"groups": {"a": [0, 1], "b": [1]}, "at_most": 1},
            InputError,
            ("'south'", "'a'", "'b'"),
        ),
        (
            {"groups": ["a"] * 4, "at_most": {"b": 1}},
            InputError,
            ("at_most", "'b'"),
        ),
        ({"groups": ["a"] * 4, "at_most": -1}, InputError, ("at_most", "-1")),
        ({"groups": ["a"] * 4, "at_most": 1.5}, InputError, ("at_most", "1.5")),
        ({"groups": ["a"] * 4, "at_most": math.nan}, InputError, ("at_most", "nan")),
        ({"groups": ["a"] * 4, "at_most": math.inf}, InputError, ("at_most", "inf")),
        ({"groups": ["a"] * 4, "at_most": "1"}, InputTypeError, ("at_most", "'1'")),
        ({"groups": ["a"] * 4, "at_least": 5}, InputError, ("'a'", "5", "4 items")),
        (
            {"groups": ["a"] * 4, "at_least": 3, "at_most": 2},
            InputError,
            ("'a'", "3", "at most 2"),
        ),
        ({"budgets": [1, 2]}, InputTypeError, ("budgets", "[1, 2]")),
        ({"budgets": {"staff": 3}}, InputTypeError, ("'staff'", "3")),
        ({"budgets": {"staff": ([1, 2], 3)}}, InputError, ("'staff'", "2", "4 items")),
        ({"budgets": {"s": ([1, 2, -1, 0], 3)}}, InputError, ("'s'", "-1.0")),
        ({"budgets": {"s": ([1, 2, 1, 0], math.nan)}}, InputError, ("'s'", "nan")),
        ({"demands": 0}, InputError, ("demands", "0")),
        ({"demands": {"b": 1.5}}, InputError, ("demands", "'b'", "1.5")),
        ({"demands": {"z": 1}}, InputError, ("demands", "'z'")),
        ({"demands": [1, 2]}, InputError, ("demands", "2", "4 elements")),
        ({"conflicts": [(0, 0)]}, InputError, ("conflicts", "itself")),
        ({"conflicts": [(0, 1, 2)]}, InputTypeError, ("conflicts", "(0, 1, 2)")),
        ({"conflicts": [0]}, InputTypeError, ("conflicts", "0")),
    ],
)
def test_bad_constraints_are_refused(constraints, kind, facts):
    with refused(kind, *facts):
        NAMED.with_constraints(**constraints)


def test_a_name_of_a_problem_without_names_is_refused_with_the_reason():
    with refused(InputError, "required", "'north'") as caught:
        PLAIN.with_constraints(required=["north"])
    assert "indices" in caught.value.hint


def test_numpy_integers_are_indices():
    problem = PLAIN.with_constraints(required=np.array([0, 2]))
    assert problem.constraints.required.tolist() == [0, 2]
