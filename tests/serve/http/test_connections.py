"""Connections of slow and idle clients make room for others."""

import asyncio
import json
import logging
from contextlib import asynccontextmanager, suppress
from functools import partial

import httpx
import pytest
import uvicorn
from servers import is_own_address
from starlette.responses import PlainTextResponse
from uvicorn.server import ServerState

from thatch.serve.http.connections import Connection, Connections, Phase

REQUEST = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
HALF_HEADER = b"GET / HTTP/1.1\r\nHost:"
HALF_BODY = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc"
CHUNKED = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"


class Served:
    """A server of a small application, in this process."""

    def __init__(self, connections):
        self.connections = connections
        self.protocols = []
        self.writers = []
        self.release = asyncio.Event()

    async def app(self, scope, receive, send):
        """Respond with the length of the body; /wait waits, /large is 64 MiB."""
        size = 0
        while True:
            message = await receive()
            size += len(message.get("body", b""))
            if not message.get("more_body", False):
                break
        if scope["path"] == "/wait":
            await self.release.wait()
        text = "a" * 2**26 if scope["path"] == "/large" else str(size)
        await PlainTextResponse(text)(scope, receive, send)

    async def client(self, content=b"", host="127.0.0.1"):
        """A client that has sent some bytes, which the server has parsed."""
        known = len(self.protocols)
        reader, writer = await asyncio.open_connection(
            *self.address, local_addr=(host, 0)
        )
        self.writers.append(writer)
        writer.write(content)
        await until(lambda: len(self.protocols) > known)
        protocol = self.protocols[known]
        await until(lambda: not content or protocol.phase is not Phase.IDLE)
        return reader, writer, protocol


async def until(condition):
    while not condition():
        await asyncio.sleep(0)


@asynccontextmanager
async def served(*limits, **options):
    one = Served(Connections(*limits, **options))
    config = uvicorn.Config(
        one.app,
        http=partial(Connection, one.connections),
        lifespan="off",
        ws="none",
        interface="asgi3",
        log_level="error",
    )
    config.load()
    state = ServerState()

    def protocol():
        made = config.http_protocol_class(
            config=config, server_state=state, app_state={}
        )
        one.protocols.append(made)
        return made

    server = await asyncio.get_running_loop().create_server(protocol, "127.0.0.1", 0)
    one.address = server.sockets[0].getsockname()
    try:
        yield one
    finally:
        one.release.set()
        server.close()
        for each in one.protocols:
            each.transport.abort()
        for each in one.writers:
            each.close()
        await asyncio.gather(*state.tasks)


def run(scenario, *limits, **options):
    async def main():
        async with asyncio.timeout(300), served(*limits, **options) as server:
            return await scenario(server)

    return asyncio.run(main())


@pytest.mark.parametrize("start", [b"", HALF_HEADER, HALF_BODY, CHUNKED])
def test_a_new_client_is_served_in_place_of_the_one_that_waits_longest(start):
    async def scenario(server):
        first, second = [await server.client(start) for _ in range(2)]
        reader, _, _ = await server.client(REQUEST)
        assert await reader.read(12) == b"HTTP/1.1 200"
        assert await first[0].read() == b""
        assert not second[0].at_eof()
        assert len(server.connections) == 2

    run(scenario, 10, 2)


def test_idle_connections_after_a_first_request_make_room_too():
    async def scenario(server):
        for _ in range(5):
            reader, writer, protocol = await server.client(REQUEST)
            assert await reader.read(12) == b"HTTP/1.1 200"
            writer.write(b"G")  # uvicorn waits without limit from here
            await until(lambda held=protocol: held.phase is Phase.HEADER)
        assert len(server.connections) == 2

    run(scenario, 10, 2)


