"""How much a caller may ask for."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

from thatch.arrays import number
from thatch.devices import num_cores
from thatch.errors import InputError

__all__ = ["Limits"]

_MOST_WORKERS = 8


def _usual_workers() -> int:
    # Two at least, so that one long problem does not keep everybody waiting.
    return min(max(num_cores(), 2), _MOST_WORKERS)


@dataclass(frozen=True)
class Limits:
    """How much one caller may ask for, and all of them together.

    >>> Limits(max_seconds=10).seconds_to_solve
    8.0
    """

    #: Size of one request in MiB.
    max_megabytes: float = 16.0
    #: Of one piece of work, and of waiting for it to begin.
    max_seconds: float = 30.0
    #: Of one request.
    max_documents: int = 1000
    #: Pieces of work that wait; one more is turned away.
    max_waiting: int = 32
    #: Processes that work side by side.
    num_workers: int = field(default_factory=_usual_workers)
    #: Bytes of memory that one process may have.
    max_memory: int = 4 * 2**30

    def __post_init__(self) -> None:
        for name, limit in vars(self).items():
            if not 0 < number(name, limit) < inf:
                raise InputError(
                    f"{name} must be > 0 and finite, got {limit}.", hint="Leave it out."
                )

    @property
    def max_bytes(self) -> int:
        """Size of one request."""
        return int(self.max_megabytes * 2**20)

    @property
    def usual_seconds(self) -> float:
        """Time for the solver alone, where the caller has not said how much."""
        return min(5.0, self.seconds_to_solve)

    @property
    def seconds_to_solve(self) -> float:
        """The most for the solver alone: it should end, not be cut off."""
        return 0.8 * self.max_seconds
