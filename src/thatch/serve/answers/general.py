"""Answers as plain data: the JSON of the command line and of the HTTP API."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from itertools import starmap
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from thatch.options import Option
    from thatch.rouge import Scores
    from thatch.run.result import Result
    from thatch.solvers.covering.covering import CoverResult

_Answer = TypeVar("_Answer", bound="DataclassInstance")


def as_json(answer: Any) -> str:
    r"""The record as one line of JSON, without fields that are None.

    >>> as_json(Failure("budget is -1.", "Pass 0 or more."))
    '{"error": "budget is -1.", "hint": "Pass 0 or more."}\n'
    """
    plain = asdict(
        answer,
        dict_factory=lambda fields: {k: v for k, v in fields if v is not None},
    )
    return json.dumps(plain, ensure_ascii=False, allow_nan=False) + "\n"


def filled(kind: type[_Answer], source: object, /, **own: Any) -> _Answer:
    """A record of these fields, and of attributes of the source for all others."""
    names = {each.name for each in fields(kind)} - own.keys()
    return kind(**own, **{name: getattr(source, name) for name in names})


@dataclass(frozen=True)
class Failure:
    """An error, and a hint."""

    error: str
    hint: str


@dataclass(frozen=True)
class HealthLimits:
    """Limits of one request."""

    max_bytes: int
    max_seconds: float
    max_documents: int
    max_chunks: int


@dataclass(frozen=True)
class Health:
    """State and limits of the server."""

    status: str
    version: str
    limits: HealthLimits
    #: Worker processes, requests that they are handling, and queued requests.
    workers: int
    running: int
    waiting: int
    solvers: list[str]
    formats: list[str]
    #: Whether this is a public demo, with low limits.
    is_demo: bool


@dataclass(frozen=True)
class ChoiceDescription:
    """A value that an option accepts."""

    name: str
    description: str


@dataclass(frozen=True)
class OptionDescription:
    """An option of a request, with all that a form needs to show it."""

    name: str
    label: str
    #: One of text, integer, number, flag and texts (a list).
    kind: str
    default: str | int | float | bool | list[str] | None
    description: str
    #: What happens without a value, if the default does not say so.
    default_text: str
    choices: list[ChoiceDescription]
    minimum: float | None
    #: Whether a backslash before n or t is an escape, where one line is typed.
    has_escapes: bool

    @classmethod
    def of(cls, option: Option) -> OptionDescription:
        """Plain data of an option."""
        kinds = {bool: "flag", int: "integer", float: "number"}
        return filled(
            cls,
            option,
            label=option.label or option.name.replace("_", " ").capitalize(),
            kind="texts" if option.is_list else kinds.get(option.types[0], "text"),
            default=list(option.default) if option.is_list else option.default,
            choices=list(starmap(ChoiceDescription, option.choices.items())),
            minimum=option.minimum if option.above is None else option.above,
        )


@dataclass(frozen=True)
class Solution:
    """Solution of a coverage problem."""

    #: Names of the selected items, or their numbers from 0.
    items: list[str | int]
    value: float
    cost: float
    budget: float
    upper_bound: float
    gap: float
    status: str
    solver: str
    seconds: float
    seed: int

    @classmethod
    def of(cls, result: Result, solver: str, seed: int) -> Solution:
        """Plain data of a result."""
        selection = result.selection
        return filled(
            cls,
            result,
            items=list(selection.labels),
            value=selection.value,
            cost=selection.cost,
            budget=selection.problem.budget,
            status=result.status.label,
            solver=solver,
            seed=seed,
        )


@dataclass(frozen=True)
class CoverAnswer:
    """The cheapest selection that covers a target."""

    #: Names of the selected items, or their numbers from 0.
    items: list[str | int]
    cost: float
    lower_bound: float
    gap: float
    value: float
    target: float
    coverable: float
    total: float
    status: str
    seconds: float
    seed: int

    @classmethod
    def of(cls, result: CoverResult, seed: int) -> CoverAnswer:
        """Plain data of a result."""
        return filled(
            cls,
            result,
            items=list(result.selection.labels),
            value=result.selection.value,
            status=result.status.label,
            seed=seed,
        )


@dataclass(frozen=True)
class ScoresAnswer:
    """ROUGE scores of one summary."""

    #: Recall, precision and F-measure by the name of the metric.
    scores: dict[str, dict[str, float]]
    #: All settings that the numbers depend on.
    signature: str

    @classmethod
    def of(cls, scores: Scores) -> ScoresAnswer:
        """Plain data of scores."""
        by_metric = {metric: asdict(score) for metric, score in scores.items()}
        return cls(by_metric, scores.signature)