def test_a_request_that_the_server_works_on_is_not_closed():
    async def scenario(server):
        waiting = await server.client(REQUEST.replace(b"/ ", b"/wait ", 1))
        idle = await server.client()
        await server.client(HALF_HEADER)
        assert await idle[0].read() == b""
        server.release.set()
        assert await waiting[0].read(12) == b"HTTP/1.1 200"

    run(scenario, 10, 2)


def test_a_new_client_is_closed_if_all_others_wait_for_the_server():
    async def scenario(server):
        wait = REQUEST.replace(b"/ ", b"/wait ", 1)
        others = [await server.client(wait) for _ in range(2)]
        reader, _, _ = await server.client()
        assert await reader.read() == b""
        server.release.set()
        for other, *_ in others:
            assert await other.read(12) == b"HTTP/1.1 200"

    run(scenario, 10, 2)


@pytest.mark.skipif(
    not is_own_address("127.0.0.2"), reason="needs several loopback addresses"
)
def test_the_address_with_the_most_connections_makes_room():
    async def scenario(server):
        few = await server.client()
        many = [await server.client(host="127.0.0.2") for _ in range(3)]
        await server.client(host="127.0.0.3")
        assert await many[0][0].read() == b""
        assert not few[0].at_eof()
        assert len(server.connections) == 4

    run(scenario, 4, 4)


@pytest.mark.parametrize(
    ("start", "phase", "answer"),
    [
        (b"", Phase.IDLE, b""),
        (HALF_HEADER, Phase.HEADER, b"HTTP/1.1 408"),
    ],
)
def test_a_client_that_is_too_late_is_closed(start, phase, answer):
    async def scenario(server):
        reader, _, _ = await server.client(start)
        server.connections.close_late()
        assert (await reader.read())[:12] == answer
        assert len(server.connections) == 0

    run(scenario, max_lateness={phase: -1})


def test_the_header_of_a_later_request_has_a_limit_too():
    async def scenario(server):
        reader, writer, protocol = await server.client(REQUEST)
        assert await reader.read(12) == b"HTTP/1.1 200"
        writer.write(HALF_HEADER)
        await until(lambda: protocol.phase is Phase.HEADER)
        server.connections.close_late()
        assert b"HTTP/1.1 408" in await reader.read()

    run(scenario, max_lateness={Phase.HEADER: -1})


def test_a_client_that_does_not_read_its_response_is_closed():
    async def scenario(server):
        start = REQUEST.replace(b"/ ", b"/large ", 1)
        _, _, protocol = await server.client(start)
        await until(lambda: protocol.transport.get_write_buffer_size())
        await until(lambda: server.connections.close_late() or not server.connections)

    run(scenario, max_lateness={Phase.SENDING: -1e9})


def test_chunks_of_one_byte_are_read_in_turns_and_completely():
    async def scenario(server):
        reader, writer, _ = await server.client(CHUNKED)
        writer.write(b"1\r\na\r\n" * 20_000 + b"0\r\n\r\n")
        other, _, _ = await server.client(REQUEST)
        assert await other.read(12) == b"HTTP/1.1 200"
        assert b"\r\n\r\n20000" in await reader.readuntil(b"20000")

    run(scenario)


def test_a_large_body_is_read_completely():
    async def scenario(server):
        size = 2**24
        head = f"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: {size}\r\n\r\n"
        reader, writer, _ = await server.client(head.encode())
        writer.write(b"a" * size)
        assert str(size).encode() in await reader.readuntil(str(size).encode())

    run(scenario)


@pytest.mark.parametrize(
    "content",
    [
        b"\0\1\2\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        CHUNKED + b"x\r\n",
    ],
)
def test_what_is_not_http_gets_a_response_as_json(content):
    async def scenario(server):
        reader, _, _ = await server.client(content)
        answer = await reader.read()
        assert answer.startswith(b"HTTP/1.1 400")
        assert b'"hint"' in answer

    run(scenario)


