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

from thatch.service.handlers import answer_to, read
from thatch.service.limits import Limits
from thatch.service.replies import Outcome, Reply

_SECONDS_TO_BE_ENDED = 5.0
# Bytes of the request; outcome and bytes of the reply.
REQUEST_HEAD = struct.Struct("!Q")
REPLY_HEAD = struct.Struct("!BQ")


def main() -> None:
    """Say that all is loaded, then work until the pipe is closed."""
    # Whoever stops the server stops its group; the server ends its workers itself.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    requests, replies = _own_streams()
    limits: Limits = _next(requests)
    _limit_memory(limits.max_memory)
    _send(replies, Reply(Outcome.DONE, b"ready"))
    while True:
        try:
            job, body, name = _next(requests)
            _limit_time(limits.max_seconds + _SECONDS_TO_BE_ENDED)
            reply = _reply(job, body, name, limits)
            _limit_time(0)
            _send(replies, reply)
        except (EOFError, BrokenPipeError):
            return


def _reply(job: str, body: bytes, name: str, limits: Limits) -> Reply:
    try:
        answer = read(body, name) if job == "read" else answer_to(job, body, limits)
        return Reply(Outcome.DONE, answer.encode())
    except Exception as error:
        reply = Reply.to_error(error)
        if reply.outcome is Outcome.BROKEN:
            traceback.print_exc()
        return reply


def _limit_time(seconds: float) -> None:
    """End this process after so long, unless that is 0 or set anew before.

    A server that is still there has ended it by then.
    """
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


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
