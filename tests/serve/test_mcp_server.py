"""The MCP server, called by the protocol's own client."""

import asyncio
import json
import os
import signal
import subprocess

import pytest
from mcp import Client, StdioServerParameters
from pydantic import ValidationError
from servers import COMMAND, INITIALIZE
from systems import posix

from thatch.serve.handlers import HANDLERS
from thatch.serve.validation_messages import validation_message

pytestmark = pytest.mark.slow

TEXT = "Snow fell all day. Nobody came. All day the snow fell on the town."
NOTES = [
    {"name": "bridge.md", "text": "# Bridge\n\nThe bridge closed.\n\nIt will open."},
    {"name": "roof.md", "text": "# Roof\n\nThe roof of the old mill leaks."},
]


def call(*calls, options=()):
    """Answers to calls, each a tool's name and its arguments."""
    command, *arguments = [*COMMAND, "mcp", *options]
    server = StdioServerParameters(
        command=command, args=arguments, env=dict(os.environ)
    )

    async def main():
        async with Client(server) as client:
            return [await client.call_tool(name, given) for name, given in calls]

    return asyncio.run(main())


@pytest.fixture(scope="module")
def tools():
    """The tools that are offered, by name."""
    command, *arguments = [*COMMAND, "mcp"]

    async def main():
        server = StdioServerParameters(
            command=command, args=arguments, env=dict(os.environ)
        )
        async with Client(server) as client:
            return (await client.list_tools()).tools

    return {tool.name: tool for tool in asyncio.run(main())}


def test_tools_are_offered_and_described(tools):
    assert set(tools) == {"summarize", "pack", "select_context"}
    for name, tool in tools.items():
        given = "chunks" if name == "select_context" else "documents"
        assert tool.description
        assert "budget" in tool.input_schema["properties"]
        assert tool.input_schema["required"] == [given]
        assert tool.annotations.read_only_hint
        described = tool.input_schema["properties"]["tokenizer"]["description"]
        assert "file" not in described


def test_an_assistant_gets_a_summary_and_a_packed_prompt():
    summary, packed, about = call(
        ("summarize", {"documents": [TEXT], "budget": 11}),
        ("pack", {"documents": NOTES, "budget": 8, "unit": "words"}),
        ("pack", {"documents": NOTES, "budget": 8, "unit": "words", "query": "mill"}),
    )
    expected = "Nobody came. All day the snow fell on the town."
    assert summary.content[0].text == expected
    assert summary.structured_content["cost"] == 10
    assert summary.structured_content["status"] == "optimal"
    assert len(packed.content[0].text.split()) <= 8
    assert "The roof of the old mill leaks." in about.content[0].text


CHUNKS = [
    {"text": "The import failed: the disk was full.", "source": "log.md"},
    "The page is slow.",
    {"text": "The import failed, as the disk was full.", "source": "notes.md"},
]


def test_an_assistant_gets_the_chunks_that_matter():
    query = "Why did the import fail?"
    selected, nothing, mixed, required = call(
        ("select_context", {"chunks": CHUNKS, "query": query, "budget": 12}),
        ("select_context", {"chunks": CHUNKS, "query": query, "budget": 1}),
        ("select_context", {"chunks": [{"text": "Hi.", "score": 1}, "Ho."]}),
        ("select_context", {"chunks": CHUNKS, "query": query, "must_include": [1]}),
    )
    assert selected.content[0].text == CHUNKS[0]["text"]
    data = selected.structured_content
    assert [chunk["index"] for chunk in data["chunks"]] == [0]
    assert [each.get("redundant_with") for each in data["dropped"]] == [None, 0]
    assert data["tokens"] <= data["budget"] == 12
    assert "fits in 1 tokens" in nothing.content[0].text
    assert nothing.structured_content["warning"] == nothing.content[0].text
    assert mixed.is_error
    assert "chunks[1]" in mixed.content[0].text
    assert CHUNKS[1] in required.content[0].text


def test_errors_reach_the_assistant():
    unknown, large, empty = call(
        ("summarize", {"documents": [TEXT], "unit": "pages"}),
        ("summarize", {"documents": ["snow " * 300_000]}),
        ("summarize", {"documents": [TEXT], "budget": 1}),
        options=["--max-megabytes", "1"],
    )
    assert unknown.is_error
    assert "unit" in unknown.content[0].text
    assert "'pages'" in unknown.content[0].text
    assert large.is_error
    assert "documents" in large.content[0].text
    assert "1048576" in large.content[0].text
    assert "1 words" in empty.content[0].text


def test_invalid_arguments_are_described_as_by_the_http_api():
    bad = [
        ("select_context", {"chunks": CHUNKS, "budget": "x"}),
        ("select_context", {"chunks": [{"source": "log.md"}]}),
        ("select_context", {"chunks": CHUNKS, "window": 101}),
        ("summarize", {}),
        ("pack", {"documents": [5]}),
    ]
    for (name, arguments), result in zip(bad, call(*bad), strict=True):
        handler = "select" if name == "select_context" else "summarize"
        request, *_ = HANDLERS[handler]
        with pytest.raises(ValidationError) as caught:
            request.model_validate(arguments)
        assert result.is_error
        assert result.content[0].text == validation_message(caught.value)


def test_an_argument_that_a_tool_does_not_have_is_an_error():
    """A misspelled budget would otherwise be the default one."""
    (result,) = call(("summarize", {"documents": ["One. Two."], "budgets": 3}))
    assert result.is_error
    assert "budgets" in result.content[0].text
    assert "budget?" in result.content[0].text


def test_it_ends_when_its_input_does():
    answer = subprocess.run(
        [*COMMAND, "mcp"], stdin=subprocess.DEVNULL, capture_output=True, timeout=300
    )
    assert (answer.returncode, answer.stdout) == (0, b"")


@posix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_stops_on_a_signal(number):
    """The input is still open then."""
    process = subprocess.Popen(
        [*COMMAND, "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["id"] == 1
    process.send_signal(number)
    assert process.wait(timeout=300) == 0
    assert process.stderr.read() == b""
    for pipe in (process.stdin, process.stdout, process.stderr):
        pipe.close()
