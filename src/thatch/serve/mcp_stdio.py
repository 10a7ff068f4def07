"""MCP on standard input and output: no message goes unanswered.

The server of the MCP package ignores a message that it cannot parse, so that its client
would wait for a reply that never comes, and an argument that a tool does not have, so
that a misspelled budget would be no budget.
"""

from __future__ import annotations

import io
import json
import sys
from difflib import get_close_matches
from typing import Any

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from thatch.serve.validation_messages import validation_message


class StdioServer(MCPServer[Any]):
    """An MCP server that replies to every request, and ignores no argument."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Any = None
    ) -> Any:
        """Call a tool; arguments that it does not have are an error.

        Invalid arguments are described as the HTTP API describes them.
        """
        tool = self._tool_manager.get_tool(name)
        known = tool.parameters["properties"] if tool is not None else arguments
        for argument in arguments:
            if argument not in known:
                similar = get_close_matches(argument, known, n=1)
                hint = f"Did you mean {similar[0]}?" if similar else "Leave it out."
                raise ToolError(f"{name} has no argument {argument!r:.60}. {hint}")
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            cause = error.__cause__
            if not isinstance(cause, ValidationError):
                raise
        raise ToolError(validation_message(cause))

    async def run_stdio_async(self) -> None:
        """Run the server on standard input and output until the input ends."""
        server = self._lowlevel_server
        to_server, messages = anyio.create_memory_object_stream[SessionMessage](0)
        with open(
            sys.stdin.fileno(), encoding="utf-8", errors="replace", closefd=False
        ) as file:
            lines = anyio.wrap_file(file)
            # Its own input is empty: it would lose the lines that it cannot parse.
            async with (
                stdio_server(stdin=anyio.wrap_file(io.StringIO())) as (_, replies),
                anyio.create_task_group() as tasks,
            ):

                async def forward() -> None:
                    async with to_server:
                        async for line in lines:
                            message, reply = read_message(line)
                            if message is not None:
                                await to_server.send(SessionMessage(message))
                            if reply is not None:
                                await replies.send(SessionMessage(reply))

                tasks.start_soon(forward)
                await server.run(
                    messages, replies, server.create_initialization_options()
                )
                tasks.cancel_scope.cancel()


def read_message(line: str) -> tuple[JSONRPCMessage | None, JSONRPCError | None]:
    r"""Parse a line; return its message, or the reply if it is not valid.

    An invalid notification has neither.

    >>> message, _ = read_message('{"jsonrpc": "2.0", "id": 7, "method": "ping"}')
    >>> message.id
    7
    >>> _, reply = read_message('{"jsonrpc": "2.0", "id": 7, "method": "\\ud800"}')
    >>> reply.id
    7
    """
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        return None, _reply_to_invalid(_parsed(line), error)
    # A request whose id is null or a fraction is parsed as a notification.
    if isinstance(message, JSONRPCNotification):
        parsed = _parsed(line)
        if isinstance(parsed, dict) and "id" in parsed:
            return None, _reply(
                None, INVALID_REQUEST, "id is not valid; it must be an integer or text."
            )
    return message, None


def _reply_to_invalid(message: object, error: ValidationError) -> JSONRPCError | None:
    fields = message if isinstance(message, dict) else {}
    if "method" in fields and "id" not in fields:
        return None  # a notification
    number = fields.get("id")
    if error.errors(include_url=False)[0]["type"] == "json_invalid":
        return _reply(number, PARSE_ERROR, validation_message(error))
    return _reply(number, INVALID_REQUEST, "The message is not a JSON-RPC message.")


def _reply(number: object, code: int, message: str) -> JSONRPCError:
    return JSONRPCError(
        jsonrpc="2.0", id=_id(number), error=ErrorData(code=code, message=message)
    )


def _id(value: object) -> int | str | None:
    """The id of a request, if it can be sent back."""
    if isinstance(value, str):
        # Half of a surrogate pair is not valid JSON.
        return value if value == value.encode(errors="ignore").decode() else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _parsed(line: str) -> object:
    """The message of a line; Python accepts more than the protocol does."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
