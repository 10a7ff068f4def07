"""MCP on standard input and output: every request gets a reply."""

import json
import subprocess

import pytest
from mcp.types import INVALID_REQUEST, PARSE_ERROR
from servers import COMMAND, INITIALIZE

pytestmark = pytest.mark.slow

SURROGATE = '{"documents": ["Snow \\ud800 fell."]}'
CALL = '"method": "tools/call", "params": {"name": "summarize", "arguments": %s}'
LINES = {
    "a lone surrogate": (
        f'{{"jsonrpc": "2.0", "id": 7, {CALL % SURROGATE}}}'.encode(),
        *(7, PARSE_ERROR),
    ),
    "a lone surrogate, with a named request": (
        f'{{"jsonrpc": "2.0", "id": "seven", {CALL % SURROGATE}}}'.encode(),
        *("seven", PARSE_ERROR),
    ),
    "an id that is a lone surrogate": (
        b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}',
        *(None, PARSE_ERROR),
    ),
    "no JSON": (b"snow", None, PARSE_ERROR),
    "bytes that are not UTF-8": (b"\xff\xfe", None, PARSE_ERROR),
    "a deep nest": (b"[" * 100_000, None, PARSE_ERROR),
    "a list": (b"[]", None, INVALID_REQUEST),
    "no message": (b'{"id": 7}', 7, INVALID_REQUEST),
    "a method that is a number": (
        b'{"jsonrpc": "2.0", "id": 3, "method": 5}',
        *(3, INVALID_REQUEST),
    ),
    "parameters that are a list": (
        b'{"jsonrpc": "2.0", "id": "three", "method": "ping", "params": [1]}',
        *("three", INVALID_REQUEST),
    ),
    "another version of the protocol": (
        b'{"jsonrpc": "1.0", "id": 3, "method": "ping"}',
        *(3, INVALID_REQUEST),
    ),
    "an id that is a fraction": (
        b'{"jsonrpc": "2.0", "id": 3.5, "method": "ping"}',
        *(None, INVALID_REQUEST),
    ),
    "an id that is null": (
        b'{"jsonrpc": "2.0", "id": null, "method": "ping"}',
        *(None, INVALID_REQUEST),
    ),
    "an id that is true": (
        b'{"jsonrpc": "2.0", "id": true, "method": "ping"}',
        *(None, INVALID_REQUEST),
    ),
    "an id that is a list": (
        b'{"jsonrpc": "2.0", "id": [3], "method": "ping"}',
        *(None, INVALID_REQUEST),
    ),
}


@pytest.fixture(scope="module")
def ask():
    """Send one line to a server, and return its reply."""
    process = subprocess.Popen(
        [*COMMAND, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )

    def send(line):
        process.stdin.write(line + b"\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    assert send(json.dumps(INITIALIZE).encode())["id"] == 1
    yield send
    process.stdin.close()
    assert process.wait(timeout=300) == 0
    process.stdout.close()


@pytest.mark.parametrize(("line", "number", "code"), LINES.values(), ids=LINES)
def test_a_message_that_cannot_be_parsed_gets_an_error_reply(ask, line, number, code):
    reply = ask(line)
    assert reply["id"] == number
    assert reply["error"]["code"] == code
    assert reply["error"]["message"]


def test_a_notification_that_cannot_be_parsed_gets_no_reply(ask):
    surrogate = b'{"jsonrpc": "2.0", "method": "\\ud800"}\n'
    ping = b'{"jsonrpc": "2.0", "id": 9, "method": "ping"}'
    assert ask(surrogate + ping) == {"jsonrpc": "2.0", "id": 9, "result": {}}


def test_no_reply_names_an_option_of_the_command_line(ask):
    initialized = b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n'
    for number, arguments in enumerate(
        [
            {"documents": []},
            {"documents": ["Snow fell."], "budget": -1},
            {"documents": ["Snow fell."], "query": "zebra"},
            {"documents": ["Snow fell."], "unit": "pages"},
            {"documents": ["Snow fell."] * 1001},
        ],
        start=20,
    ):
        request = {
            "jsonrpc": "2.0",
            "id": number,
            "method": "tools/call",
            "params": {"name": "summarize", "arguments": arguments},
        }
        reply = ask(initialized + json.dumps(request).encode())
        assert reply["result"]["isError"]
        assert " --" not in reply["result"]["content"][0]["text"]
