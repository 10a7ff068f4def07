"""Constraints in thatch's JSON: the arguments of `with_constraints`.

::

    "constraints": {"required": [0], "forbidden": [],
                    "groups": {"north": [0, 1]}, "at_most": {"north": 1},
                    "budgets": {"staff": {"costs": [1, 2], "limit": 2}},
                    "demands": [1, 2], "prerequisites": [[0, 1]], "conflicts": []}

Items and elements are given by name or index; everything is optional.
"""

from __future__ import annotations

from inspect import signature
from pathlib import Path
from typing import Any

from thatch.errors import FileFormatError
from thatch.problem.constraints import Constraints, Groups
from thatch.problem.coverage_problem import CoverageProblem

_FIELDS = list(signature(CoverageProblem.with_constraints).parameters)[1:]


def arguments_of(values: object, path: Path) -> dict[str, Any]:
    """The arguments of `with_constraints` that parsed JSON contains.

    Parameters
    ----------
    values
        The object.
    path
        Where it comes from, for errors.

    >>> arguments_of({"budgets": {"staff": {"costs": [1, 2], "limit": 2}}}, Path("a"))
    {'budgets': {'staff': ([1, 2], 2)}}
    """
    if not isinstance(values, dict):
        raise FileFormatError(
            path,
            f"constraints is {values!r:.40}; an object was expected.",
            hint='Write "constraints": {"required": [0]}, for example.',
        )
    for name in values:
        if name not in _FIELDS:
            raise FileFormatError(
                path,
                f"the constraint {name!r} is unknown.",
                hint=f"The constraints are {', '.join(_FIELDS)}.",
            )
    arguments = {name: value for name, value in values.items() if value is not None}
    if "budgets" in arguments:
        arguments["budgets"] = _budgets(arguments["budgets"], path)
    return arguments


def _budgets(values: object, path: Path) -> dict[str, tuple[Any, Any]]:
    budgets: dict[str, Any] = {"budgets": values}
    if isinstance(values, dict):
        budgets = values
    for name, budget in budgets.items():
        if not (isinstance(budget, dict) and set(budget) == {"costs", "limit"}):
            raise FileFormatError(
                path,
                f"the budget {name!r} is {budget!r:.40}; an object with costs and "
                "limit was expected.",
                hint='Write "budgets": {"staff": {"costs": [1, 2], "limit": 2}}.',
            )
    return {name: (each["costs"], each["limit"]) for name, each in budgets.items()}


def as_json(constraints: Constraints) -> dict[str, Any]:
    """What `arguments_of` reads, with indices."""
    values: dict[str, Any] = {
        "required": constraints.required.tolist(),
        "forbidden": constraints.forbidden.tolist(),
        "prerequisites": constraints.prerequisites.tolist(),
        "conflicts": constraints.conflicts.tolist(),
    }
    values = {name: value for name, value in values.items() if value}
    if constraints.groups is not None:
        values |= _groups_as_json(constraints.groups)
    if constraints.budgets:
        values["budgets"] = {
            each.name: {"costs": each.costs.tolist(), "limit": each.limit}
            for each in constraints.budgets
        }
    if constraints.demands is not None:
        values["demands"] = constraints.demands.tolist()
    return values


def _groups_as_json(groups: Groups) -> dict[str, Any]:
    members: dict[str, list[int]] = {name: [] for name in groups.names}
    for i, g in enumerate(groups.group.tolist()):
        if g < len(groups.names):
            members[groups.names[g]].append(i)
    limits = {"at_most": groups.at_most, "at_least": groups.at_least}
    return {"groups": members} | {
        name: dict(zip(groups.names, limit.tolist(), strict=False))
        for name, limit in limits.items()
    }
