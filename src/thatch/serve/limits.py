"""Limits of requests."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Any, Final

from thatch.arrays import number
from thatch.errors import InputError
from thatch.machine.devices import num_cores
from thatch.options import require_integer

_HINT = "Leave it out to use the default."
_COUNTS = (
    *("max_documents", "max_chunks", "max_elements", "max_waiting", "num_workers"),
    "max_memory",
)


def _usual_workers() -> int:
    # At least two, so that one long request does not block all others.
    max_workers = 8
    return min(max(num_cores(), 2), max_workers)


def _require_positive(name: str, limit: float) -> None:
    if not 0 < number(name, limit) < inf:
        raise InputError(
            f"{name} is {limit}; it must be positive and finite.", hint=_HINT
        )


@dataclass(frozen=True, slots=True)
class RateLimit:
    """How many requests one client may send; reading a page counts a tenth.

    >>> RateLimit(requests_per_minute=30).requests_per_second
    0.5
    """

    #: Requests per minute in the long run. The slider of the page sends a few per
    #: second while it is moved.
    requests_per_minute: float = 240.0
    #: Requests that a client may send at once after a pause.
    max_burst: int = 120
    #: Requests of one client that are handled or wait at the same time.
    max_at_once: int = 6

    def __post_init__(self) -> None:
        for name in ("max_burst", "max_at_once"):
            require_integer(name, getattr(self, name), least=1, hint=_HINT)
        _require_positive("requests_per_minute", self.requests_per_minute)

    @property
    def requests_per_second(self) -> float:
        """Requests per second in the long run."""
        return self.requests_per_minute / 60.0


@dataclass(frozen=True)
class Limits:
    """Limits of one request, and of all requests together."""

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
    #: Limit per client; None for no limit.
    rate_limit: RateLimit | None = None
    #: Whether everyone may use the server: then, files are read only as plain text or
    #: Markdown, because readers of other formats are complex.
    is_demo: bool = False

    def __post_init__(self) -> None:
        for name in _COUNTS:
            require_integer(name, getattr(self, name), least=1, hint=_HINT)
        for name in ("max_megabytes", "max_seconds"):
            _require_positive(name, getattr(self, name))

    @classmethod
    def for_demo(cls, **changes: Any) -> Limits:
        """Limits of a public demo, with these changes.

        >>> Limits.for_demo().max_bytes, Limits.for_demo(max_megabytes=1).max_bytes
        (524288, 1048576)
        """
        return cls(**_DEMO | changes)

    def hint(self, advice: str) -> str:
        """Advice to a client whose request exceeds a limit."""
        if not self.is_demo:
            return advice
        return f"{advice} This is a demo: for more, run thatch on your own machine."

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


_DEMO: Final[dict[str, Any]] = {
    "max_megabytes": 0.5,
    "max_seconds": 5.0,
    "max_documents": 100,
    "max_chunks": 2000,
    "max_elements": 100_000,
    "max_waiting": 16,
    "max_memory": 2**30,
    "rate_limit": RateLimit(),
    "is_demo": True,
}
