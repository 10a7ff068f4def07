"""An MCP server with two tools for assistants: summarize documents, pack prompts."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter, Signature
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field

from thatch import __version__
from thatch.options import options_of
from thatch.service.limits import Limits
from thatch.service.mcp_stdio import StdioServer
from thatch.service.option_fields import annotation_of, default_of
from thatch.service.replies import Outcome
from thatch.service.requests import DocumentRequest, SummarizeRequest
from thatch.service.workers import Workers
from thatch.solvers.solver_settings import RunSettings
from thatch.text.summary_settings import SummaryCall, SummarySettings

__all__ = ["make_server", "serve"]

_STRUCTURED_FIELDS = (
    *("summary", "cost", "budget", "unit", "gap", "status", "warning"),
)
_READ_ONLY = ToolAnnotations(
    read_only_hint=True, idempotent_hint=True, open_world_hint=False
)

Documents = Annotated[
    list[str | DocumentRequest],
    Field(min_length=1, description="Texts, or objects with text and name."),
]


@dataclass(frozen=True)
class _Tool:
    """A tool: all options of a summary, some of them with other defaults."""

    name: str
    description: str
    defaults: Mapping[str, Any]

    @property
    def signature(self) -> Signature:
        options = (
            *options_of(SummaryCall, "budget"),
            *options_of(SummarySettings),
            *options_of(RunSettings, "max_seconds"),
        )
        documents = Parameter("documents", Parameter.KEYWORD_ONLY, annotation=Documents)
        return Signature(
            [
                documents,
                *(
                    Parameter(
                        option.name,
                        Parameter.KEYWORD_ONLY,
                        annotation=annotation_of(option),
                        default=self.defaults.get(option.name, default_of(option)),
                    )
                    for option in options
                ),
            ],
            return_annotation=CallToolResult,
        )


_TOOLS = (
    _Tool(
        "summarize",
        "Choose the sentences of documents that cover the most within a budget.",
        {},
    ),
    _Tool(
        "pack",
        "Choose whole paragraphs or files to put into a prompt of limited length.",
        {"budget": 2000, "unit": "tokens", "by": "paragraph"},
    ),
)


async def serve(limits: Limits, on_stop: Callable[[], None]) -> None:
    """Run the server on standard input and output until the input ends.

    Parameters
    ----------
    limits
        Limits of requests.
    on_stop
        Called after a stop signal, when all work has ended.
    """
    is_stopping = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):  # not on this system
            asyncio.get_running_loop().add_signal_handler(number, is_stopping.set)
    async with Workers(limits) as workers:
        served = asyncio.ensure_future(make_server(workers, limits).run_stdio_async())
        stopped = asyncio.ensure_future(is_stopping.wait())
        await asyncio.wait({served, stopped}, return_when=asyncio.FIRST_COMPLETED)
    if is_stopping.is_set():
        on_stop()
    stopped.cancel()
    await served


def make_server(workers: Workers, limits: Limits) -> MCPServer[Any]:
    """Make the server of the two tools.

    Parameters
    ----------
    workers
        Processes that handle the requests.
    limits
        Limits of requests.

    >>> make_server(Workers(Limits()), Limits()).name
    'thatch'
    """
    server: MCPServer[Any] = StdioServer(
        "thatch",
        version=__version__,
        instructions="Extractive: every returned sentence is from the documents.",
        log_level="WARNING",
    )

    for tool in _TOOLS:
        server.add_tool(
            _function(tool, workers, limits),
            name=tool.name,
            description=tool.description,
            annotations=_READ_ONLY,
            structured_output=False,
        )
    return server


def _function(
    tool: _Tool, workers: Workers, limits: Limits
) -> Callable[..., Awaitable[CallToolResult]]:
    """Function of a tool, with the signature from which its schema is made."""

    async def call(**fields: Any) -> CallToolResult:
        return await _result(workers, limits, fields)

    call.__signature__ = tool.signature  # type: ignore[attr-defined]
    return call


async def _result(
    workers: Workers, limits: Limits, fields: dict[str, Any]
) -> CallToolResult:
    body = SummarizeRequest(**fields).model_dump_json().encode()
    if len(body) > limits.max_bytes:
        raise ToolError(
            f"documents has {len(body)} bytes; at most {limits.max_bytes} are allowed. "
            "Send less at a time."
        )
    reply = await workers.run("summarize", body)
    answer = json.loads(reply.body)
    if reply.outcome is not Outcome.DONE:
        raise ToolError(f"{answer['error']} {answer['hint']}")
    return CallToolResult(
        content=[TextContent(type="text", text=answer["summary"] or answer["warning"])],
        structured_content={name: answer[name] for name in _STRUCTURED_FIELDS},
    )
