"""The child side of a worker process: requests arrive on a pipe, replies are sent back.

The parent side is `thatch.machine.worker_process`, which calls ``main()`` of a module.
"""

from __future__ import annotations

import os
import struct
import threading
import time
from collections.abc import Iterator
from queue import SimpleQueue
from typing import IO, TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from asyncio import StreamReader

#: How long an idle worker may take to end by itself, before it is killed.
SECONDS_TO_END = 2.0


class ParentConnection:
    """The pipes to the parent process.

    A worker ends when the parent closes the pipe or dies: at once if it is busy; if it
    is idle, it leaves ``main()``, so that exit handlers of libraries run.
    """

    def __init__(self) -> None:
        requests, self._replies = _private_streams()
        #: None at the end of the requests.
        self._inbox: SimpleQueue[bytes | None] = SimpleQueue()
        self._is_idle = True
        threading.Thread(target=self._listen, args=(requests,), daemon=True).start()

    def requests(self) -> Iterator[bytes]:
        """Messages of the parent, until it closes the pipe."""
        while (message := self._inbox.get()) is not None:
            self._is_idle = False
            yield message
            self._is_idle = True

    def reply(self, message: bytes) -> None:
        """Send a message to the parent; end this process if the parent is gone."""
        # Before sending: the parent may close the pipe as soon as it has the reply.
        self._is_idle = True
        self.notify(message)

    def notify(self, message: bytes) -> None:
        """Send a message while the request is still being worked on."""
        try:
            send(self._replies, message)
        except OSError:  # a broken pipe; Windows says that it is invalid
            os._exit(0)

    def _listen(self, requests: BinaryIO) -> None:
        """Queue messages as they arrive; end this process after the last one."""
        try:
            while True:
                self._inbox.put(receive(requests))
        finally:
            self._inbox.put(None)
            if self._is_idle:
                time.sleep(SECONDS_TO_END)
            os._exit(0)


def _private_streams() -> tuple[BinaryIO, BinaryIO]:
    """The pipes to the parent, on descriptors that no print statement writes to."""
    requests, replies = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    return os.fdopen(requests, "rb"), os.fdopen(replies, "wb")


_LENGTH = struct.Struct("!Q")


def framed(message: bytes) -> bytes:
    r"""The message with its length in front.

    >>> framed(b"snow")
    b'\x00\x00\x00\x00\x00\x00\x00\x04snow'
    """
    return _LENGTH.pack(len(message)) + message


def send(stream: IO[bytes], message: bytes) -> None:
    """Write one message."""
    # Two parts: a message may be large, and joining them would copy it.
    for part in (_LENGTH.pack(len(message)), message):
        left = memoryview(part)
        while left:
            left = left[stream.write(left) :]
    stream.flush()


def receive(stream: IO[bytes]) -> bytes:
    """Read one message; raise EOFError if the other side has closed the pipe.

    >>> import io
    >>> receive(io.BytesIO(framed(b"snow")))
    b'snow'
    """
    (size,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    return _exactly(stream, size)


async def receive_async(stream: StreamReader) -> bytes:
    """Read one message; raise EOFError if the other side has closed the pipe."""
    (size,) = _LENGTH.unpack(await stream.readexactly(_LENGTH.size))
    return await stream.readexactly(size)


def _exactly(stream: IO[bytes], size: int) -> bytes:
    pieces = []
    while size:
        # A length that is wrong must not take all memory at once.
        piece = stream.read(min(size, 1 << 20))
        if not piece:
            raise EOFError
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)
