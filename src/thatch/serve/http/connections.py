"""Connections: how long each may wait for its client, and how many may be open.

uvicorn closes an idle connection after a while, but it waits without limit for the rest
of a header, and for a client to read its response. A client that opens many such
connections would lock out all others.
"""

from __future__ import annotations

import asyncio
import enum
from collections import defaultdict
from collections.abc import Mapping
from http import HTTPStatus
from logging import Logger
from math import inf
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from thatch.serve.http.access_log import log_closed
from thatch.serve.http.guard import MIN_RATE
from thatch.serve.http.listening import network_of
from thatch.serve.http.responses import failure
from thatch.serve.http.round_robin import SECONDS_PER_TURN, RoundRobin

# Bytes that are parsed at once: fewer, the longer they take.
_MIN_PIECE, _MAX_PIECE = 512, 256 * 1024
# Bodies are usually parsed within these seconds, or at this many bytes per second.
_USUAL_SECONDS, _USUAL_RATE = 0.004, 10e6


class Phase(enum.Enum):
    """What a connection waits for."""

    #: The first byte of a request.
    IDLE = "idle"
    #: The rest of a header.
    HEADER = "header"
    #: The rest of a body.
    BODY = "body"
    #: The server, to respond.
    WORKING = "working"
    #: The client, to read the response.
    SENDING = "sending"
    #: The client, to read what is left before the connection is closed.
    CLOSING = "closing"


_MAX_LATENESS: Final = {
    Phase.IDLE: 10.0,
    Phase.HEADER: 10.0,
    Phase.SENDING: 20.0,
    Phase.CLOSING: 20.0,
}


