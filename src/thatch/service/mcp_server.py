"""Tools for assistants: summaries and packed prompts, by the Model Context Protocol."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
from collections.abc import Callable
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field

from thatch import __version__
from thatch.service.limits import Limits
from thatch.service.replies import Outcome
from thatch.service.requests import DocumentRequest, SummarizeRequest
from thatch.service.workers import Workers

__all__ = ["make_server", "serve"]

# What is in the structured content beside the text itself.
_TOLD = ("cost", "budget", "unit", "gap", "status", "warning")
_ONLY_READS = ToolAnnotations(
    read_only_hint=True, idempotent_hint=True, open_world_hint=False
)

Documents = Annotated[
    list[str | DocumentRequest],
    Field(min_length=1, description="Texts, or objects with text and name."),
]
Budget = Annotated[float, Field(ge=0, description="The most that may be returned.")]
UnitName = Annotated[
    str, Field(description="What the budget counts: words, characters, tokens.")
]
Query = Annotated[str, Field(description="Words that the answer should be about.")]
ByName = Annotated[
    str, Field(description="What is taken whole: sentence, paragraph or file.")
]


async def serve(limits: Limits, on_stop: Callable[[], None]) -> None:
    """Offer the tools on standard input and output until the input ends.

    Parameters
    ----------
    limits
        How much may be asked for.
    on_stop
        Called when the process is asked to stop before that, with all work ended.
    """
    is_asked = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):  # not on this system
            asyncio.get_running_loop().add_signal_handler(number, is_asked.set)
    async with Workers(limits) as workers:
        served = asyncio.ensure_future(make_server(workers, limits).run_stdio_async())
        asked = asyncio.ensure_future(is_asked.wait())
        await asyncio.wait({served, asked}, return_when=asyncio.FIRST_COMPLETED)
    if is_asked.is_set():
        on_stop()
    asked.cancel()
    await served


def make_server(workers: Workers, limits: Limits) -> MCPServer[Any]:
    """Server of the two tools.

    Parameters
    ----------
    workers
        Who does the work.
    limits
        How much may be asked for.

    >>> make_server(Workers(Limits()), Limits()).name
    'thatch'
    """
    server: MCPServer[Any] = MCPServer(
        "thatch",
        version=__version__,
        instructions="Extractive: every sentence returned stands in the documents.",
        log_level="WARNING",
    )

    async def answered(**fields: Any) -> CallToolResult:
        return await _answered(workers, limits, fields)

    @server.tool(annotations=_ONLY_READS, structured_output=False)
    async def summarize(
        documents: Documents,
        budget: Budget = 100,
        unit: UnitName = "words",
        query: Query = "",
    ) -> CallToolResult:
        """Choose the sentences of documents that say the most within a budget."""
        return await answered(
            documents=documents, budget=budget, unit=unit, query=query
        )

    @server.tool(annotations=_ONLY_READS, structured_output=False)
    async def pack(
        documents: Documents,
        budget: Budget = 2000,
        unit: UnitName = "tokens",
        query: Query = "",
        by: ByName = "paragraph",
    ) -> CallToolResult:
        """Choose whole paragraphs or files to put into a prompt of limited length."""
        return await answered(
            documents=documents, budget=budget, unit=unit, query=query, by=by
        )

    return server


async def _answered(
    workers: Workers, limits: Limits, fields: dict[str, Any]
) -> CallToolResult:
    body = SummarizeRequest(**fields).model_dump_json().encode()
    if len(body) > limits.max_bytes:
        raise ToolError(
            f"documents must have {limits.max_bytes} bytes or less, got {len(body)}. "
            "Send less at a time."
        )
    reply = await workers.run("summarize", body)
    answer = json.loads(reply.body)
    if reply.outcome is not Outcome.DONE:
        raise ToolError(f"{answer['error']} {answer['hint']}")
    return CallToolResult(
        content=[TextContent(type="text", text=answer["summary"] or answer["warning"])],
        structured_content={name: answer[name] for name in ("summary", *_TOLD)},
    )
