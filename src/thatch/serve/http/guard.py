"""Middleware that rejects requests that are not allowed, too large or too slow."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from http import HTTPStatus
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from thatch.serve.http.access import Access
from thatch.serve.http.rate_limiting import RateLimiter
from thatch.serve.http.responses import NO_CLIENT, failure
from thatch.serve.limits import Limits

#: Bytes per second below which a client falls behind.
MIN_RATE: Final = 1024
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


class _BodyDeadline:
    """How long to wait for the rest of a body: longer, the more has arrived."""

    def __init__(self, max_seconds: float) -> None:
        self._start = asyncio.get_running_loop().time()
        self._max_seconds = max_seconds
        self._received = 0
        self.timeout = asyncio.timeout_at(self._deadline)

    def extend(self, num_bytes: int) -> None:
        """Add the time that these bytes would take at the minimum rate."""
        self._received += num_bytes
        self.timeout.reschedule(self._deadline)

    @property
    def _deadline(self) -> float:
        # A client may fall ten seconds behind with a body.
        seconds = 10.0 + self._received / MIN_RATE
        return self._start + min(seconds, self._max_seconds)


class Guard:
    """Rejects requests that are not allowed; reads the others whole."""

    def __init__(self, app: ASGIApp, limits: Limits, access: Access) -> None:
        self._app = app
        self._limits = limits
        self._access = access
        self._total_size = 0
        rate = limits.rate_limit
        self._limiter = None if rate is None else RateLimiter(rate)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        limiter = self._limiter
        rejection = (
            (None if limiter is None else limiter.rejection(scope))
            or self._access.rejection(scope)
            or self._rejection_of_length(scope)
        )
        if rejection is not None:
            await self._drain(receive, rejection)
            await rejection(scope, receive, send_with_headers)
            return
        try:
            with nullcontext() if limiter is None else limiter.handling(scope):
                await self._read_and_answer(scope, receive, send_with_headers)
        except asyncio.CancelledError:
            # The server is shutting down, and its grace period is over.
            await failure(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "The server is stopping.",
                "Try again later.",
            )(scope, receive, send_with_headers)

    def _rejection_of_length(self, scope: Scope) -> Response | None:
        length = Headers(scope=scope).get("content-length", "0")
        is_large = length.isdecimal() and int(length) > self._limits.max_bytes
        return self._too_large() if is_large else None

    def _too_large(self) -> Response:
        most = self._limits.max_bytes / 2**20
        return failure(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            f"The request exceeds {most:g} MiB.",
            self._limits.hint("Send less at a time."),
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
        deadline = _BodyDeadline(self._limits.max_seconds)
        try:
            async with deadline.timeout:
                has_more = True
                while has_more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return NO_CLIENT
                    chunk = message.get("body", b"")
                    body += chunk
                    self._total_size += len(chunk)
                    deadline.extend(len(chunk))
                    has_more = message.get("more_body", False)
                    rejection = self._rejection_of_body(len(body))
                    if rejection is not None:
                        break
                else:
                    return None
        except TimeoutError:
            return _closing(
                failure(
                    HTTPStatus.REQUEST_TIMEOUT,
                    f"The body took longer than {self._limits.max_seconds:g} s, or "
                    f"arrived at less than {MIN_RATE} bytes per second.",
                    "Send it again.",
                )
            )
        # Other requests need the memory.
        self._total_size -= len(body)
        body.clear()
        if has_more:
            await self._drain(receive, rejection)
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

    async def _drain(self, receive: Receive, response: Response) -> None:
        """Let the client finish sending, so that it reads the response."""
        deadline = _BodyDeadline(self._limits.max_seconds)
        drained = 0
        try:
            # Clients that are cut off while they send do not read the response, so up
            # to this multiple of the limit is read from a rejected request first.
            async with deadline.timeout:
                while drained < 8 * self._limits.max_bytes:
                    message = await receive()
                    drained += len(message.get("body", b""))
                    deadline.extend(len(message.get("body", b"")))
                    if not message.get("more_body", False):
                        return
        except TimeoutError:
            pass
        _closing(response)


def _closing(response: Response) -> Response:
    """Mark a response after which the rest of the body is not read."""
    response.headers["Connection"] = "close"
    return response


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
