"""Preloaded by the workers of a local dask cluster, so that they ignore interrupts.

On a terminal, Ctrl-C interrupts every process of the foreground group; the program
stops the cluster itself.
"""

from __future__ import annotations

import signal


def dask_setup(_: object) -> None:
    """Ignore interrupts; dask calls this in each new worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
