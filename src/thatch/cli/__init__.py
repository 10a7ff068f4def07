"""The command line: parse the arguments, call one function, print the result."""

from __future__ import annotations

import io
import os
import signal
import sys

from thatch.cli.output import INTERRUPTED, TERMINATED


def main() -> None:
    """Run the command that the arguments name, and exit with its code."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(TERMINATED))
    if sys.stderr is None:
        # The caller closed it: messages are discarded.
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    if os.name == "nt" and "PYTHONIOENCODING" not in os.environ:
        _write_utf_8()
    try:
        from thatch.cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt as interrupt:
        from thatch.cli.output import notify

        message = str(interrupt) or "Interrupted: nothing was written."
        notify(f"error: {message}")
        code = INTERRUPTED
    except SystemExit as exit_:
        if exit_.code != TERMINATED:
            raise
        code = TERMINATED
    if code in (INTERRUPTED, TERMINATED):
        # A solver's thread may still be running. All cleanup is done, so exit without
        # waiting for it.
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _write_utf_8() -> None:
    """Write UTF-8 to files and pipes, as everywhere but on Windows before Python 3.15.

    There, the code page has no room for most languages.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")
