"""The server: starts and stops the application and its connections."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable
from functools import partial
from logging import Logger

import uvicorn

from thatch.serve.http.access import Access
from thatch.serve.http.app import make_app
from thatch.serve.http.connections import (
    Connection,
    Connections,
    close_late_connections,
)
from thatch.serve.limits import Limits
from thatch.serve.workers import Workers

# Connections that the system keeps until the server accepts them, and those that it
# accepts before it reads from others: a new one must not be closed in favor of newer
# ones before its request is read.
_BACKLOG, _ACCEPTED_AT_ONCE = 1024, 32
# Proxies whose X-Forwarded-For is believed: everyone else could forge it.
_LOOPBACK = "127.0.0.0/8,::1,::ffff:127.0.0.0/104"


class Server(uvicorn.Server):
    """The server that ``thatch serve`` runs."""

    def __init__(
        self,
        limits: Limits,
        *,
        access: Access,
        log: Logger | None = None,
        on_start: Callable[[], None],
    ) -> None:
        self._app = make_app(limits, access=access, log=log)
        self._on_start = on_start
        # Other open files are pipes of the workers, files of the page, and the log.
        max_connections, other_files = 2048, 256
        self._connections = Connections(
            max(_allowed_files(max_connections + other_files) - other_files, 64),
            log=log,
        )
        self._checks: asyncio.Task[None] | None = None
        # Time for requests to finish after the server receives a stop signal.
        super().__init__(
            uvicorn.Config(
                self._app,
                http=partial(Connection, self._connections),  # type: ignore[arg-type]
                ws="none",
                backlog=_ACCEPTED_AT_ONCE,
                # Clients cause warnings, by invalid requests for example.
                log_level="error",
                server_header=False,
                forwarded_allow_ips=os.environ.get("FORWARDED_ALLOW_IPS", _LOOPBACK),
                timeout_graceful_shutdown=3,
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and call `on_start`."""
        await super().startup(sockets)
        for each in sockets or []:
            each.listen(_BACKLOG)
        if self.started and not self.should_exit:
            self._checks = asyncio.create_task(
                close_late_connections(self._connections)
            )
            self._on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End all work, so that its clients get a response, and then stop."""
        workers: Workers | None = getattr(self._app.state, "workers", None)
        if workers is not None:
            await workers.close()
        if self._checks is not None:
            self._checks.cancel()
        await super().shutdown(sockets)


def _allowed_files(wanted: int) -> int:
    """Number of files that may be open, after raising the limit if possible."""
    try:
        import resource
    except ImportError:  # not on this system
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if resource.RLIM_INFINITY != soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (ValueError, OSError):  # macOS has a lower limit than the one it reports
            return soft
    return wanted
