"""Options: declared once, and present wherever thatch can be called."""

import asyncio
import json
import re
from dataclasses import dataclass, fields

import pytest
from cases import for_each
from refusals import refused
from typer import Typer
from typer.testing import CliRunner

from thatch.cli.parameters import command_of
from thatch.context.select_settings import PackSettings, SelectSettings
from thatch.errors import InputError
from thatch.options import Option, option, options_of, require_choices, without
from thatch.rouge.score_settings import ScoreSettings
from thatch.serve.answers.general import OptionDescription
from thatch.serve.handlers import HANDLERS
from thatch.serve.http.app import make_app
from thatch.serve.limits import Limits
from thatch.serve.mcp_server import make_server
from thatch.serve.option_fields import OptionsModel, description_of, with_options
from thatch.serve.workers import Workers
from thatch.solvers.solver_settings import (
    CoverSettings,
    ProblemSettings,
    RunSettings,
    SolverSettings,
)
from thatch.text.summary_settings import SummaryCall, SummarySettings

RECORDS = {
    "summarize": (SummarySettings, SummaryCall, RunSettings),
    "solve": (SolverSettings, ProblemSettings, RunSettings),
    "cover": (CoverSettings, RunSettings),
    "score": (ScoreSettings,),
    "pack": (PackSettings,),
}
# Chunks are in requests alone.
ONLY_REQUESTS = {"select": (SelectSettings,)}


def options_in(*records_of):
    return [
        (call, each)
        for records in records_of
        for call, rows in records.items()
        for record in rows
        for each in options_of(record)
    ]


COMMAND_OPTIONS = options_in(RECORDS)
REQUEST_OPTIONS = options_in(RECORDS, ONLY_REQUESTS)


@pytest.fixture(scope="module")
def schemas():
    return make_app(Limits()).openapi()["components"]["schemas"]


@pytest.fixture(scope="module")
def tools():
    server = make_server(Workers(Limits()), Limits())
    return {tool.name: tool for tool in asyncio.run(server.list_tools())}


@pytest.mark.parametrize(
    "record",
    [*(each for row in RECORDS.values() for each in row), PackSettings, SelectSettings],
)
def test_every_field_of_a_record_is_an_option_with_help(record):
    assert [each.name for each in options_of(record)] == [
        field.name for field in fields(record)
    ]
    assert all(each.help and not each.help.endswith(".") for each in options_of(record))


@for_each(("call", "each"), COMMAND_OPTIONS)
def test_every_option_is_on_the_command_line(thatch, call, each):
    _, out, _ = thatch(call, "--help")
    flag = each.flags.partition("/")[0] or f"--{each.name.replace('_', '-')}"
    assert re.search(rf"^  {flag} ", out, flags=re.MULTILINE)
    # The help is wrapped, also after hyphens.
    assert without_spaces(each.meaning.removesuffix(".")) in without_spaces(out)
    assert without_spaces(each.default_text) in without_spaces(out)


def without_spaces(text):
    return "".join(text.split())


@for_each(("call", "each"), REQUEST_OPTIONS)
def test_every_option_is_in_the_openapi_description(schemas, call, each):
    field = schemas[f"{call.capitalize()}Request"]["properties"][each.name]
    assert field["description"] == description_of(each)
    default = list(each.default) if each.is_list else each.default
    assert field["default"] == default
    rules = json.dumps(field)
    if each.choices:
        assert json.dumps([*each.choices]) in rules
    for bound, name in [(each.minimum, "minimum"), (each.below, "exclusiveMaximum")]:
        assert bound is None or f'"{name}": {bound}' in rules


@for_each("tool", ["summarize", "pack"])
@for_each("each", options_of(SummarySettings), ids=lambda o: o.name)
def test_every_setting_is_a_parameter_of_the_tools(tools, tool, each):
    field = tools[tool].input_schema["properties"][each.name]
    assert field["description"] == description_of(each)


