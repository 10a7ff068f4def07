"""One run of a solver: its clock, its trace, and when it stops."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf, isnan, nan

from thatch.machine.devices import Device, device_named, require_threads
from thatch.options import require_integer
from thatch.problem.selection import Selection
from thatch.run.beliefs import Beliefs
from thatch.run.certificates import Certificate
from thatch.run.result import Progress, Result, Status
from thatch.run.stopping import Interruption, MaxSeconds, StoppingRule

#: Called after every iteration.
Observer = Callable[[Progress], None]


class Run:
    """One run of one solver, with its clock and its trace; it cannot be used twice.

    The solver reports every iteration; the stopping rules decide when it ends.

    >>> from thatch.problem.instances import toy
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
        require_integer("seed", seed, hint="Leave it out for 0.")
        require_threads(num_threads)
        #: Seed of all random numbers of the run.
        self.seed = seed
        #: How many threads to use; the answer depends on it only with a time limit.
        self.num_threads = num_threads
        #: Where messages are passed and multipliers found.
        self.device = device_named(device)
        #: One entry per report so far.
        self.trace: list[Progress] = []
        self._stop = tuple(stop)
        self._observers = tuple(observers)
        self._began = time.perf_counter()
        self._status: Status | None = None
        self._base_value = 0.0

    @property
    def has_listeners(self) -> bool:
        """Whether there are observers or stopping rules."""
        return bool(self._stop or self._observers)

    @property
    def seconds(self) -> float:
        """Seconds since the run began."""
        return time.perf_counter() - self._began

    @property
    def seconds_left(self) -> float:
        """Seconds until the time limit; infinite if there is none.

        0 after an interrupt.
        """
        if any(
            isinstance(each, Interruption) and each.has_occurred for each in self._stop
        ):
            return 0.0
        limits = [
            rule.max_seconds for rule in self._stop if isinstance(rule, MaxSeconds)
        ]
        return max(0.0, min(limits) - self.seconds) if limits else inf

    def report(
        self,
        best: Selection | None = None,
        *,
        value: float = nan,
        upper_bound: float = inf,
        largest_change: float = nan,
        price: float = nan,
        step: str = "",
    ) -> Status | None:
        """Record one iteration; return a status if the run must stop.

        Parameters
        ----------
        best
            The best selection within the budget so far, if there is one yet.
        value
            What it covers, if the selection is not at hand.
        upper_bound, largest_change, price, step
            As in `Progress`.
        """
        previous = self.trace[-1] if self.trace else None
        found = value if best is None else best.value
        value = nan if previous is None else previous.value
        # In a chain of solvers, a later one may start below what was found before.
        if not (isnan(found) or found < value):
            value = found
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
        return self.record(progress)

    def record(self, progress: Progress) -> Status | None:
        """Add an entry to the trace; return a status if the run must stop.

        `report` does this for searches of the most weight within a budget.
        """
        self.trace.append(progress)
        seen = self._shifted(progress)
        for observer in self._observers:
            observer(seen)
        return self._checked(seen)

    def check_stop(self, *, upper_bound: float = inf) -> Status | None:
        """Call the stopping rules between two reports; return a status to stop with.

        Parameters
        ----------
        upper_bound
            A bound that has not been reported, if there is one.
        """
        last = self.trace[-1] if self.trace else Progress(iteration=0, seconds=0.0)
        bound = min(last.upper_bound, upper_bound)
        now = replace(last, seconds=self.seconds, upper_bound=bound)
        return self._checked(self._shifted(now))

    @property
    def must_stop(self) -> bool:
        """Whether a stopping rule ends the run now."""
        return self.check_stop() is not None

    def unreported(self) -> Run:
        """A run with the same clock and time limit that reports nothing here.

        An interrupt ends it as well.
        """
        outer = (MaxSeconds, Interruption)
        return self._derived([rule for rule in self._stop if isinstance(rule, outer)])

    def with_time_share(self, share: float) -> Run:
        """A run that reports here, and stops after a share of the remaining time."""
        return self._ending_at(self.seconds + share * self.seconds_left)

    def with_reserve(self, seconds: float) -> Run:
        """A run that reports here, and stops some seconds before the time limit.

        Parameters
        ----------
        seconds
            What the steps after the run take; at most half of the remaining time is
            reserved for them.
        """
        left = self.seconds_left
        return self._ending_at(self.seconds + max(left - seconds, 0.5 * left))

    def with_base_value(self, value: float) -> Run:
        """A run of what is left of a problem; observers and rules see all of it.

        Parameters
        ----------
        value
            Weight that items cover which are chosen already; it is added to values and
            bounds, but not in the trace.

        >>> from thatch.problem.instances import toy
        >>> seen = []
        >>> run = Run(observers=[seen.append]).with_base_value(10.0)
        >>> run.report(Selection.of(toy.greedy_trap().problem, [0]))
        >>> seen[0].value, run.trace[0].value
        (20.0, 10.0)
        """
        derived = self._derived(self._stop, self._observers, base_value=value)
        derived.trace = self.trace
        return derived

    def _shifted(self, progress: Progress) -> Progress:
        if not self._base_value:
            return progress
        return replace(
            progress,
            value=progress.value + self._base_value,
            upper_bound=progress.upper_bound + self._base_value,
        )

    def _ending_at(self, second: float) -> Run:
        derived = self._derived([*self._stop, MaxSeconds(second)], self._observers)
        derived.trace = self.trace
        return derived

    def _derived(
        self,
        stop: Sequence[StoppingRule],
        observers: Sequence[Observer] = (),
        *,
        base_value: float | None = None,
    ) -> Run:
        derived = Run(
            stop=stop,
            observers=observers,
            seed=self.seed,
            num_threads=self.num_threads,
            device=self.device,
        )
        derived._began = self._began
        derived._base_value = self._base_value if base_value is None else base_value
        return derived

    def _checked(self, progress: Progress) -> Status | None:
        # A rule that stopped the run once is not called again: later entries of the
        # trace may lack what it saw.
        if self._status is None:
            found = (rule(progress) for rule in self._stop)
            self._status = next((each for each in found if each is not None), None)
        return self._status

    def result(
        self,
        best: Selection,
        status: Status,
        *,
        upper_bound: float = inf,
        beliefs: Beliefs | None = None,
        certificate: Certificate | None = None,
    ) -> Result:
        """Return the result of the run."""
        return Result(
            selection=best,
            status=status,
            upper_bound=upper_bound,
            iterations=len(self.trace),
            seconds=self.seconds,
            trace=tuple(self.trace),
            beliefs=beliefs,
            certificate=certificate,
        )
