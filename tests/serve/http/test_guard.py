"""Bodies that are too slow or too large are refused, and the connection is closed."""

import asyncio

import pytest
from starlette.responses import PlainTextResponse

from thatch.serve.http.access import Access
from thatch.serve.http.guard import Guard
from thatch.serve.limits import Limits

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


def seconds_for(is_complete):
    """A limit that is reached at once, if it must be, and never otherwise."""
    return 600 if is_complete else 0.01


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
        max_seconds=seconds_for(is_complete),
    )
    assert status == 413
    assert (headers.get(b"connection") == b"close") == (not is_complete)


def test_a_declared_length_is_refused_before_anything_is_read():
    length = [(b"content-length", b"99999999999")]
    status, _ = answer(is_complete=False, headers=length, max_seconds=0.01)
    assert status == 413


@pytest.mark.parametrize("is_complete", [True, False])
def test_the_body_of_another_site_is_read_before_the_response(is_complete):
    site = [(b"origin", b"http://evil.example")]
    status, headers = answer(
        b"a",
        is_complete=is_complete,
        headers=site,
        max_seconds=seconds_for(is_complete),
    )
    assert status == 403
    assert (headers.get(b"connection") == b"close") == (not is_complete)


def test_bodies_that_were_rejected_do_not_count_as_bodies_in_memory():
    limits = Limits(max_megabytes=0.1)
    large = b"a" * (limits.max_bytes + 1)

    async def main():
        guard = Guard(PlainTextResponse("fine"), limits, Access())
        is_draining = [asyncio.Event() for _ in range(20)]

        def slow(waits):
            pieces = [large]

            async def receive():
                if not pieces:
                    waits.set()
                    await asyncio.Event().wait()
                return {
                    "type": "http.request",
                    "body": pieces.pop(),
                    "more_body": True,
                }

            return receive

        async def honest():
            return {"type": "http.request", "body": large[:-2]}

        sent = []

        async def send(message):
            sent.append(message)

        rejected = [
            asyncio.ensure_future(guard(POST, slow(waits), send))
            for waits in is_draining
        ]
        for waits in is_draining:
            await waits.wait()
        await guard(POST, honest, send)
        assert [each["status"] for each in sent if "status" in each] == [200]
        for each in rejected:
            each.cancel()
        await asyncio.gather(*rejected, return_exceptions=True)

    asyncio.run(main())