def test_a_connection_that_cannot_be_closed_does_not_protect_the_others():
    def fail():
        raise ValueError("broken")

    async def scenario(server):
        clients = [await server.client(HALF_HEADER) for _ in range(3)]
        for _, _, protocol in clients[:2]:  # the order of a set is not known
            protocol.close_if_late = fail
        server.connections.close_late()
        assert (await clients[2][0].read())[:12] == b"HTTP/1.1 408"
        for reader, *_ in clients[:2]:
            with suppress(ConnectionResetError):
                assert await reader.read() == b""
        await until(lambda: not server.connections)

    run(scenario, max_lateness={Phase.HEADER: -1})


class Log(logging.Handler):
    """A log whose entries are kept."""

    def __init__(self):
        super().__init__()
        self.entries = []
        self.logger = logging.Logger("test")
        self.logger.addHandler(self)

    def emit(self, record):
        self.entries.append(json.loads(record.getMessage()))


@pytest.mark.parametrize(
    ("start", "lateness", "status"),
    [(HALF_HEADER, {Phase.HEADER: -1}, 408), (b"\0\1\2\r\n\r\n", {}, 400)],
)
def test_a_response_that_no_application_made_is_logged(start, lateness, status):
    log = Log()

    async def scenario(server):
        reader, _, _ = await server.client(start)
        server.connections.close_late()
        await reader.read()

    run(scenario, max_lateness=lateness, log=log.logger)
    (entry,) = log.entries
    assert (entry["address"], entry["status"]) == ("127.0.0.1", status)
    assert entry["seconds"] >= 0
    assert entry["reason"]


def test_a_connection_that_is_closed_to_make_room_is_logged():
    log = Log()

    async def scenario(server):
        first, *_ = [await server.client(HALF_HEADER) for _ in range(3)]
        assert await first[0].read() == b""

    run(scenario, 10, 2, log=log.logger)
    (entry,) = log.entries
    assert (entry["address"], entry["status"]) == ("127.0.0.1", None)


def test_an_idle_connection_that_is_closed_is_not_logged():
    log = Log()

    async def scenario(server):
        reader, _, _ = await server.client()
        server.connections.close_late()
        assert await reader.read() == b""

    run(scenario, max_lateness={Phase.IDLE: -1}, log=log.logger)
    assert log.entries == []


HEAD = b"POST /api/summarize HTTP/1.1\r\nHost: 127.0.0.1\r\n"
JSON = b"Content-Type: application/json\r\n"
HEALTH = b"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
HOSTILE = {
    "slow header": HEAD,
    "slow body": HEAD + JSON + b"Content-Length: 100000\r\n\r\n{",
    # One byte of the next request ends the time limit of idle connections in uvicorn.
    "idle": HEALTH + b"G",
    "endless chunks": HEAD + JSON + b"Transfer-Encoding: chunked\r\n\r\n",
}


async def hold(kind, reader, writer):
    """Keep a connection open until the server closes it."""
    with suppress(OSError):
        while kind == "endless chunks":
            writer.write(b"1\r\n \r\n" * 1000)
            await writer.drain()
        await reader.read()


@pytest.mark.slow
def test_a_thousand_hostile_connections_do_not_lock_out_honest_callers(server):
    request = {"documents": "Snow fell all day. Nobody came.", "budget": 5}

    async def honest():
        async with httpx.AsyncClient(base_url=server.address, timeout=300) as client:
            answer = await client.post("/api/summarize", json=request)
            return answer.status_code

    async def main():
        host, port = server.address.removeprefix("http://").split(":")
        opened = []
        for kind in [*HOSTILE] * 275:
            reader, writer = await asyncio.open_connection(host, port)
            writer.write(HOSTILE[kind])
            opened.append((kind, reader, writer))
        # Not before all are open: the first ones would be closed meanwhile.
        tasks = [asyncio.create_task(hold(*each)) for each in opened]
        try:
            return await asyncio.gather(*(honest() for _ in range(20)))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for _, _, writer in opened:
                writer.transport.abort()

    assert asyncio.run(main()) == [200] * 20
