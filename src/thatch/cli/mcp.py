"""``thatch mcp``."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

from thatch.cli.parameters import MaxMegabytes, MaxSecondsPerRequest
from thatch.errors import MissingExtraError


def mcp_command(
    max_seconds: MaxSecondsPerRequest = 30, max_megabytes: MaxMegabytes = 16
) -> None:
    """Run an MCP server with tools for assistants."""
    if find_spec("mcp") is None:
        raise MissingExtraError("thatch mcp", package="mcp", extra="mcp")
    import asyncio

    from thatch.serve.limits import Limits
    from thatch.serve.mcp_server import serve

    limits = Limits(max_seconds=max_seconds, max_megabytes=max_megabytes, num_workers=1)

    def leave() -> None:
        # A thread is still blocked reading standard input and cannot be stopped.
        sys.stdout.flush()
        os._exit(0)

    asyncio.run(serve(limits, on_stop=leave))
