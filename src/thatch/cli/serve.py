"""``thatch serve``."""

from __future__ import annotations

import signal
import socket
import sys
from importlib.util import find_spec
from typing import Annotated

import typer

from thatch.cli.options import number_option, whole_number_option

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
# How long requests may take to end once the server is asked to stop.
_SECONDS_TO_STOP = 3

Host = Annotated[
    str, typer.Option(metavar="NAME", help="Address to listen at; this machine alone.")
]
Port = Annotated[int, whole_number_option("Port to listen at; 0 for any that is free.")]
Workers = Annotated[
    int | None, whole_number_option("Processes that work side by side; one a core.")
]
MaxSeconds = Annotated[float, number_option("The longest that one request may take.")]
MaxMegabytes = Annotated[float, number_option("The largest request, in MiB.")]


def add_to(program: typer.Typer) -> None:
    """Make this one of the program's commands."""
    program.command("serve")(serve_command)


def serve_command(
    host: Host = "127.0.0.1",
    port: Port = 8000,
    workers: Workers = None,
    max_seconds: MaxSeconds = 30,
    max_megabytes: MaxMegabytes = 16,
) -> None:
    """Open a page that summarizes, with an HTTP API beside it."""
    from thatch.errors import MissingExtraError

    for package in ("fastapi", "uvicorn"):
        if find_spec(package) is None:
            raise MissingExtraError("thatch serve", package=package, extra="web")
    import uvicorn

    from thatch.service.limits import Limits
    from thatch.web.app import make_app

    given = {} if workers is None else {"num_workers": workers}
    limits = Limits(
        max_seconds=max_seconds, max_bytes=int(max_megabytes * 2**20), **given
    )
    listener = _listener(host, port)
    is_local = host in _LOOPBACK
    app = make_app(limits) if is_local else make_app(limits, hosts=())
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="warning",
            server_header=False,
            timeout_graceful_shutdown=_SECONDS_TO_STOP,
        )
    )
    _tell(f"thatch is at {_address(listener)} (Ctrl-C stops it)")
    if not is_local:
        _tell("warning: others on the network can use it; nothing asks who they are")
    for number in (signal.SIGINT, signal.SIGTERM):
        # Raised again once the server has stopped, which is what they asked for.
        signal.signal(number, lambda number, frame: None)
    server.run(sockets=[listener])
    _tell("thatch has stopped")


def _listener(host: str, port: int) -> socket.socket:
    from thatch.errors import InputError

    if not 0 <= port <= 65535:
        raise InputError(
            f"port must be from 0 to 65535, got {port}.", hint="0 takes a free one."
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
            hint="Another may be at work there: --port 0 takes a free one.",
        ) from None
    return listener


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _tell(message: str) -> None:
    sys.stderr.write(f"{message}\n")
    sys.stderr.flush()
