"""What a dask worker of this machine's own does first: leave interrupts to the program.

Whoever interrupts a program on a terminal interrupts all that it started.
"""

from __future__ import annotations

import signal


def dask_setup(_: object) -> None:
    """Called by dask in a new worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
