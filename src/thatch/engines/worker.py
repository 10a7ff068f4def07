"""One process that works for a local engine: tasks come in on a pipe, answers go out.

The first message is the function, each later one a task.
"""

from __future__ import annotations

import contextlib
import os
import threading
from queue import SimpleQueue
from typing import BinaryIO

from thatch.engines.pipes import receive, send
from thatch.engines.remote_call import answer

__all__ = ["main"]


def main() -> None:
    """Work until the other side closes the pipe, or is gone."""
    requests, replies = _own_streams()
    inbox: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_listen, args=(requests, inbox), daemon=True).start()
    function = inbox.get()
    with contextlib.suppress(BrokenPipeError):
        while True:
            send(replies, answer(function, inbox.get()))


def _listen(requests: BinaryIO, inbox: SimpleQueue[bytes]) -> None:
    """Pass messages on; when there is nobody left to work for, end at once."""
    try:
        while True:
            inbox.put(receive(requests))
    finally:
        os._exit(0)


def _own_streams() -> tuple[BinaryIO, BinaryIO]:
    """The two pipes, out of reach of anything that prints."""
    requests, replies = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    return os.fdopen(requests, "rb"), os.fdopen(replies, "wb")
