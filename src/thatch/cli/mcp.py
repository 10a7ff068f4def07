"""``thatch mcp``."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

import typer

from thatch.cli.options import MaxMegabytes, MaxSecondsOfRequest


def add_to(program: typer.Typer) -> None:
    """Make this one of the program's commands."""
    program.command("mcp")(mcp_command)


def mcp_command(
    max_seconds: MaxSecondsOfRequest = 30, max_megabytes: MaxMegabytes = 16
) -> None:
    """Offer assistants the tools summarize and pack."""
    from thatch.errors import MissingExtraError

    if find_spec("mcp") is None:
        raise MissingExtraError("thatch mcp", package="mcp", extra="mcp")
    import asyncio

    from thatch.service.limits import Limits
    from thatch.service.mcp_server import serve

    limits = Limits(max_seconds=max_seconds, max_megabytes=max_megabytes, num_workers=1)

    def leave() -> None:
        # A thread still waits for input, and nothing can wake it.
        sys.stdout.flush()
        os._exit(0)

    asyncio.run(serve(limits, on_stop=leave))
