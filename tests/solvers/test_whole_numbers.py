"""Limits that count something are whole numbers, in every solver and rule."""

from dataclasses import fields

from cases import for_each
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
from thatch.problem.instances import toy
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


@for_each(("kind", "name"), COUNTS)
@for_each("value", [2.5, float("inf"), float("nan"), -1])
def test_counts_are_non_negative_integers(kind, name, value):
    with refused(InputError, name, value):
        kind(**{name: value})
    with refused(InputTypeError, name, "'3'"):
        kind(**{name: "3"})


@for_each("name", ["seed", "num_threads"])
@for_each("value", [2.5, float("inf"), -1])
def test_so_are_those_of_a_run(name, value):
    with refused(InputError, name, value):
        solve(PROBLEM, **{name: value})
    with refused(InputTypeError, name, "True"):
        solve(PROBLEM, **{name: True})