class Connections:
    """All open connections, and which of them to close if there are too many.

    A new connection is always accepted while another one waits for its client: the one
    that is furthest behind is closed, of the address that has the most connections. By
    default, one address may have half of all.

    A client may fall behind by some seconds in each phase. The guard limits bodies, and
    the workers limit their work; both respond with an error. Idle connections are
    closed without a line in the log.
    """

    def __init__(
        self,
        max_connections: int = 2048,
        max_per_address: int | None = None,
        max_lateness: Mapping[Phase, float] = _MAX_LATENESS,
        log: Logger | None = None,
    ) -> None:
        self._max_connections = max_connections
        self._max_per_address = max_per_address or max(max_connections // 2, 1)
        self.max_lateness = max_lateness
        self.log = log
        self._total = 0
        self._by_address: dict[str, _Group] = defaultdict(_Group)
        #: Turns of connections that are slow to parse.
        self.turns = RoundRobin()

    def __len__(self) -> int:
        return self._total

    def add(self, connection: Connection) -> None:
        """Add a new connection, and close another one if there are too many."""
        group = self._by_address[connection.address]
        group.members.add(connection)
        self._total += 1
        if len(group) > self._max_per_address:
            self._close_one(group, connection)
        elif self._total > self._max_connections:
            self._close_one(max(self._by_address.values(), key=len), connection)

    def remove(self, connection: Connection) -> None:
        """Remove a connection, if it has not been removed."""
        group = self._by_address.get(connection.address)
        if group is not None and connection in group.members:
            group.members.remove(connection)
            self._total -= 1
            if not group.members:
                del self._by_address[connection.address]

    def close_late(self) -> None:
        """Close all connections whose clients are too late."""
        for group in list(self._by_address.values()):
            group.forget_order()
            for connection in list(group.members):
                try:
                    connection.close_if_late()
                except Exception:  # the others must be closed nevertheless
                    connection.logger.exception("cannot close a late connection")
                    connection.transport.abort()

    def _close_one(self, group: _Group, newest: Connection) -> None:
        closed = group.furthest_behind(newest) or newest
        self.remove(closed)
        closed.close_now("There were too many connections.")


class _Group:
    """Connections from one address, and in which order to close them."""

    def __init__(self) -> None:
        self.members: set[Connection] = set()
        #: Some of them with their due times, latest first.
        self._order: list[tuple[float, Connection]] = []

    def __len__(self) -> int:
        return len(self.members)

    def furthest_behind(self, newest: Connection) -> Connection | None:
        """The connection that is furthest behind; None if all wait for the server.

        Sorting once for many calls is fast enough for thousands of calls per second.
        Connections that joined later are behind by less.
        """
        for is_sorted_again in (False, True):
            if is_sorted_again:
                waiting = ((each.due, each) for each in self.members - {newest})
                self._order = sorted(
                    (pair for pair in waiting if pair[0] < inf),
                    key=lambda pair: -pair[0],
                )
            while self._order:
                due, connection = self._order.pop()
                if connection in self.members and connection.due == due:
                    return connection
        return None

    def forget_order(self) -> None:
        """Let go of connections that have been closed."""
        self._order.clear()


class Connection(H11Protocol):
    """A connection that knows what it waits for, and since when."""

    def __init__(self, connections: Connections, **options: Any) -> None:
        super().__init__(**options)
        self._all = connections
        #: IP address of the client; the network of an IPv6 address.
        self.address = ""
        self._phase = Phase.IDLE
        self._since = self.loop.time()
        #: Bytes received in this phase.
        self._received = 0
        #: Most bytes that waited to be sent in this phase.
        self._most_unsent = 0
        #: Bytes received, but not yet parsed.
        self._unparsed = bytearray()
        self._piece_size = _MIN_PIECE
        #: Time spent parsing in this phase.
        self._parse_seconds = 0.0
        self._waits_for_turn = False

    def connection_made(self, transport: Any) -> None:
        """Join the other connections."""
        super().connection_made(transport)
        self.address = network_of(self.client[0] if self.client else "")
        self._all.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Leave the other connections."""
        self._all.remove(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what the client sends, now or when it is this connection's turn."""
        self._received += len(data)
        self._unparsed += data
        if self._waits_for_turn:
            self.transport.pause_reading()
        elif self._is_slow_to_parse:
            self._wait_for_turn()
        else:
            self.parse()

    def parse(self) -> None:
        """Parse for a few milliseconds; wait for the next turn if anything is left."""
        start = now = self.loop.time()
        while (
            self._unparsed
            and now - start < SECONDS_PER_TURN
            and not self.transport.is_closing()
        ):
            piece = bytes(self._unparsed[: self._piece_size])
            del self._unparsed[: self._piece_size]
            before = now
            super().data_received(piece)
            now = self.loop.time()
            is_fast = now - before < SECONDS_PER_TURN / 4
            size = 2 * self._piece_size if is_fast else self._piece_size // 2
            self._piece_size = min(max(size, _MIN_PIECE), _MAX_PIECE)
        self._update()
        self._parse_seconds += now - start
        was_waiting, self._waits_for_turn = self._waits_for_turn, False
        if self.transport.is_closing():
            self._unparsed.clear()
        elif self._unparsed:
            self._wait_for_turn()
        elif was_waiting and not self.flow.read_paused:
            self.transport.resume_reading()

    def _wait_for_turn(self) -> None:
        self._waits_for_turn = True
        self.transport.pause_reading()
        self._all.turns.add(self)

    @property
    def _is_slow_to_parse(self) -> bool:
        usual = _USUAL_SECONDS + self._received / _USUAL_RATE
        return self._phase is Phase.BODY and self._parse_seconds > usual

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._update()

    @property
    def phase(self) -> Phase:
        """What the connection waits for."""
        self._update()
        return self._phase

    @property
    def due(self) -> float:
        """When a client that is just fast enough would have been done.

        Infinity if the client waits for the server.
        """
        if self.phase is Phase.WORKING:
            return inf
        if self._phase in (Phase.IDLE, Phase.HEADER):
            return self._since
        sent = self._most_unsent - self.transport.get_write_buffer_size()
        return self._since + (self._received + sent) / MIN_RATE

    def close_if_late(self) -> None:
        """Close the connection if its client is too late."""
        lateness = self.loop.time() - self.due
        limit = self._all.max_lateness.get(self._phase, inf)
        if lateness <= limit:
            return
        if self._phase is Phase.HEADER:
            self._reject(
                HTTPStatus.REQUEST_TIMEOUT,
                f"The header did not arrive within {limit:g} s.",
                "Send it again.",
            )
        elif self._phase is Phase.IDLE:
            self.close_now()
        else:
            self.close_now("The client did not read the response in time.")

    def close_now(self, reason: str = "") -> None:
        """Close without waiting for the client to read; log the reason, if any."""
        if reason:
            self._log(None, reason)
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """Respond to what is not HTTP."""
        self._reject(
            HTTPStatus.BAD_REQUEST,
            "The request is not valid HTTP/1.1.",
            "Check the request line, the headers and the length of the body.",
        )

    def _log(self, status: int | None, reason: str) -> None:
        if (log := self._all.log) is not None:
            seconds = self.loop.time() - self._since
            log_closed(log, self.client, status, seconds=seconds, reason=reason)

    def _update(self) -> None:
        phase = self._current_phase()
        if phase is not self._phase:
            # The first bytes of a header are those that end the idle phase.
            self._phase, self._since = phase, self.loop.time()
            self._received = self._most_unsent = 0
            self._parse_seconds = 0.0
        unsent = self.transport.get_write_buffer_size()
        self._most_unsent = max(self._most_unsent, unsent)

    def _current_phase(self) -> Phase:
        if self.transport.is_closing():
            return Phase.CLOSING
        state = self.conn.their_state
        if state is h11.SEND_BODY:
            return Phase.BODY
        if self.transport.get_write_buffer_size():
            return Phase.SENDING
        if state is not h11.IDLE:
            return Phase.WORKING
        has_started = self._phase is Phase.HEADER or self._received > 0
        return Phase.HEADER if has_started else Phase.IDLE

    def _reject(self, status: HTTPStatus, error: str, hint: str) -> None:
        """Send a response that no application made, and close the connection."""
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self._log(None, error)
            self.transport.abort()  # another response has begun
            return
        self._log(status, error)
        response = failure(status, error, hint)
        headers = [*response.raw_headers, (b"connection", b"close")]
        for event in (
            h11.Response(status_code=response.status_code, headers=headers),
            h11.Data(data=bytes(response.body)),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
        if self.cycle is not None:  # the application must not respond, too
            self.cycle.disconnected = True
            self.cycle.message_event.set()


async def close_late_connections(connections: Connections) -> None:
    """Close late connections, again and again, until cancelled."""
    while True:
        await asyncio.sleep(1.0)
        connections.close_late()
