"""Responses that all parts of the server send: JSON, and errors with a hint."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from starlette.responses import Response

from thatch.serve.answers.general import Failure, as_json

#: Response to a client that has disconnected. Nobody reads it; the status, which is
#: not a standard one, is for the access log.
NO_CLIENT: Final = Response(status_code=499)


def json_response(body: bytes, status: int, *, is_busy: bool = False) -> Response:
    """JSON response; if the server is busy, with the time to retry after."""
    headers = {"Retry-After": "2"} if is_busy else None
    return Response(
        body, status_code=status, headers=headers, media_type="application/json"
    )


def failure(
    status: int, message: str, hint: str, headers: Mapping[str, str] | None = None
) -> Response:
    """Response with an error and a hint."""
    body = as_json(Failure(message, hint)).encode(errors="replace")
    is_busy = status == HTTPStatus.SERVICE_UNAVAILABLE
    response = json_response(body, status, is_busy=is_busy)
    response.headers.update(headers or {})
    return response
