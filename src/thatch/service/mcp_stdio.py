"""MCP on standard input and output, which ignores nothing.

The server of the MCP package ignores a message that it cannot parse, so that its client
would wait for a reply that never comes, and an argument that a tool does not have, so
that a misspelled budget would be no budget.
"""

from __future__ import annotations

import json
from difflib import get_close_matches
from typing import Any

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError

from thatch.service.validation_messages import validation_message

__all__ = ["StdioServer", "error_reply"]


class StdioServer(MCPServer[Any]):
    """An MCP server that replies to every request, and ignores no argument."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Any = None
    ) -> Any:
        """Call a tool; arguments that it does not have are an error."""
        tool = self._tool_manager.get_tool(name)
        known = tool.parameters["properties"] if tool is not None else arguments
        for argument in arguments:
            if argument not in known:
                similar = get_close_matches(argument, known, n=1)
                hint = f"Did you mean {similar[0]}?" if similar else "Leave it out."
                raise ToolError(f"{name} has no argument {argument!r:.60}. {hint}")
        return await super().call_tool(name, arguments, context)

    async def run_stdio_async(self) -> None:
        """Run the server on standard input and output until the input ends."""
        server = self._lowlevel_server
        to_server, messages = anyio.create_memory_object_stream[SessionMessage](0)
        async with (
            stdio_server() as (received, replies),
            anyio.create_task_group() as tasks,
        ):

            async def forward() -> None:
                async with to_server:
                    async for message in received:
                        if not isinstance(message, Exception):
                            await to_server.send(message)
                        elif (reply := error_reply(message)) is not None:
                            await replies.send(SessionMessage(reply))

            tasks.start_soon(forward)
            await server.run(messages, replies, server.create_initialization_options())
            tasks.cancel_scope.cancel()


def error_reply(error: Exception) -> JSONRPCError | None:
    r"""Reply to a message that cannot be parsed; None if it needs no reply.

    >>> from mcp.types import jsonrpc_message_adapter
    >>> try:
    ...     jsonrpc_message_adapter.validate_json('{"id": 7, "method": "\\ud800"}')
    ... except ValidationError as error:
    ...     error_reply(error).id
    7
    """
    if not isinstance(error, ValidationError):
        return _reply(None, PARSE_ERROR, "The message cannot be read.")
    first = error.errors(include_url=False)[0]
    is_json = first["type"] != "json_invalid"
    message = first["input"] if is_json else _parsed(first["input"])
    if isinstance(message, dict) and "method" in message and "id" not in message:
        return None  # a notification
    number = message.get("id") if isinstance(message, dict) else None
    if is_json:
        return _reply(number, INVALID_REQUEST, "The message is not a JSON-RPC message.")
    return _reply(number, PARSE_ERROR, validation_message(error))


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


def _parsed(line: str | bytes) -> object:
    """The message of a line; Python accepts more than the protocol does."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
