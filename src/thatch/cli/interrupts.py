"""Exit codes of commands that are interrupted."""

from __future__ import annotations

INTERRUPTED = 130
TERMINATED = 143


class JobInterruptedError(Exception):
    """An interrupt that has a message, such as how to resume."""
