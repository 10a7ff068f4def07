"""An MCP server with tools for assistants: summarize, pack, select context."""

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
from thatch.context.select_settings import SelectSettings
from thatch.options import Option, options_of
from thatch.serve.limits import Limits
from thatch.serve.mcp_stdio import StdioServer
from thatch.serve.option_fields import OptionsModel, annotation_of, default_of
from thatch.serve.replies import Outcome
from thatch.serve.requests import (
    ChunkRequest,
    DocumentRequest,
    SelectRequest,
    SummarizeRequest,
    WholeNumber,
)
from thatch.serve.workers import Workers
from thatch.solvers.solver_settings import RunSettings
from thatch.text.summary_settings import SummaryCall, SummarySettings

_READ_ONLY = ToolAnnotations(
    read_only_hint=True, idempotent_hint=True, open_world_hint=False
)

Documents = Annotated[
    list[str | DocumentRequest],
    Field(min_length=1, description="Texts, or objects with text and name."),
]
Chunks = Annotated[
    list[str | ChunkRequest],
    Field(
        min_length=1,
        description="Texts, or objects with text, source, title, section, speaker, "
        "date and score.",
    ),
]
MustInclude = Annotated[
    list[WholeNumber],
    Field(description="Indices of chunks to select in any case, counted from 0."),
]


@dataclass(frozen=True)
class _Call:
    """A call that tools make: its handler and request, and what they return of it."""

    handler: str
    request: type[OptionsModel]
    #: What is passed besides options; what it works on comes first.
    inputs: tuple[Parameter, ...]
    options: tuple[Option, ...]
    #: Fields of the answer that are returned as text: the first that is not empty.
    text_fields: tuple[str, ...]
    #: Fields of the answer that are returned as data.
    data_fields: tuple[str, ...]


@dataclass(frozen=True)
class _Tool:
    """A tool: a call with all options, some of them with other defaults."""

    name: str
    description: str
    call: _Call
    defaults: Mapping[str, Any]

    @property
    def signature(self) -> Signature:
        call = self.call
        return Signature(
            [
                *call.inputs,
                *(
                    Parameter(
                        option.name,
                        Parameter.KEYWORD_ONLY,
                        annotation=annotation_of(option),
                        default=self.defaults.get(option.name, default_of(option)),
                    )
                    for option in call.options
                ),
            ],
            return_annotation=CallToolResult,
        )


_SUMMARIZE = _Call(
    "summarize",
    SummarizeRequest,
    (Parameter("documents", Parameter.KEYWORD_ONLY, annotation=Documents),),
    (
        *options_of(SummaryCall, "budget"),
        *options_of(SummarySettings),
        *options_of(RunSettings, "max_seconds"),
    ),
    ("summary", "warning"),
    ("summary", "cost", "budget", "unit", "gap", "status", "warning"),
)
_SELECT = _Call(
    "select",
    SelectRequest,
    (
        Parameter("chunks", Parameter.KEYWORD_ONLY, annotation=Chunks),
        Parameter(
            "must_include",
            Parameter.KEYWORD_ONLY,
            annotation=MustInclude,
            default=Field([]),
        ),
    ),
    (*options_of(SelectSettings), *options_of(RunSettings, "max_seconds")),
    ("text", "warning"),
    (
        *("chunks", "dropped", "tokens", "budget", "unit", "gap", "status", "note"),
        "warning",
    ),
)
_TOOLS = (
    _Tool(
        "summarize",
        "Choose the sentences of documents that cover the most within a budget.",
        _SUMMARIZE,
        {},
    ),
    _Tool(
        "pack",
        "Choose whole paragraphs or files to put into a prompt of limited length.",
        _SUMMARIZE,
        {"budget": 2000, "unit": "tokens", "by": "paragraph"},
    ),
    _Tool(
        "select_context",
        "Select the chunks that answer a query within a token budget: the most "
        "relevant ones, and of those that say the same only one.",
        _SELECT,
        {},
    ),
)


async def serve(limits: Limits, on_stop: Callable[[], None]) -> None:
    """Run the server on standard input and output until the input ends.

    After a stop signal, `on_stop` is called when all work has ended.
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
    """Make the server of the tools."""
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
        return await _result(tool.call, workers, limits, fields)

    call.__signature__ = tool.signature  # type: ignore[attr-defined]
    return call


async def _result(
    call: _Call, workers: Workers, limits: Limits, fields: dict[str, Any]
) -> CallToolResult:
    body = call.request(**fields).model_dump_json().encode()
    if len(body) > limits.max_bytes:
        raise ToolError(
            f"{call.inputs[0].name} has {len(body)} bytes; at most {limits.max_bytes} "
            "are allowed. Send less at a time."
        )
    reply = await workers.run(call.handler, body)
    answer = json.loads(reply.body)
    if reply.outcome is not Outcome.DONE:
        raise ToolError(f"{answer['error']} {answer['hint']}")
    text = next(filter(None, (answer[name] for name in call.text_fields)), "")
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content={name: answer[name] for name in call.data_fields},
    )
