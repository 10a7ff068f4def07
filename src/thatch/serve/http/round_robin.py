"""Round-robin scheduling of connections whose data take long to parse.

A body in chunks of one byte takes a second per 200 kB to parse, in which the server
cannot do anything else. Such connections take turns, and together use at most half of
the time.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final, Protocol

#: How long a connection may parse before others have their turn.
SECONDS_PER_TURN: Final = 0.002


class Parser(Protocol):
    """What takes turns."""

    def parse(self) -> None:
        """Parse for `SECONDS_PER_TURN`."""


class RoundRobin:
    """Lets parsers take turns, with pauses as long as the turns."""

    def __init__(self) -> None:
        self._waiting: deque[Parser] = deque()
        self._timer: asyncio.TimerHandle | None = None

    def add(self, parser: Parser) -> None:
        """Give the parser a turn, after all that wait."""
        self._waiting.append(parser)
        self._schedule(SECONDS_PER_TURN)

    def _schedule(self, seconds: float) -> None:
        if self._timer is None and self._waiting:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(seconds, self._next)

    def _next(self) -> None:
        loop = asyncio.get_running_loop()
        start = loop.time()
        try:
            self._waiting.popleft().parse()
        finally:  # the others have their turn, also after an error
            self._timer = None
            self._schedule(loop.time() - start)
