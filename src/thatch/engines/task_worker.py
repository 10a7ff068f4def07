"""Worker process of a local engine.

The first request is the function, each later request is a task.
"""

from __future__ import annotations

from thatch.engines.remote_call import answer
from thatch.engines.worker_main import ParentConnection

__all__ = ["main"]


def main() -> None:
    """Call the function on each task and reply with its result."""
    parent = ParentConnection()
    requests = parent.requests()
    function = next(requests, b"")
    for task in requests:
        parent.reply(answer(function, task))
