"""``thatch mcp``."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated

import typer

from thatch.cli.options import number_option

MaxSeconds = Annotated[float, number_option("The longest that one call may take.")]
MaxMegabytes = Annotated[float, number_option("The largest call, in MiB.")]


def add_to(program: typer.Typer) -> None:
    """Make this one of the program's commands."""
    program.command("mcp")(mcp_command)


def mcp_command(max_seconds: MaxSeconds = 30, max_megabytes: MaxMegabytes = 16) -> None:
    """Offer assistants the tools summarize and pack, on standard input and output."""
    from thatch.errors import MissingExtraError

    if find_spec("mcp") is None:
        raise MissingExtraError("thatch mcp", package="mcp", extra="mcp")
    import asyncio

    from thatch.mcp import serve
    from thatch.service.limits import Limits

    limits = Limits(
        max_seconds=max_seconds, max_bytes=int(max_megabytes * 2**20), num_workers=1
    )
    asyncio.run(serve(limits))
