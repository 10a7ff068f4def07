"""The server: starts and stops the application, and closes idle connections."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from thatch.service.limits import Limits
from thatch.service.workers import Workers
from thatch.web.app import make_app

__all__ = ["Server"]

# Time for requests to finish after the server receives a stop signal.
_SECONDS_TO_STOP = 3
# Open connections; further ones are closed.
_MAX_CONNECTIONS = 512
# Time from the connection to the start of a request.
_SECONDS_TO_REQUEST = 30.0


class Server(uvicorn.Server):
    """The server that ``thatch serve`` runs.

    Parameters
    ----------
    limits
        Limits of requests.
    is_local
        Whether only this machine can reach it; other host names are then rejected.
    on_start
        Called when the server accepts requests.
    """

    def __init__(
        self, limits: Limits, *, is_local: bool, on_start: Callable[[], None]
    ) -> None:
        self._app = make_app(limits) if is_local else make_app(limits, hosts=())
        self._on_start = on_start
        super().__init__(
            uvicorn.Config(
                self._app,
                http=_Connection,
                log_level="warning",
                server_header=False,
                timeout_graceful_shutdown=_SECONDS_TO_STOP,
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and call `on_start`."""
        await super().startup(sockets)
        if self.started and not self.should_exit:
            self._on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End all work, so that its clients get a response, and then stop."""
        workers: Workers | None = getattr(self._app.state, "workers", None)
        if workers is not None:
            await workers.close()
        await super().shutdown(sockets)


class _Connection(H11Protocol):
    """A connection that is closed unless a request starts in time."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.connections) > _MAX_CONNECTIONS:
            transport.close()
            return
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(_SECONDS_TO_REQUEST, self._close_if_idle)

    def connection_lost(self, exc: Exception | None) -> None:
        if hasattr(self, "_timer"):
            self._timer.cancel()
        super().connection_lost(exc)

    def _close_if_idle(self) -> None:
        if self.cycle is None:  # no request has begun
            self.transport.close()
