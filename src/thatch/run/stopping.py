"""Stopping rules: when a run ends."""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any, Self

from thatch.arrays import number
from thatch.errors import InputError
from thatch.options import require_integer
from thatch.run.result import Progress, Status

#: Called after every iteration; returns a status to stop with, or None to continue.
StoppingRule = Callable[[Progress], Status | None]


@dataclass(frozen=True)
class MaxIterations:
    """Stop after a number of iterations.

    >>> from thatch import BeliefPropagation, solve
    >>> from thatch.problem.instances import toy
    >>> problem = toy.star(9).problem
    >>> solve(problem, BeliefPropagation(), stop=[MaxIterations(3)]).iterations
    3
    """

    max_iterations: int

    def __post_init__(self) -> None:
        require_integer("max_iterations", self.max_iterations, hint="Pass 0 or more.")

    def __call__(self, progress: Progress) -> Status | None:
        is_over = progress.iteration >= self.max_iterations
        return Status.ITERATION_LIMIT if is_over else None


@dataclass(frozen=True)
class MaxSeconds:
    """Stop after a number of seconds."""

    max_seconds: float

    def __post_init__(self) -> None:
        _require_non_negative("max_seconds", self.max_seconds)

    def __call__(self, progress: Progress) -> Status | None:
        return Status.TIME_LIMIT if progress.seconds >= self.max_seconds else None


@dataclass(frozen=True)
class Converged:
    """Stop once no message changes by more than the tolerance."""

    tolerance: float = 1e-6

    def __post_init__(self) -> None:
        _require_non_negative("tolerance", self.tolerance)

    def __call__(self, progress: Progress) -> Status | None:
        return Status.CONVERGED if progress.largest_change <= self.tolerance else None


@dataclass(frozen=True)
class NoImprovement:
    """Stop once the value has not improved for some iterations."""

    max_iterations: int

    def __post_init__(self) -> None:
        require_integer("max_iterations", self.max_iterations, hint="Pass 0 or more.")

    def __call__(self, progress: Progress) -> Status | None:
        is_stalled = progress.stalled >= self.max_iterations
        return Status.NO_IMPROVEMENT if is_stalled else None


@dataclass(frozen=True)
class TargetValue:
    """Stop once the covered weight reaches a value."""

    value: float

    def __post_init__(self) -> None:
        _require_non_negative("value", self.value)

    def __call__(self, progress: Progress) -> Status | None:
        return Status.TARGET_REACHED if progress.value >= self.value else None


@dataclass(frozen=True)
class TargetGap:
    """Stop once the gap between value and bound is at most this share of the bound.

    >>> reading = Progress(iteration=1, seconds=0.0, value=9.5, upper_bound=10.0)
    >>> TargetGap(0.1)(reading).label
    'target_reached'
    """

    gap: float

    def __post_init__(self) -> None:
        _require_non_negative("gap", self.gap)

    def __call__(self, progress: Progress) -> Status | None:
        least = (1.0 - self.gap) * progress.upper_bound
        return Status.TARGET_REACHED if progress.value >= least else None


class Interruption:
    """Stop on Ctrl-C, with the best selection found so far.

    Without it, Ctrl-C raises KeyboardInterrupt. As a context manager it replaces the
    handler of the signal, in the main thread; a second Ctrl-C raises as usual.

    >>> from thatch import solve
    >>> from thatch.problem.instances import toy
    >>> with Interruption() as interruption:
    ...     result = solve(toy.greedy_trap().problem, stop=[interruption])
    >>> result.status.label, interruption.has_occurred
    ('optimal', False)
    """

    def __init__(self) -> None:
        #: Whether there was an interrupt.
        self.has_occurred = False
        self._previous: Any = None

    def __enter__(self) -> Self:
        self._previous = signal.getsignal(signal.SIGINT)
        # A job in the background ignores it, and continues to do so.
        if self._previous is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        if self._previous is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, self._previous or signal.SIG_DFL)

    def __call__(self, progress: Progress) -> Status | None:
        return Status.INTERRUPTED if self.has_occurred else None

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.has_occurred:
            raise KeyboardInterrupt
        self.has_occurred = True


def _require_non_negative(name: str, value: float) -> None:
    if not number(name, value) >= 0:
        raise InputError(
            f"{name} is {value}; it must be non-negative.", hint="Pass 0 or more."
        )
