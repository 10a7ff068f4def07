"""Replies use the words of their callers, who have no command line."""

import ast
import json
import re
import sys
from pathlib import Path

import pytest
from cases import for_each

import thatch
from thatch.errors import InputError, MissingExtraError, SolverFailedError
from thatch.serve.replies import Outcome, Reply

OPTION = re.compile(r"(^|\s)--[a-z]")
SOURCE = Path(thatch.__file__).parent
# Their errors are shown on the command line only, or by pytest.
FOR_THE_COMMAND_LINE = {"cli", "corpus", "engines", "suites"}
MODULES = sorted(
    path
    for path in SOURCE.rglob("*.py")
    if path.relative_to(SOURCE).parts[0] not in FOR_THE_COMMAND_LINE
)


def texts_in_errors(path):
    """All strings inside calls, except declarations of flags and documentation."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call):
            continue
        values = [*node.args, *(k.value for k in node.keywords if k.arg != "flags")]
        for value in values:
            for part in ast.walk(value):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value


def constants(path):
    """Strings that a module assigns to names."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for part in ast.walk(node.value):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value


@for_each("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_message_outside_the_command_line_names_its_options(path):
    for text in (*texts_in_errors(path), *constants(path)):
        assert not OPTION.search(text), text


def test_an_error_keeps_its_message_and_its_hint():
    reply = Reply.to_error(InputError("budget is -1.", hint="Use 0 or more."))
    assert reply.outcome is Outcome.BAD_INPUT
    assert b"budget is -1." in reply.body
    assert b"Use 0 or more." in reply.body


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (MissingExtraError("reading", package="x", extra="y"), Outcome.UNSUPPORTED),
        (MemoryError(), Outcome.TOO_LARGE),
        (SolverFailedError("it failed."), Outcome.BROKEN),
        (ZeroDivisionError(), Outcome.BROKEN),
    ],
)
def test_every_error_has_an_outcome(error, outcome):
    assert Reply.to_error(error).outcome is outcome


def test_what_is_missing_is_named_without_paths_of_the_machine():
    error = MissingExtraError("reading", package="x", extra="files")
    reply = json.loads(Reply.to_error(error).body)
    assert "files" in reply["hint"]
    assert sys.prefix not in reply["hint"]
