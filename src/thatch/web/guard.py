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

__all__ = ["Guard", "failure", "json_response"]

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
# Requests that are being read or answered may together be so many times as large as
# one may; those that are small are always let in.
_MOST_AT_ONCE, _SMALL = 8, 64 * 1024
# Of a request that is refused, so many times the limit is read before the answer, since
# callers that are cut off while they send do not see one.
_MOST_DRAINED = 8
# To a caller who has left.
_NOBODY: Final = Response(status_code=HTTPStatus.NO_CONTENT)


def json_response(body: bytes, status: int, *, is_busy: bool = False) -> Response:
    """Response of JSON; if the server is busy, it says when to try again."""
    headers = {"Retry-After": "2"} if is_busy else None
    return Response(
        body, status_code=status, headers=headers, media_type="application/json"
    )


def failure(status: int, message: str, hint: str) -> Response:
    """Response that says what is wrong, and what to do."""
    body = as_json(Failure(message, hint)).encode(errors="replace")
    return json_response(body, status, is_busy=status == HTTPStatus.SERVICE_UNAVAILABLE)


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

        refusal = self._refusal(Headers(scope=scope), method=scope["method"])
        if refusal is not None:
            await self._drain(receive)
            await refusal(scope, receive, send_with_headers)
            return
        try:
            await self._read_and_answer(scope, receive, send_with_headers)
        except asyncio.CancelledError:
            # The server stops, and has waited for this one as long as it would.
            await failure(
                HTTPStatus.SERVICE_UNAVAILABLE, "The server is stopping.", "Start it."
            )(scope, receive, send_with_headers)

    def _refusal(self, headers: Headers, *, method: str) -> Response | None:
        host = headers.get("host", "").rpartition(":")
        name = host[0] if host[2].isdigit() else headers.get("host", "")
        if self._hosts and name.lower() not in self._hosts:
            return failure(
                HTTPStatus.MISDIRECTED_REQUEST,
                f"the host must be one of {', '.join(sorted(self._hosts))}, "
                f"got {name!r:.100}.",
                "Open the address that thatch serve printed.",
            )
        # A link that somebody follows from elsewhere is welcome.
        is_link = method == "GET" and headers.get("sec-fetch-mode") == "navigate"
        is_own = headers.get("sec-fetch-site", "none") in ("none", "same-origin")
        if not (is_own or is_link):
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
        body = bytearray()
        try:
            refusal = await self._read(receive, body)
            if refusal is not None:
                await refusal(scope, receive, send)
            else:
                await self._app(scope, _again(body, receive), send)
        finally:
            self._held -= len(body)

    async def _read(self, receive: Receive, body: bytearray) -> Response | None:
        """Read a body whole; a response if that is refused."""
        try:
            async with asyncio.timeout(self._limits.max_seconds):
                has_more = True
                while has_more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return _NOBODY
                    part = message.get("body", b"")
                    body += part
                    self._held += len(part)
                    has_more = message.get("more_body", False)
                    refusal = self._refusal_of_body(len(body))
                    if refusal is not None:
                        break
                else:
                    return None
        except TimeoutError:
            return failure(
                HTTPStatus.REQUEST_TIMEOUT,
                f"a request must arrive within {self._limits.max_seconds:g} seconds.",
                "Send it again.",
            )
        if has_more:
            await self._drain(receive)
        return refusal

    def _refusal_of_body(self, size: int) -> Response | None:
        if size > self._limits.max_bytes:
            return self._too_large()
        if size > _SMALL and self._held > _MOST_AT_ONCE * self._limits.max_bytes:
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


def _again(body: bytearray, receive: Receive) -> Receive:
    """What gives the body once, and then whatever else is received."""
    is_given = False

    async def give() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": bytes(body), "more_body": False}

    return give
