"""The command line: parse, call one function, show."""

from __future__ import annotations

import os
import signal
import sys

INTERRUPTED = 130
TERMINATED = 143


class JobInterruptedError(Exception):
    """An interrupt of which more is to be said than that nothing was written."""


def main() -> None:
    """Run the command that the arguments name, and exit with its code."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(TERMINATED))
    if sys.stderr is None:
        # Closed by the caller: what is told is lost, and nothing else.
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    try:
        from thatch.cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt as interrupt:
        told = str(interrupt) or "Interrupted: nothing was written."
        sys.stderr.write(f"error: {told}\n")
        code = INTERRUPTED
    if code == INTERRUPTED:
        # A solver's thread may still be at work; whoever interrupts does not want to
        # wait for it, and everything that had to be tidied up has been.
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)
