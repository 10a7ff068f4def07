"""One process that works for callers: requests come in on a pipe, replies go out.

It is its own process so that work can be ended at any moment, whatever it is at, and so
that a file that breaks a reader breaks nothing else.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import traceback
from typing import Any, BinaryIO

from thatch.service.jobs import JOBS
from thatch.service.limits import Limits
from thatch.service.replies import Outcome, Reply

# Bytes of the request; outcome and bytes of the reply.
REQUEST_HEAD = struct.Struct("!Q")
REPLY_HEAD = struct.Struct("!BQ")


def main() -> None:
    """Say that all is loaded, then work until the pipe is closed."""
    # Whoever interrupts the server interrupts its group; the server ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, replies = _own_streams()
    limits: Limits = _next(requests)
    _limit_memory(limits.max_memory)
    _send(replies, Reply(Outcome.DONE, b"ready"))
    while True:
        try:
            job, request = _next(requests)
        except EOFError:
            return
        _send(replies, _reply(job, request, limits))


def _reply(job: str, request: object, limits: Limits) -> Reply:
    try:
        return Reply(Outcome.DONE, JOBS[job](request, limits).encode())
    except Exception as error:
        reply = Reply.to_error(error)
        if reply.outcome is Outcome.BROKEN:
            traceback.print_exc()
        return reply


def _own_streams() -> tuple[BinaryIO, BinaryIO]:
    """The two pipes, out of reach of anything that prints."""
    requests, replies = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    return os.fdopen(requests, "rb"), os.fdopen(replies, "wb")


def _next(requests: BinaryIO) -> Any:
    head = requests.read(REQUEST_HEAD.size)
    if len(head) < REQUEST_HEAD.size:
        raise EOFError
    (size,) = REQUEST_HEAD.unpack(head)
    return pickle.loads(requests.read(size))


def _send(replies: BinaryIO, reply: Reply) -> None:
    replies.write(REPLY_HEAD.pack(reply.outcome, len(reply.body)))
    replies.write(reply.body)
    replies.flush()


def _limit_memory(num_bytes: int) -> None:
    try:
        import resource
    except ImportError:  # not on this system
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    if most == resource.RLIM_INFINITY or num_bytes <= most:
        resource.setrlimit(resource.RLIMIT_AS, (num_bytes, most))


if __name__ == "__main__":
    main()
