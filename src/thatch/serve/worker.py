"""Worker process of the service.

Requests are handled in a separate process so that they can be ended at any moment, and
so that a file that crashes a reader crashes nothing else.
"""

from __future__ import annotations

import contextlib
import pickle
import signal
import traceback

from thatch.machine.worker_main import ParentConnection
from thatch.serve.handlers import answer_to, read
from thatch.serve.limits import Limits
from thatch.serve.plan_handlers import read_problem
from thatch.serve.replies import Outcome, Reply


def main() -> None:
    """Reply that everything is loaded, then to each request."""
    # Stopping a service signals all its processes; the server ends its workers itself.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    parent = ParentConnection()
    requests = map(pickle.loads, parent.requests())
    limits: Limits | None = next(requests, None)
    if limits is None:
        return
    _limit_memory(limits.max_memory)
    parent.reply(to_message(Reply(Outcome.DONE, b"ready")))
    for job, body, name in requests:
        # The server kills a worker that exceeds the time limit; this is for when it
        # cannot.
        _limit_time(limits.max_seconds + 5.0)
        reply = _reply(job, body, name, limits)
        _limit_time(0)
        parent.reply(to_message(reply))


def to_message(reply: Reply) -> bytes:
    """The reply as one message: its outcome in one byte, then its body."""
    return bytes([reply.outcome]) + reply.body


def from_message(message: bytes) -> Reply:
    """The reply of a message.

    >>> from_message(to_message(Reply(Outcome.DONE, b"ready"))).body
    b'ready'
    """
    return Reply(Outcome(message[0]), message[1:])


def _reply(job: str, body: bytes, name: str, limits: Limits) -> Reply:
    try:
        answer = _answer(job, body, name, limits)
        return Reply(Outcome.DONE, answer.encode())
    except Exception as error:
        reply = Reply.to_error(error)
        if reply.outcome is Outcome.BROKEN:
            traceback.print_exc()
        return reply


def _answer(job: str, body: bytes, name: str, limits: Limits) -> str:
    if job == "read":
        return read(body, name)
    if job == "read-problem":
        return read_problem(body, name, limits)
    return answer_to(job, body, limits)


def _limit_time(seconds: float) -> None:
    """End this process after some seconds; 0 cancels that."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _limit_memory(num_bytes: int) -> None:
    try:
        import resource
    except ImportError:  # not on this system
        return
    _, hard_limit = resource.getrlimit(resource.RLIMIT_AS)
    if hard_limit == resource.RLIM_INFINITY or num_bytes <= hard_limit:
        # macOS refuses a limit below the addresses in use, which are hundreds of GB.
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (num_bytes, hard_limit))
