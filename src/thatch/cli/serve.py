"""``thatch serve``."""

from __future__ import annotations

import socket
from importlib.util import find_spec
from ipaddress import ip_address
from typing import Annotated

import typer

from thatch.cli.output import notify
from thatch.cli.parameters import (
    MaxMegabytes,
    MaxSecondsPerRequest,
    errors_naming,
    integer_option,
)

Host = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="Address to listen on; 127.0.0.1 is this machine only."
    ),
]
Port = Annotated[int, integer_option("Port to listen on; 0 for any free port.")]
Workers = Annotated[
    int | None,
    integer_option("Number of worker processes.  [default: one per core, 2 to 8]"),
]


def add_to(program: typer.Typer) -> None:
    """Add the command to the program."""
    program.command("serve")(serve_command)


def serve_command(
    host: Host = "127.0.0.1",
    port: Port = 8000,
    workers: Workers = None,
    max_seconds: MaxSecondsPerRequest = 30,
    max_megabytes: MaxMegabytes = 16,
) -> None:
    """Serve the web page and the HTTP API."""
    from thatch.errors import MissingExtraError

    for package in ("fastapi", "uvicorn"):
        if find_spec(package) is None:
            raise MissingExtraError("thatch serve", package=package, extra="web")
    from thatch.service.limits import Limits
    from thatch.web.server import Server

    given = {} if workers is None else {"num_workers": workers}
    with errors_naming(num_workers="--workers"):
        limits = Limits(max_seconds=max_seconds, max_megabytes=max_megabytes, **given)
    listener = _listener(host, port)
    is_local = _is_local(listener)
    if not is_local:
        notify("warning: others on the network can use this server: there is no login")
    address = _address(listener)
    server = Server(
        limits,
        is_local=is_local,
        on_start=lambda: notify(f"thatch is at {address} (Ctrl-C to stop)"),
    )
    try:
        server.run(sockets=[listener])
    except (KeyboardInterrupt, SystemExit):
        # uvicorn raises the signal again after a clean shutdown.
        if not server.started:
            raise
    notify("thatch has stopped")


def _is_local(listener: socket.socket) -> bool:
    return ip_address(listener.getsockname()[0]).is_loopback


def _listener(host: str, port: int) -> socket.socket:
    from thatch.errors import InputError

    if not 0 <= port <= 65535:
        raise InputError(
            f"port is {port}; it must be between 0 and 65535.",
            hint="Use 0 for any free port.",
        )
    if not host:
        raise InputError(
            "host is empty; it must be an address of this machine.",
            hint="Use 127.0.0.1 for this machine only, 0.0.0.0 for all its addresses.",
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise InputError(
            f"cannot listen on host {host}, port {port}: {error.strerror or error}.",
            hint="Check the host, or use --port 0 for any free port.",
        ) from None
    return listener


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
