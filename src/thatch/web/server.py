"""The server: starts and stops the application, and turns idle callers away."""

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

# How long requests may take to end once the server is asked to stop.
_SECONDS_TO_STOP = 3
# Callers at once; more are hung up on.
_MOST_CONNECTIONS = 512
# How long a caller may be connected before it has asked for anything.
_SECONDS_TO_ASK = 30.0


class Server(uvicorn.Server):
    """What ``thatch serve`` runs.

    Parameters
    ----------
    limits
        How much callers may ask for.
    is_local
        Whether only this machine can reach it: then it answers to no other name.
    on_start
        Called when it is there to be asked.
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
        """Start, and tell."""
        await super().startup(sockets)
        if self.started and not self.should_exit:
            self._on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End all work, so that its callers are told, and then stop."""
        workers: Workers | None = getattr(self._app.state, "workers", None)
        if workers is not None:
            await workers.close()
        await super().shutdown(sockets)


class _Connection(H11Protocol):
    """A caller, who must ask for something to stay."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.connections) > _MOST_CONNECTIONS:
            transport.close()
            return
        loop = asyncio.get_running_loop()
        self._patience = loop.call_later(_SECONDS_TO_ASK, self._hang_up_on_the_silent)

    def connection_lost(self, exc: Exception | None) -> None:
        if hasattr(self, "_patience"):
            self._patience.cancel()
        super().connection_lost(exc)

    def _hang_up_on_the_silent(self) -> None:
        if self.cycle is None:  # no request has begun
            self.transport.close()
