"""``thatch serve``."""

from __future__ import annotations

import socket
import sys
from importlib.util import find_spec
from ipaddress import ip_address
from typing import Annotated

import typer

from thatch.cli.options import (
    MaxMegabytes,
    MaxSecondsOfRequest,
    whole_number_option,
)

Host = Annotated[
    str, typer.Option(metavar="NAME", help="Address to listen at; this machine alone.")
]
Port = Annotated[int, whole_number_option("Port to listen at; 0 for any that is free.")]
Workers = Annotated[
    int | None,
    whole_number_option("Processes that work side by side; 2 to 8, by cores."),
]


def add_to(program: typer.Typer) -> None:
    """Make this one of the program's commands."""
    program.command("serve")(serve_command)


def serve_command(
    host: Host = "127.0.0.1",
    port: Port = 8000,
    workers: Workers = None,
    max_seconds: MaxSecondsOfRequest = 30,
    max_megabytes: MaxMegabytes = 16,
) -> None:
    """Open a page that summarizes, with an HTTP API beside it."""
    from thatch.errors import MissingExtraError

    for package in ("fastapi", "uvicorn"):
        if find_spec(package) is None:
            raise MissingExtraError("thatch serve", package=package, extra="web")
    from thatch.service.limits import Limits
    from thatch.web.server import Server

    given = {} if workers is None else {"num_workers": workers}
    limits = Limits(max_seconds=max_seconds, max_megabytes=max_megabytes, **given)
    listener = _listener(host, port)
    is_local = _is_local(listener)
    if not is_local:
        _tell("warning: others on the network can use it; nothing asks who they are")
    address = _address(listener)
    server = Server(
        limits,
        is_local=is_local,
        on_start=lambda: _tell(f"thatch is at {address} (Ctrl-C stops it)"),
    )
    try:
        server.run(sockets=[listener])
    except (KeyboardInterrupt, SystemExit):
        # Raised once more when all has stopped, which is what was asked for.
        if not server.started:
            raise
    _tell("thatch has stopped")


def _is_local(listener: socket.socket) -> bool:
    return ip_address(listener.getsockname()[0]).is_loopback


def _listener(host: str, port: int) -> socket.socket:
    from thatch.errors import InputError

    if not 0 <= port <= 65535:
        raise InputError(
            f"port must be from 0 to 65535, got {port}.", hint="0 takes a free one."
        )
    if not host:
        raise InputError(
            "host must name an address, got an empty one.",
            hint="0.0.0.0 is every address of this machine.",
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise InputError(
            f"host and port must be free to listen at, got {host} and {port}: "
            f"{error.strerror or error}.",
            hint="Check the host; --port 0 takes a port that is free.",
        ) from None
    return listener


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _tell(message: str) -> None:
    sys.stderr.write(f"{message}\n")
    sys.stderr.flush()
