"""The access log: one JSON object per request, or connection closed without one."""

from __future__ import annotations

import json
import logging
import secrets
from datetime import UTC, datetime
from logging.handlers import WatchedFileHandler
from pathlib import Path
from time import perf_counter
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from thatch.errors import InputError


def access_logger(path: Path) -> logging.Logger:
    """Logger that appends lines to a file; ``-`` is standard error.

    The file is opened again if it is moved, as programs that rotate logs do.
    """
    logger = logging.Logger("thatch.access")
    try:
        logger.addHandler(
            logging.StreamHandler()
            if str(path) == "-"
            else WatchedFileHandler(path, encoding="utf-8")
        )
    except OSError as error:
        raise InputError(
            f"{path} cannot be written: {error.strerror or error}.",
            hint="Check the path and its permissions.",
        ) from None
    return logger


class AccessLog:
    """Middleware that logs each request, and adds its id to the response.

    Bodies, queries and headers are not logged: they contain texts and tokens.
    """

    def __init__(self, app: ASGIApp, logger: logging.Logger) -> None:
        self._app = app
        self._logger = logger

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start = perf_counter()
        request_id = secrets.token_hex(8)
        status: int | None = None
        num_bytes = 0

        async def count(message: Message) -> None:
            nonlocal status, num_bytes
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["X-Request-Id"] = request_id
            num_bytes += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receive, count)
        finally:
            self._log(
                scope,
                status=status,
                bytes=num_bytes,
                seconds=round(perf_counter() - start, 6),
                id=request_id,
            )

    def _log(self, scope: Scope, **measured: Any) -> None:
        max_characters = 1000
        _write(
            self._logger,
            scope.get("client"),
            method=scope["method"],
            path=scope["path"][:max_characters],
            **measured,
        )


def log_closed(
    logger: logging.Logger,
    client: tuple[str, int] | None,
    status: int | None,
    *,
    seconds: float,
    reason: str,
) -> None:
    """Log a connection that the server closed, and no request of which was accepted.

    The status is None if there was no response, and the seconds are those for which the
    server waited for the client.
    """
    _write(
        logger,
        client,
        method=None,
        path=None,
        status=status,
        seconds=round(seconds, 6),
        reason=reason,
    )


def _write(
    logger: logging.Logger, client: tuple[str, int] | None, **fields: Any
) -> None:
    entry = {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "address": client[0] if client else None,
        **fields,
    }
    logger.info(json.dumps(entry))
