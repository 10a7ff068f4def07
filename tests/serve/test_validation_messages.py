"""Messages for invalid requests: the field, the value and the rule, in one form."""

import json

import pytest
from pydantic import ValidationError

from thatch import InputError
from thatch.options import options_of
from thatch.serve.handlers import HANDLERS
from thatch.serve.validation_messages import validation_message
from thatch.solvers.solver_settings import SolverSettings

TEXT = {"documents": "Snow fell."}
SCORE = {"summary": "Snow.", "references": ["Snow."]}
SOLVE = {"problem": {"sets": [[0]]}, "budget": 1}
# The call, the request, and what the message must name: field, value, rule.
BAD = {
    "no references": (
        "score",
        SCORE | {"references": []},
        "references",
        "[]",
        "1 item",
    ),
    "a number of words of 0": (
        "score",
        SCORE | {"limit_words": 0},
        "limit_words",
        "0",
        "positive",
    ),
    "a weight above 1": ("score", SCORE | {"alpha": 2}, "alpha", "2", "0 and 1"),
    "a flag of another kind": (
        "score",
        SCORE | {"stem": "maybe"},
        "stem",
        "'maybe'",
        "true",
    ),
    "a choice of another kind": (
        "score",
        SCORE | {"aggregate": 4},
        "aggregate",
        "4",
        "average or best",
    ),
    "a word for a number": (
        "summarize",
        TEXT | {"budget": "x"},
        "budget",
        "'x'",
        "a number",
    ),
    "half a word": (
        "summarize",
        TEXT | {"min_words": 1.5},
        "min_words",
        "1.5",
        "an integer",
    ),
    "too many words": (
        "summarize",
        TEXT | {"min_words": 2**40},
        "min_words",
        2**40,
        2**31,
    ),
    "null": ("summarize", TEXT | {"query": None}, "query", "null", "a string"),
    "a number in a list": (
        "summarize",
        TEXT | {"require": ["a", 5]},
        "require[1]",
        "5",
        "a string",
    ),
    "documents of another kind": (
        "summarize",
        {"documents": 5},
        "documents",
        "5",
        "a string or a list",
    ),
    "a chunk without a text": (
        "select",
        {"chunks": ["Snow.", {"source": "log.md"}]},
        "chunks[1].text is missing",
    ),
    "a list as body": ("summarize", [], "body", "[]", "an object"),
    "too much damping": (
        "solve",
        SOLVE | {"damping": 2},
        "damping",
        "2",
        "at least 0 and below 1",
    ),
    "an infinite temperature": (
        "solve",
        SOLVE | {"inverse_temperature": "inf"},
        "inverse_temperature",
        "'inf'",
        "finite",
    ),
    "a negative budget of many": (
        "curve",
        TEXT | {"budgets": [1, -1]},
        "budgets[1]",
        "-1",
        "at least 0",
    ),
}


def message_for(call, fields):
    request, *_ = HANDLERS[call]
    with pytest.raises(ValidationError) as caught:
        request.model_validate_json(json.dumps(fields))
    return validation_message(caught.value)


@pytest.mark.parametrize("kind", BAD)
def test_a_message_names_the_field_the_value_and_the_rule(kind):
    call, fields, *facts = BAD[kind]
    message = message_for(call, fields)
    assert all(str(fact) in message for fact in facts), message


@pytest.mark.parametrize("name", ["damping", "reinforcement", "inverse_temperature"])
def test_a_range_is_said_as_the_solver_says_it(name):
    with pytest.raises(InputError) as caught:
        SolverSettings(solver="bp", **{name: -2.0}).chosen()
    assert message_for("solve", SOLVE | {name: -2.0}) == caught.value.message
    (declared,) = options_of(SolverSettings, name)
    assert declared.rule in caught.value.message
