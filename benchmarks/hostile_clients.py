"""How long honest calls take while hostile clients hold connections to the server.

    python benchmarks/hostile_clients.py --connections 1000

Starts ``thatch serve`` on a free port of this machine, and opens connections of four
kinds: headers that never end, bodies that arrive byte by byte, idle connections, and
bodies in endless chunks of one byte. Connections that the server closes are opened
again. Meanwhile, 20 callers summarize a short text, each on a new connection. Nothing
but this machine is contacted.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import get_context

HOST = "127.0.0.1"
MAX_CONNECTIONS, MAX_ADDRESSES, MAX_SECONDS = 5000, 200, 300.0
NUM_CALLERS, SECONDS_BETWEEN_CALLS = 20, 0.5
# Time for the hostile clients to connect before the first call.
SECONDS_TO_CONNECT = 4.0
MAX_SECONDS_TO_RECONNECT = 1.0
POST = f"POST /api/summarize HTTP/1.1\r\nHost: {HOST}\r\n".encode()
JSON = b"Content-Type: application/json\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
CHUNK = b"1\r\n \r\n"
BODY = json.dumps({"documents": "Snow fell all day. Nobody came.", "budget": 5})


async def repeat(
    writer: asyncio.StreamWriter, piece: bytes, *, seconds_between: float
) -> None:
    while True:
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(seconds_between)


async def slow_header(writer: asyncio.StreamWriter) -> None:
    writer.write(POST)
    await repeat(writer, b"X-A: b\r\n", seconds_between=1.0)


async def slow_body(writer: asyncio.StreamWriter) -> None:
    writer.write(POST + JSON + b"Content-Length: 100000\r\n\r\n")
    await repeat(writer, b" ", seconds_between=0.5)


async def idle(writer: asyncio.StreamWriter) -> None:
    writer.write(f"GET /api/health HTTP/1.1\r\nHost: {HOST}\r\n\r\nG".encode())
    await asyncio.Event().wait()


async def slow_chunks(writer: asyncio.StreamWriter) -> None:
    writer.write(POST + JSON + CHUNKED)
    await repeat(writer, CHUNK, seconds_between=0.2)


async def fast_chunks(writer: asyncio.StreamWriter) -> None:
    writer.write(POST + JSON + CHUNKED)
    await repeat(writer, 2000 * CHUNK, seconds_between=0.0)


async def hold(
    send: Callable[[asyncio.StreamWriter], Awaitable[None]],
    source: str,
    port: int,
    end: float,
) -> None:
    """Keep one hostile connection open, again and again."""
    loop = asyncio.get_running_loop()
    while loop.time() < end:
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout_at(end):
                reader, writer = await asyncio.open_connection(
                    HOST, port, local_addr=(source, 0)
                )
                tasks = {
                    asyncio.ensure_future(send(writer)),
                    asyncio.ensure_future(closed(reader)),
                }
                try:
                    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    for task in tasks:
                        task.cancel()
                    await asyncio.gather(*tasks, return_exceptions=True)
                    writer.transport.abort()
        await asyncio.sleep(MAX_SECONDS_TO_RECONNECT * random.random())


async def closed(reader: asyncio.StreamReader) -> None:
    while await reader.read(4096):
        pass


def attack(
    port: int, seconds: float, connections: int, addresses: int, is_fast: bool
) -> None:
    """Hold connections, in a process of its own."""
    kinds = (slow_header, slow_body, idle, fast_chunks if is_fast else slow_chunks)

    async def main() -> None:
        end = asyncio.get_running_loop().time() + seconds
        await asyncio.gather(
            *(
                hold(kinds[k % 4], f"127.0.0.{1 + k // 4 % addresses}", port, end)
                for k in range(connections)
            )
        )

    asyncio.run(main())


def calls(port: int, end: float) -> list[tuple[float, str]]:
    """Duration and outcome of every call of one caller."""
    found = []
    while time.monotonic() < end:
        start = time.perf_counter()
        connection = http.client.HTTPConnection(HOST, port, timeout=10)
        try:
            headers = {"Content-Type": "application/json"}
            connection.request("POST", "/api/summarize", BODY, headers)
            response = connection.getresponse()
            response.read()
            outcome = str(response.status)
        except (OSError, http.client.HTTPException) as error:
            outcome = type(error).__name__
        finally:
            connection.close()
        found.append((time.perf_counter() - start, outcome))
        time.sleep(SECONDS_BETWEEN_CALLS)
    return found


@contextmanager
def served() -> Iterator[int]:
    """Port of a server that runs within the block."""
    program = "from thatch.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", program, "serve", "--port", "0", "--workers", "2"],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        address = re.search(rf"http://{re.escape(HOST)}:(\d+)", line)
        if address is None:
            sys.exit(f"the server did not start: {line}")
        yield int(address[1])
    finally:
        process.terminate()
        process.communicate(timeout=30)


def within(least: float, most: float) -> Callable[[str], float]:
    def number(text: str) -> float:
        value = float(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{text} is not in {least:g} to {most:g}")
        return value

    return number


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("--connections", type=within(0, MAX_CONNECTIONS), default=1000)
    add("--addresses", type=within(1, MAX_ADDRESSES), default=1)
    add("--seconds", type=within(1, MAX_SECONDS), default=20.0)
    add("--fast", action="store_true", help="send chunks without pauses")
    given = parser.parse_args()
    with served() as port:
        seconds = SECONDS_TO_CONNECT + given.seconds
        counts = (int(given.connections), int(given.addresses))
        hostile = get_context("spawn").Process(
            target=attack, args=(port, seconds, *counts, given.fast)
        )
        hostile.start()
        time.sleep(SECONDS_TO_CONNECT)
        end = time.monotonic() + given.seconds
        with ThreadPoolExecutor(NUM_CALLERS) as pool:
            callers = [pool.submit(calls, port, end) for _ in range(NUM_CALLERS)]
        hostile.join()
    made = [call for caller in callers for call in caller.result()]
    durations = sorted(duration for duration, _ in made)
    print(f"{counts[0]} hostile connections from {counts[1]} addresses")
    print(f"outcomes of {len(made)} calls: {dict(Counter(each for _, each in made))}")
    for name, share in (("p50", 0.5), ("p95", 0.95), ("max", 1.0)):
        place = min(int(share * len(durations)), len(durations) - 1)
        print(f"{name}: {durations[place]:.3f} s")


if __name__ == "__main__":
    main()
