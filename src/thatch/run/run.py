"""The state of one run: its clock, its trace, and when it stops."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf, isnan, nan

import numpy as np

from thatch.devices import Device, device_named, require_threads
from thatch.errors import InputError
from thatch.problem.selection import Selection
from thatch.run.beliefs import Beliefs
from thatch.run.progress import Progress
from thatch.run.result import Result, Status
from thatch.run.stopping import MaxSeconds, StoppingRule

#: Told after every iteration.
Observer = Callable[[Progress], None]


class Run:
    """One run of one solver: reports go in, a result comes out.

    It has one clock and one trace; the next run needs another.

    >>> from thatch.instances import toy
    >>> from thatch.problem.selection import Selection
    >>> from thatch.run.stopping import MaxIterations
    >>> run = Run(stop=[MaxIterations(2)])
    >>> best = Selection.of(toy.greedy_trap().problem, [0])
    >>> run.report(best), run.report(best).label
    (None, 'iteration_limit')
    >>> len(run.result(best, Status.ITERATION_LIMIT).trace)
    2
    """

    def __init__(
        self,
        *,
        stop: Sequence[StoppingRule] = (),
        observers: Sequence[Observer] = (),
        seed: int = 0,
        num_threads: int = 1,
        device: str = Device.CPU,
    ) -> None:
        if not isinstance(seed, int | np.integer) or seed < 0:
            raise InputError(
                f"seed must be a whole number >= 0, got {seed}.", hint="Pass 0 or more."
            )
        require_threads(num_threads)
        #: Where every random choice of the run comes from.
        self.seed = seed
        #: How many threads kernels may use; the answer does not depend on it.
        self.num_threads = num_threads
        #: Where messages are passed and charges found.
        self.device = device_named(device)
        #: The readings so far.
        self.trace: list[Progress] = []
        self._stop = tuple(stop)
        self._observers = tuple(observers)
        self._began = time.perf_counter()
        self._status: Status | None = None

    @property
    def has_listeners(self) -> bool:
        """Whether anybody hears of an iteration, or may stop it."""
        return bool(self._stop or self._observers)

    @property
    def seconds(self) -> float:
        """Time since the run began."""
        return time.perf_counter() - self._began

    @property
    def seconds_left(self) -> float:
        """Time until the run must stop, infinite if no rule limits it."""
        limits = [
            rule.max_seconds for rule in self._stop if isinstance(rule, MaxSeconds)
        ]
        return max(0.0, min(limits) - self.seconds) if limits else inf

    def report(
        self,
        best: Selection | None = None,
        *,
        upper_bound: float = inf,
        largest_change: float = nan,
        price: float = nan,
        step: str = "",
    ) -> Status | None:
        """Record one iteration; a status means stop now.

        `best` is the best selection within the budget so far, if there is one yet.
        """
        previous = self.trace[-1] if self.trace else None
        value = nan if previous is None else previous.value
        # In a chain of solvers a later one may begin below what was found before it.
        if best is not None and not best.value < value:
            value = best.value
        is_better = previous is None or value > previous.value or isnan(previous.value)
        progress = Progress(
            iteration=len(self.trace) + 1,
            seconds=self.seconds,
            value=value,
            upper_bound=min(upper_bound, previous.upper_bound if previous else inf),
            largest_change=largest_change,
            price=price,
            stalled=0 if is_better or previous is None else previous.stalled + 1,
            step=step,
        )
        self.trace.append(progress)
        for observer in self._observers:
            observer(progress)
        return self._answer(progress)

    def check_stop(self) -> Status | None:
        """Ask the stopping rules between two reports; a status means stop now."""
        last = self.trace[-1] if self.trace else Progress(iteration=0, seconds=0.0)
        return self._answer(replace(last, seconds=self.seconds))

    def unreported(self) -> Run:
        """A run for a part of the work: same clock and limits, nothing reported."""
        limits = [rule for rule in self._stop if isinstance(rule, MaxSeconds)]
        return self._part(limits, ())

    def with_time_share(self, share: float) -> Run:
        """A run that reports here, and stops after a share of the time that is left."""
        limits = [MaxSeconds(self.seconds + share * self.seconds_left)]
        part = self._part([*self._stop, *limits], self._observers)
        part.trace = self.trace
        return part

    def _part(self, stop: Sequence[StoppingRule], observers: Sequence[Observer]) -> Run:
        part = Run(
            stop=stop,
            observers=observers,
            seed=self.seed,
            num_threads=self.num_threads,
            device=self.device,
        )
        part._began = self._began
        return part

    def _answer(self, progress: Progress) -> Status | None:
        # A rule that has spoken once is not asked again: later readings may lack what
        # it saw.
        if self._status is None:
            answers = (rule(progress) for rule in self._stop)
            self._status = next((found for found in answers if found is not None), None)
        return self._status

    def result(
        self,
        best: Selection,
        status: Status,
        *,
        upper_bound: float = inf,
        beliefs: Beliefs | None = None,
    ) -> Result:
        """Close the run with its answer."""
        return Result(
            selection=best,
            status=status,
            upper_bound=upper_bound,
            iterations=len(self.trace),
            seconds=self.seconds,
            trace=tuple(self.trace),
            beliefs=beliefs,
        )
