"""Limits of requests."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

from thatch.arrays import number
from thatch.devices import num_cores
from thatch.errors import InputError
from thatch.options import require_integer

__all__ = ["Limits"]

_MAX_WORKERS = 8
_COUNTS = (
    *("max_documents", "max_chunks", "max_elements", "max_waiting", "num_workers"),
    "max_memory",
)


def _usual_workers() -> int:
    # At least two, so that one long request does not block all others.
    return min(max(num_cores(), 2), _MAX_WORKERS)


@dataclass(frozen=True)
class Limits:
    """Limits of one request, and of all requests together.

    >>> Limits(max_seconds=10).seconds_to_solve
    8.0
    """

    #: Maximum size of one request, in MiB.
    max_megabytes: float = 16.0
    #: Time limit of one request, and of its time in the queue.
    max_seconds: float = 30.0
    #: Maximum number of documents in one request.
    max_documents: int = 1000
    #: Maximum number of chunks to select from in one request.
    max_chunks: int = 10_000
    #: Maximum number of elements of a problem without weights, in which one large
    #: element number implies all below it.
    max_elements: int = 1_000_000
    #: Maximum number of queued requests; further ones are rejected.
    max_waiting: int = 32
    #: Number of worker processes.
    num_workers: int = field(default_factory=_usual_workers)
    #: Memory limit of one worker process, in bytes, where the system enforces one:
    #: Linux does, macOS and Windows do not.
    max_memory: int = 4 * 2**30

    def __post_init__(self) -> None:
        hint = "Leave it out to use the default."
        for name in _COUNTS:
            require_integer(name, getattr(self, name), least=1, hint=hint)
        for name in ("max_megabytes", "max_seconds"):
            limit = getattr(self, name)
            if not 0 < number(name, limit) < inf:
                raise InputError(
                    f"{name} is {limit}; it must be positive and finite.",
                    hint=hint,
                )

    @property
    def max_bytes(self) -> int:
        """Maximum size of one request, in bytes."""
        return int(self.max_megabytes * 2**20)

    @property
    def usual_seconds(self) -> float:
        """Time limit of the solver, if the request sets none."""
        return min(5.0, self.seconds_to_solve)

    @property
    def seconds_to_solve(self) -> float:
        """Longest time limit of the solver, so that it ends before the request does."""
        return 0.8 * self.max_seconds
