"""Middleware that rejects cross-site requests and requests that are too large."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from http import HTTPStatus
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from thatch.answers import Failure, as_json
from thatch.service.limits import Limits

__all__ = ["Guard", "failure", "json_response"]

_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data:; style-src 'self'; "
        "script-src 'self'; object-src 'none'; base-uri 'none'; "
        "form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    # A cached page of an older version might not understand the API.
    "Cache-Control": "no-cache",
}
# Total size of the bodies in memory, as a multiple of the limit per request. Small
# requests are always accepted.
_MAX_TOTAL_SIZE, _SMALL = 8, 64 * 1024
# Clients that are cut off while they send do not read the response, so up to this
# multiple of the limit is read from a rejected request first.
_MAX_DRAINED = 8
# Response to a client that has disconnected.
_NO_CLIENT: Final = Response(status_code=HTTPStatus.NO_CONTENT)


def json_response(body: bytes, status: int, *, is_busy: bool = False) -> Response:
    """JSON response; if the server is busy, with the time to retry after."""
    headers = {"Retry-After": "2"} if is_busy else None
    return Response(
        body, status_code=status, headers=headers, media_type="application/json"
    )


def failure(status: int, message: str, hint: str) -> Response:
    """Response with an error and a hint."""
    body = as_json(Failure(message, hint)).encode(errors="replace")
    return json_response(body, status, is_busy=status == HTTPStatus.SERVICE_UNAVAILABLE)


class Guard:
    """Rejects requests from other sites and oversized ones; reads the others whole.

    Parameters
    ----------
    app
        Application that receives the accepted requests.
    limits
        Maximum size of a request, and the time limit for receiving it.
    hosts
        Accepted host names; empty to accept any. This protects against DNS rebinding,
        where another site's name resolves to this server.
    """

    def __init__(self, app: ASGIApp, limits: Limits, hosts: Iterable[str]) -> None:
        self._app = app
        self._limits = limits
        self._hosts = frozenset(hosts)
        self._total_size = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        rejection = self._rejection(Headers(scope=scope), method=scope["method"])
        if rejection is not None:
            await self._drain(receive)
            await rejection(scope, receive, send_with_headers)
            return
        try:
            await self._read_and_answer(scope, receive, send_with_headers)
        except asyncio.CancelledError:
            # The server is shutting down, and its grace period is over.
            await failure(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "The server is stopping.",
                "Start it again.",
            )(scope, receive, send_with_headers)

    def _rejection(self, headers: Headers, *, method: str) -> Response | None:
        host = headers.get("host", "").rpartition(":")
        name = host[0] if host[2].isdigit() else headers.get("host", "")
        if self._hosts and name.lower() not in self._hosts:
            return failure(
                HTTPStatus.MISDIRECTED_REQUEST,
                f"host {name!r:.100} is not one of {', '.join(sorted(self._hosts))}.",
                "Open the address that thatch serve printed.",
            )
        # Links from other sites are allowed.
        is_link = method == "GET" and headers.get("sec-fetch-mode") == "navigate"
        is_own = headers.get("sec-fetch-site", "none") in ("none", "same-origin")
        if not (is_own or is_link):
            return failure(
                HTTPStatus.FORBIDDEN,
                "Cross-site requests are not allowed.",
                "Open the address that thatch serve printed.",
            )
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length) > self._limits.max_bytes:
            return self._too_large()
        return None

    def _too_large(self) -> Response:
        most = self._limits.max_bytes / 2**20
        return failure(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            f"The request exceeds {most:g} MiB.",
            "Send less at a time, or start thatch serve with a larger --max-megabytes.",
        )

    async def _read_and_answer(
        self, scope: Scope, receive: Receive, send: Send
    ) -> None:
        body = bytearray()
        try:
            rejection = await self._read(receive, body)
            if rejection is not None:
                await rejection(scope, receive, send)
            else:
                await self._app(scope, _replay(body, receive), send)
        finally:
            self._total_size -= len(body)

    async def _read(self, receive: Receive, body: bytearray) -> Response | None:
        """Read the whole body; return a response if the request is rejected."""
        try:
            async with asyncio.timeout(self._limits.max_seconds):
                has_more = True
                while has_more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return _NO_CLIENT
                    chunk = message.get("body", b"")
                    body += chunk
                    self._total_size += len(chunk)
                    has_more = message.get("more_body", False)
                    rejection = self._rejection_of_body(len(body))
                    if rejection is not None:
                        break
                else:
                    return None
        except TimeoutError:
            return failure(
                HTTPStatus.REQUEST_TIMEOUT,
                f"The request did not arrive within {self._limits.max_seconds:g} s.",
                "Send it again.",
            )
        if has_more:
            await self._drain(receive)
        return rejection

    def _rejection_of_body(self, size: int) -> Response | None:
        if size > self._limits.max_bytes:
            return self._too_large()
        if (
            size > _SMALL
            and self._total_size > _MAX_TOTAL_SIZE * self._limits.max_bytes
        ):
            return failure(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "Too many large requests at the same time.",
                "Try again in a few seconds.",
            )
        return None

    async def _drain(self, receive: Receive) -> None:
        """Let the client finish sending, so that it reads the response."""
        drained = 0
        try:
            async with asyncio.timeout(self._limits.max_seconds):
                while drained < _MAX_DRAINED * self._limits.max_bytes:
                    message = await receive()
                    drained += len(message.get("body", b""))
                    if not message.get("more_body", False):
                        return
        except TimeoutError:
            return


def _replay(body: bytearray, receive: Receive) -> Receive:
    """Return the body once, and then what else is received."""
    is_replayed = False

    async def receive_again() -> Message:
        nonlocal is_replayed
        if is_replayed:
            return await receive()
        is_replayed = True
        return {"type": "http.request", "body": bytes(body), "more_body": False}

    return receive_again
