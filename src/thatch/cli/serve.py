"""``thatch serve``."""

from __future__ import annotations

import shlex
import socket
import webbrowser
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thatch.cli.output import notify
from thatch.cli.parameters import (
    errors_naming,
    integer_option,
    number_option,
    value_option,
)
from thatch.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from thatch.serve.http.access import Access
    from thatch.serve.limits import Limits

Host = Annotated[
    str, value_option("NAME", "Address to listen on; 127.0.0.1 is this machine only.")
]
Port = Annotated[int, integer_option("Port to listen on; 0 for any free port.")]
Workers = Annotated[
    int | None,
    integer_option("Number of worker processes.  [default: one per core, 2 to 8]"),
]
MaxSeconds = Annotated[
    float | None,
    number_option(
        "Time limit per request, in seconds.  [default: 30; with --demo, 5]",
        "--max-seconds",
    ),
]
MaxMegabytes = Annotated[
    float | None,
    number_option(
        "Maximum size of a request, in megabytes of 2^20 bytes (MiB).  [default: 16; "
        "with --demo, 0.5]"
    ),
]
TokenFile = Annotated[
    Path | None,
    value_option(
        "FILE",
        "File with the token that every request must contain; required if other "
        "machines can reach --host, except with --demo.",
    ),
]
NoAuth = Annotated[
    bool,
    typer.Option(
        "--no-auth", help="Let everyone who reaches the server use it, without a token."
    ),
]
AllowHost = Annotated[
    list[str] | None,
    value_option(
        "NAME",
        "Host name to accept in requests, such as a proxy's, besides IP addresses "
        "and the names of this machine; repeatable.",
    ),
]
AccessLog = Annotated[
    Path | None,
    value_option(
        "FILE",
        "File to which to append one JSON object per request; - for standard error.",
    ),
]
Demo = Annotated[
    bool,
    typer.Option(
        "--demo",
        help="Let everyone use the server, within low limits: small requests, a rate "
        "limit per client, and only plain text and Markdown. Put a proxy with TLS in "
        "front.",
    ),
]
OpenBrowser = Annotated[
    bool, typer.Option("--open", help="Open the page in the browser.")
]


def serve_command(
    host: Host = "127.0.0.1",
    port: Port = 8000,
    workers: Workers = None,
    max_seconds: MaxSeconds = None,
    max_megabytes: MaxMegabytes = None,
    token_file: TokenFile = None,
    no_auth: NoAuth = False,
    allow_host: AllowHost = None,
    access_log: AccessLog = None,
    demo: Demo = False,
    open_browser: OpenBrowser = False,
) -> None:
    """Serve the web page and the HTTP API."""
    for package in ("fastapi", "uvicorn"):
        if find_spec(package) is None:
            raise MissingExtraError("thatch serve", package=package, extra="web")
    from thatch.serve.http.access_log import access_logger
    from thatch.serve.http.listening import addresses_of, is_local, listener_on
    from thatch.serve.http.server import Server

    limits = _limits(
        demo, num_workers=workers, max_seconds=max_seconds, max_megabytes=max_megabytes
    )
    log = None if access_log is None else access_logger(access_log)
    listener = listener_on(host, port)
    is_open = not is_local(listener)
    if demo and token_file is None:
        no_auth = True
    access = _access(host, allow_host or [], token_file, no_auth, is_open=is_open)
    server = Server(
        limits,
        access=access,
        log=log,
        on_start=lambda: _announce(
            addresses_of(listener), access, limits, open_browser=open_browser
        ),
    )
    try:
        server.run(sockets=[listener])
    except (KeyboardInterrupt, SystemExit):
        # uvicorn raises the signal again after a clean shutdown.
        if not server.started:
            raise
    notify("thatch has stopped")


def _limits(is_demo: bool, **given: Any) -> Limits:
    from thatch.serve.limits import Limits

    make = Limits.for_demo if is_demo else Limits
    with errors_naming(num_workers="--workers"):
        return make(
            **{name: limit for name, limit in given.items() if limit is not None}
        )


def _access(
    host: str, allowed: list[str], token_file: Path | None, no_auth: bool, is_open: bool
) -> Access:
    from thatch.serve.http.access import Access, can_others_read, read_token

    if no_auth and token_file is not None:
        raise InputError(
            f"--no-auth cannot be combined with --token-file {token_file}.",
            hint="Leave one of them out.",
        )
    if is_open and not no_auth and token_file is None:
        raise InputError(
            f"--host is {host}, which other machines can reach, but there is no token.",
            hint="Pass --token-file FILE, or --no-auth to let everyone use the server.",
        )
    if is_open and no_auth:
        notify("warning: everyone who reaches this server can use it, without a token")
    token = None if token_file is None else read_token(token_file)
    if token_file is not None and can_others_read(token_file):
        notify(
            f"warning: other users can read {token_file}; run: "
            f"chmod 600 {shlex.quote(str(token_file))}"
        )
    names = ["localhost", host, socket.gethostname()]
    with errors_naming(allowed_hosts="--allow-host"):
        return Access(names=names, allowed_hosts=allowed, token=token)


def _announce(
    addresses: list[str], access: Access, limits: Limits, *, open_browser: bool
) -> None:
    if limits.is_demo:
        notify(
            f"demo: requests of up to {limits.max_megabytes:g} MiB and "
            f"{limits.max_seconds:g} s; files only in plain text and Markdown"
        )
    needed = "" if access.token is None else "; it needs the token"
    notify(f"thatch is at {' and '.join(addresses)} (Ctrl-C to stop){needed}")
    if open_browser:
        # Some browsers return only when they are closed.
        Thread(target=_open, args=(addresses[0],), daemon=True).start()


def _open(address: str) -> None:
    if not webbrowser.open(address):
        notify(f"warning: no browser was found; open {address} yourself")
