"""The result of a solver."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, replace

from thatch.problem.selection import Selection
from thatch.run.beliefs import Beliefs
from thatch.run.progress import Progress


class Status(enum.Enum):
    """Why a solver stopped, as a sentence for users.

    >>> Status.OPTIMAL.label
    'optimal'
    >>> Status.TIME_LIMIT.value
    'The time limit was reached; more time may help.'
    """

    OPTIMAL = "No selection within the budget covers more."
    FINISHED = "The solver finished; it does not prove its selection optimal."
    CONVERGED = "The messages converged."
    ITERATION_LIMIT = "The iteration limit was reached; more iterations may help."
    TIME_LIMIT = "The time limit was reached; more time may help."
    NO_IMPROVEMENT = "No better selection was found for the iterations allowed."
    TARGET_REACHED = "The target value or gap was reached."
    INTERRUPTED = "The solver was interrupted; more time may help."

    @property
    def label(self) -> str:
        """The status in lower case, as printed and written to JSON."""
        return self.name.lower()


@dataclass(frozen=True, eq=False)
class Result:
    """A selection, why the solver stopped, and a bound on the optimum.

    >>> from thatch import GeneralizedGreedy, solve
    >>> from thatch.instances import toy
    >>> result = solve(toy.greedy_trap().problem, GeneralizedGreedy())
    >>> result.selection.value, result.upper_bound, result.gap
    (13.0, 16.0, 0.1875)
    """

    selection: Selection
    status: Status
    #: No selection within the budget is worth more than this.
    upper_bound: float
    iterations: int
    seconds: float
    #: One entry per iteration.
    trace: Sequence[Progress]
    #: Fields and marginals, where the solver passes messages.
    beliefs: Beliefs | None = None

    @property
    def gap(self) -> float:
        """Share of the upper bound that may be missing; 0 means proved optimal."""
        if self.upper_bound <= self.selection.value:
            return 0.0
        if self.upper_bound == float("inf"):
            return 1.0
        return (self.upper_bound - self.selection.value) / self.upper_bound

    def with_bound(self, upper_bound: float) -> Result:
        """Return the result with the lower of its bound and this one."""
        tightest = min(self.upper_bound, upper_bound)
        is_proved = self.selection.is_feasible and tightest <= self.selection.value
        return replace(
            self,
            upper_bound=max(tightest, self.selection.value),
            status=Status.OPTIMAL if is_proved else self.status,
        )

    def __repr__(self) -> str:
        return (
            f"Result({self.status.label}, value {self.selection.value:g}, "
            f"gap {self.gap:.3%}, {len(self.selection)} items)"
        )