@for_each("each", options_of(SelectSettings), ids=lambda o: o.name)
def test_every_setting_is_a_parameter_of_the_tool_for_chunks(tools, each):
    field = tools["select_context"].input_schema["properties"][each.name]
    assert field["description"] == description_of(each)


@for_each(("call", "each"), REQUEST_OPTIONS)
def test_every_option_is_described_for_forms(call, each):
    request, *_ = HANDLERS[call]
    (described,) = [
        o for o in map(OptionDescription.of, request.options) if o.name == each.name
    ]
    assert described.label
    assert [choice.name for choice in described.choices] == [*each.choices]


@dataclass(frozen=True, kw_only=True)
class MoreSettings(SummarySettings):
    """Settings with one more option."""

    max_passages: int | None = option(
        None, help="Maximum number of passages", minimum=1, default_text="none"
    )


def test_one_more_field_is_one_more_option_everywhere():
    """The command, the request and the form need no further declaration."""
    received = []

    def command(settings: MoreSettings) -> None:
        """Receive the settings."""
        received.append(settings)

    program = Typer()
    program.command()(command_of(command))
    answer = CliRunner().invoke(program, ["--max-passages", "3", "--require", "snow"])
    assert answer.exit_code == 0, answer.output
    assert received == [MoreSettings(max_passages=3, require=("snow",))]

    @with_options(*options_of(MoreSettings))
    class Request(OptionsModel):
        """A request."""

    (schema, _) = Request.model_json_schema()["properties"]["max_passages"]["anyOf"]
    assert (schema["type"], schema["minimum"]) == ("integer", 1)
    described = OptionDescription.of(Request.options[-1])
    assert (described.label, described.kind) == ("Max passages", "integer")


def test_options_can_be_selected_by_name():
    assert [each.name for each in options_of(RunSettings, "seed")] == ["seed"]
    assert [each.name for each in without(options_of(RunSettings), "seed")] == [
        "max_seconds"
    ]


def test_a_value_that_is_not_a_choice_is_refused():
    with refused(InputError, "variant", "'perl'", "original", "sumeval"):
        require_choices(ScoreSettings(variant="perl"))
    require_choices(ScoreSettings())


@pytest.mark.parametrize(
    ("variant", "suggestion"), [("sumevl", "sumeval"), ("perl", "original")]
)
def test_the_hint_suggests_a_similar_choice_or_the_default(variant, suggestion):
    with refused(InputError, variant) as caught:
        require_choices(ScoreSettings(variant=variant))
    assert suggestion in caught.value.hint


@pytest.mark.parametrize(
    ("bounds", "facts"),
    [
        ({"minimum": 0, "below": 1}, ["0", "1", "below"]),
        ({"minimum": 0, "maximum": 1}, ["0", "1", "between"]),
        ({"maximum": 0}, ["at most 0"]),
        ({"above": 0}, ["positive"]),
        ({}, ["number"]),
    ],
)
def test_a_rule_names_every_bound(bounds, facts):
    each = Option(annotation=float | None, **bounds)
    assert all(fact in each.rule for fact in facts)


def test_a_maximum_of_zero_is_kept_in_requests():
    each = Option(name="shift", annotation=int, default=0, maximum=0)

    @with_options(each)
    class Request(OptionsModel):
        """A request."""

    assert Request.model_json_schema()["properties"]["shift"]["maximum"] == 0


@pytest.mark.parametrize(
    ("annotation", "types", "is_optional", "is_list"),
    [
        (int, (int,), False, False),
        (float | None, (float,), True, False),
        (str | float | None, (str, float), True, False),
        (tuple[str, ...], (tuple[str, ...],), False, True),
    ],
)
def test_an_option_knows_its_types(annotation, types, is_optional, is_list):
    each = Option(annotation=annotation)
    assert (each.types, each.is_optional, each.is_list) == (types, is_optional, is_list)
