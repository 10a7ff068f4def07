"""Limits that count something are whole numbers, in every solver and rule."""

from dataclasses import fields

import pytest
from refusals import refused

from thatch import (
    BeliefPropagation,
    Effort,
    InputError,
    MaxIterations,
    NoImprovement,
    solve,
)
from thatch.errors import InputTypeError
from thatch.instances import toy
from thatch.solvers import Exhaustive, LocalSearch

PROBLEM = toy.star(9).problem
COUNTS = [
    (kind, each.name)
    for kind in (
        BeliefPropagation,
        Effort,
        Exhaustive,
        LocalSearch,
        MaxIterations,
        NoImprovement,
    )
    for each in fields(kind)
    if each.type in ("int", "int | None")
]


@pytest.mark.parametrize(("kind", "name"), COUNTS)
@pytest.mark.parametrize("value", [2.5, float("inf"), float("nan"), -1])
def test_counts_are_non_negative_integers(kind, name, value):
    with refused(InputError, name, value):
        kind(**{name: value})
    with refused(InputTypeError, name, "'3'"):
        kind(**{name: "3"})


@pytest.mark.parametrize("name", ["seed", "num_threads"])
@pytest.mark.parametrize("value", [2.5, float("inf"), -1])
def test_so_are_those_of_a_run(name, value):
    with refused(InputError, name, value):
        solve(PROBLEM, **{name: value})
    with refused(InputTypeError, name, "True"):
        solve(PROBLEM, **{name: True})
