"""Messages on a pipe, each with its length before it."""

from __future__ import annotations

import struct
from typing import IO

_HEAD = struct.Struct("!Q")


def send(stream: IO[bytes], message: bytes) -> None:
    """Write one message."""
    stream.write(_HEAD.pack(len(message)))
    stream.write(message)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes:
    """Read one message; an EOFError means that the other side is gone.

    >>> import io
    >>> stream = io.BytesIO()
    >>> send(stream, b"snow")
    >>> _ = stream.seek(0)
    >>> receive(stream)
    b'snow'
    """
    (size,) = _HEAD.unpack(_exactly(stream, _HEAD.size))
    return _exactly(stream, size)


def _exactly(stream: IO[bytes], size: int) -> bytes:
    read = stream.read(size)
    if len(read) < size:
        raise EOFError
    return read
