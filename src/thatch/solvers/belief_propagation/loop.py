"""The loop: pass messages and round them, stop on a proof, lower the bound, conclude.

It is the same in memory and on shards, on processors and on a GPU. A `Backend` supplies
the arithmetic.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from math import inf
from typing import Any, ClassVar, Protocol

from thatch.problem.selection import Selection
from thatch.run.certificates import Certificate
from thatch.run.result import Result, Status
from thatch.run.run import Run


@dataclass(frozen=True)
class Plan:
    """How much a run does in each stage."""

    #: How often every message is updated.
    message_iterations: int
    #: Iterations between two roundings; 0 rounds once, at the end.
    iterations_per_rounding: int
    #: Steps of the descent after the messages.
    descent_steps: int = 0
    #: Share of the time limit for messages.
    messages_time_share: float = 0.4
    #: The bound takes about as long as this many slow steps of the descent.
    steps_per_bound: float = 2.0


@dataclass
class MessagesState:
    """What is known of messages, apart from the messages themselves."""

    #: The price of the last iteration, or the first one.
    price: float
    num_iterations: int = 0
    #: What items cost at the marginals at the start of the last iteration.
    expected_cost: float = 0.0
    #: The largest change of a message in the last iteration.
    largest_change: float = inf


@dataclass
class RoundingState:
    """The best selection so far; in memory, what it covers is enough.

    Selections of shards are published for engines, and these are their numbers. On a
    GPU they are arrays on the device, and the number of a checkpoint in its journal.
    """

    #: The best one so far, and what it covers: NaN while that is not known in memory.
    best: Any = None
    value: float = -inf
    #: The last one, if what it covers is not known yet.
    pending: Any = None
    #: How many have been published, or how many checkpoints there have been.
    count: int = 0


@dataclass
class DescentState:
    """What is known of a descent on shards, apart from the multipliers."""

    #: The selection from which it starts, as in `RoundingState`.
    selection: Any
    #: What that selection covers.
    value: float
    num_steps: int = 0
    #: The price of the last step, relative to the budget and the largest weight.
    price: float = 0.0
    temperature: float = 0.0
    pace: float = 1.0


@dataclass
class RunState:
    """The state of a run after a step; a run on shards has its arrays in files."""

    messages: MessagesState
    #: No selection within the budget is worth more than this.
    upper_bound: float
    rounding: RoundingState = field(default_factory=RoundingState)
    #: None until the messages are done.
    descent: DescentState | None = None
    #: How many shards may have another order on a GPU; it stays as it was at the start.
    num_reordered: int = 0

    @classmethod
    def of(cls, fields: dict[str, Any]) -> RunState:
        """The state that `asdict` has made plain."""
        descent = fields["descent"]
        return cls(
            MessagesState(**fields["messages"]),
            fields["upper_bound"],
            RoundingState(**fields["rounding"]),
            None if descent is None else DescentState(**descent),
            fields["num_reordered"],
        )


class Descent(Protocol):
    """Multipliers whose dual bound falls from step to step."""

    #: Whether a step reads whole shards: then it is reported, and time is kept for the
    #: bound. In memory many steps fit into a second.
    has_slow_steps: ClassVar[bool]

    @property
    def num_steps(self) -> int:
        """How many steps there have been."""
        ...  # pragma: no cover

    @property
    def can_descend(self) -> bool:
        """Whether another step would change anything: not if no item fits."""
        ...  # pragma: no cover

    def step(self, most: int) -> None:
        """Move all multipliers: once, or up to that often if steps are fast."""
        ...  # pragma: no cover

    def bound(self) -> float:
        """No selection within the budget is worth more than this."""
        ...  # pragma: no cover


class Backend(ABC):
    """Where messages, roundings and multipliers are, and how they are computed.

    On shards, `iterate` also finds what the last rounding covers: that is known one
    iteration later than in memory. On a GPU in memory it is known after the messages.
    """

    #: The problem, in memory or in shards.
    problem: Any
    #: What the loop reads and reports; the backend keeps it up to date.
    state: RunState
    #: What `finish_messages` takes, for which time is kept.
    seconds_after_messages: float = 0.0

    def is_proved(self) -> bool:
        """Whether the best selection so far is as good as the bound."""
        return self.state.upper_bound <= self.state.rounding.value

    @abstractmethod
    def iterate(self) -> None:
        """Update every message once."""

    @abstractmethod
    def round(self) -> None:
        """Round the fields at the start of the last iteration."""

    @abstractmethod
    def finish_messages(self, run: Run) -> None:
        """Round the last messages, and find out which selection is the best."""

    @abstractmethod
    def new_descent(self) -> Descent:
        """The descent from the best selection; messages are not needed any more."""

    @abstractmethod
    def selection(self) -> Selection:
        """The best selection."""

    def certificate(self) -> Certificate | None:
        """What shows the bound, if it is at hand."""
        return None

    def save(self) -> None:
        """Keep what a resumed run needs; called after every iteration and step."""
        return


def solved(backend: Backend, plan: Plan, run: Run) -> Result:
    """Go through all stages, as far as the run allows."""
    state = backend.state
    if state.descent is None:
        pass_messages(backend, plan, run.with_time_share(plan.messages_time_share))
    status = None
    if not backend.is_proved():
        status = run.check_stop()
        # Without any bound, even a run that must stop takes a step.
        if status is None or state.upper_bound == inf:
            status = _descend(backend, plan, run) or status
    if state.messages.num_iterations < plan.message_iterations:
        status = status or Status.TIME_LIMIT
    if backend.is_proved():
        status = Status.OPTIMAL
    status = status or Status.FINISHED
    bound = state.upper_bound
    result = run.result(backend.selection(), status)
    return result.with_bound(bound, backend.certificate())


def pass_messages(backend: Backend, plan: Plan, run: Run) -> Status | None:
    """Iterate and round; return a status if the run was stopped.

    It ends early if the best selection is proved to be optimal.
    """
    passing = run
    if run.seconds_left < inf:
        passing = run.with_reserve(backend.seconds_after_messages)
    state, every = backend.state, plan.iterations_per_rounding
    messages = state.messages
    status = None
    while status is None and messages.num_iterations < plan.message_iterations:
        if backend.is_proved():
            break
        backend.iterate()
        if every > 0 and messages.num_iterations % every == 0:
            backend.round()
        backend.save()
        status = passing.report(
            value=state.rounding.value,
            upper_bound=state.upper_bound,
            largest_change=messages.largest_change,
            price=messages.price,
            step="bp",
        )
    if not backend.is_proved():
        backend.finish_messages(run)
    return status


def _descend(backend: Backend, plan: Plan, run: Run) -> Status | None:
    """Lower the bound; return a status if the run was stopped."""
    state, descent = backend.state, backend.new_descent()
    status = None
    while status is None and descent.num_steps < plan.descent_steps:
        if not descent.can_descend:
            break
        began = run.seconds
        descent.step(plan.descent_steps - descent.num_steps)
        backend.save()
        if not descent.has_slow_steps:
            status = run.check_stop()
            continue
        seconds = run.seconds - began
        status = _report_bound(state, run)
        if run.seconds_left < plan.steps_per_bound * seconds:
            status = status or Status.TIME_LIMIT
    state.upper_bound = min(state.upper_bound, descent.bound())
    _report_bound(state, run)
    return status


def _report_bound(state: RunState, run: Run) -> Status | None:
    value, bound = state.rounding.value, state.upper_bound
    return run.report(value=value, upper_bound=bound, step="dual descent")
