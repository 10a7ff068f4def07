"""Messages on a pipe, each preceded by its length; the pipe may be unbuffered."""

from __future__ import annotations

import struct
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import StreamReader

__all__ = ["framed", "receive", "receive_async", "send"]

_LENGTH = struct.Struct("!Q")
_MAX_BYTES_PER_READ = 1 << 20


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
        piece = stream.read(min(size, _MAX_BYTES_PER_READ))
        if not piece:
            raise EOFError
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)
