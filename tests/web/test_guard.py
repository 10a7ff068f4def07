"""Bodies that are too slow or too large are refused, and the connection is closed."""

import asyncio

import pytest
from starlette.responses import PlainTextResponse

from thatch.service.limits import Limits
from thatch.web.access import Access
from thatch.web.guard import Guard

POST = {
    "type": "http",
    "method": "POST",
    "path": "/",
    "query_string": b"",
    "headers": [(b"host", b"127.0.0.1")],
}


def answer(*pieces, is_complete=True, headers=(), **limits):
    """Status and headers of the response to a body that arrives in pieces."""
    messages = [
        {"type": "http.request", "body": piece, "more_body": True} for piece in pieces
    ]
    if is_complete:
        messages.append({"type": "http.request", "body": b"", "more_body": False})
    sent = []

    async def receive():
        if not messages:
            await asyncio.Event().wait()  # the client sends nothing more
        return messages.pop(0)

    async def send(message):
        sent.append(message)

    async def main():
        guard = Guard(PlainTextResponse("fine"), Limits(**limits), Access())
        scope = POST | {"headers": [*POST["headers"], *headers]}
        await guard(scope, receive, send)

    asyncio.run(main())
    start = sent[0]
    return start["status"], dict(start["headers"])


def test_a_complete_body_is_passed_on():
    status, headers = answer(b"a", b"b")
    assert status == 200
    assert b"connection" not in headers


def test_a_body_that_never_ends_is_refused_and_its_connection_closed():
    status, headers = answer(b"a", is_complete=False, max_seconds=0.01)
    assert (status, headers[b"connection"]) == (408, b"close")


@pytest.mark.parametrize("is_complete", [True, False])
def test_the_connection_is_closed_unless_the_whole_body_was_read(is_complete):
    status, headers = answer(
        b"a" * 3000,
        is_complete=is_complete,
        max_megabytes=0.001,
        max_seconds=0.01,
    )
    assert status == 413
    assert (headers.get(b"connection") == b"close") == (not is_complete)


def test_a_declared_length_is_refused_before_anything_is_read():
    length = [(b"content-length", b"99999999999")]
    status, _ = answer(is_complete=False, headers=length, max_seconds=0.01)
    assert status == 413


def test_a_response_to_another_site_does_not_wait_for_its_body():
    site = [(b"origin", b"http://evil.example")]
    status, headers = answer(b"a", is_complete=False, headers=site, max_seconds=0.01)
    assert (status, headers[b"connection"]) == (403, b"close")
