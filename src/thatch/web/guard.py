"""What stands before every request: who may ask, and how much at a time."""

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

__all__ = ["Guard", "failure"]

_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data:; style-src 'self'; "
        "script-src 'self'; object-src 'none'; base-uri 'none'; "
        "form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    # A page from an older thatch would not know a newer one's answers.
    "Cache-Control": "no-cache",
}
# Requests that are being read may together be so many times as large as one.
_MOST_AT_ONCE = 8
# Of a request that is refused, so many times the limit is read before the answer, since
# callers that are cut off while they send do not see one.
_MOST_DRAINED = 8


def failure(status: int, message: str, hint: str) -> Response:
    """Response that says what is wrong, and what to do."""
    headers = {"Retry-After": "2"} if status == HTTPStatus.SERVICE_UNAVAILABLE else None
    return Response(
        as_json(Failure(message, hint)).encode(errors="replace"),
        status_code=status,
        headers=headers,
        media_type="application/json",
    )


class Guard:
    """Turns away strangers and requests that are too large; reads the others whole.

    Parameters
    ----------
    app
        What answers the others.
    limits
        How large a request may be, and how long it may take to arrive.
    hosts
        The names under which the server may be asked; any if there are none. A page
        from elsewhere that has its name point here is asking under its own.
    """

    def __init__(self, app: ASGIApp, limits: Limits, hosts: Iterable[str]) -> None:
        self._app = app
        self._limits = limits
        self._hosts = frozenset(hosts)
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        refusal = self._refusal(Headers(scope=scope))
        if refusal is not None:
            await self._drain(receive)
            await refusal(scope, receive, send_with_headers)
            return
        await self._read_and_answer(scope, receive, send_with_headers)

    def _refusal(self, headers: Headers) -> Response | None:
        host = headers.get("host", "").rpartition(":")
        name = host[0] if host[2].isdigit() else headers.get("host", "")
        if self._hosts and name.lower() not in self._hosts:
            return failure(
                HTTPStatus.MISDIRECTED_REQUEST,
                f"the host must be one of {', '.join(sorted(self._hosts))}, "
                f"got {name!r:.100}.",
                "Open the address that thatch serve printed.",
            )
        if headers.get("sec-fetch-site") == "cross-site":
            return failure(
                HTTPStatus.FORBIDDEN,
                "requests must come from this server's own page or from a program, "
                "got one from another site.",
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
            f"a request must have {most:g} MiB or less, got more.",
            "Send less at a time, or start thatch serve with --max-megabytes.",
        )

    async def _read_and_answer(
        self, scope: Scope, receive: Receive, send: Send
    ) -> None:
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self._limits.max_seconds):
                has_more = True
                while has_more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return
                    part = message.get("body", b"")
                    size += len(part)
                    self._held += len(part)
                    parts.append(part)
                    refusal = self._refusal_of_body(size)
                    if refusal is not None:
                        await self._drain(receive)
                        await refusal(scope, receive, send)
                        return
                    has_more = message.get("more_body", False)
            await self._app(scope, _again(b"".join(parts), receive), send)
        except TimeoutError:
            await failure(
                HTTPStatus.REQUEST_TIMEOUT,
                f"a request must arrive within {self._limits.max_seconds:g} seconds.",
                "Send it again.",
            )(scope, receive, send)
        finally:
            self._held -= size

    def _refusal_of_body(self, size: int) -> Response | None:
        if size > self._limits.max_bytes:
            return self._too_large()
        if self._held > _MOST_AT_ONCE * self._limits.max_bytes:
            return failure(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "Too many large requests arrive at once.",
                "Try again in a few seconds.",
            )
        return None

    async def _drain(self, receive: Receive) -> None:
        """Let a caller finish sending, so that it comes to read the answer."""
        drained = 0
        try:
            async with asyncio.timeout(self._limits.max_seconds):
                while drained < _MOST_DRAINED * self._limits.max_bytes:
                    message = await receive()
                    drained += len(message.get("body", b""))
                    if not message.get("more_body", False):
                        return
        except TimeoutError:
            return


def _again(body: bytes, receive: Receive) -> Receive:
    """What gives the body once, and then whatever else is received."""
    is_given = False

    async def give() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return give
