"""Settings of messages on shards, on engines and on a GPU."""

from __future__ import annotations

from math import inf, isinf

from thatch.errors import InputError
from thatch.sharding.sharded_problem import ShardedProblem
from thatch.solvers.belief_propagation.priced_problem import (
    default_inverse_temperature,
)

__all__ = ["MESSAGES_TIME_SHARE", "STEPS_PER_BOUND", "inverse_temperature_of"]

#: Share of the time limit for messages.
MESSAGES_TIME_SHARE = 0.4
#: The bound takes about as long as this many steps of the descent.
STEPS_PER_BOUND = 2.0

_HINT = "Leave it out for the default."


def inverse_temperature_of(
    problem: ShardedProblem, given: float | None, *, largest_scaled: float = inf
) -> float:
    """The given inverse temperature, or the default for the weights.

    Parameters
    ----------
    problem
        The problem, which has the largest weight.
    given
        The inverse temperature, or None.
    largest_scaled
        The most that it may be, times the largest weight.
    """
    largest = problem.largest_weight
    if given is None:
        return default_inverse_temperature(problem.mean_weight, largest)
    if isinf(given):
        raise InputError(
            f"inverse_temperature is {given:g}; on shards it must be finite.",
            hint=_HINT,
        )
    if given * largest > largest_scaled:
        raise InputError(
            f"inverse_temperature is {given:g}; on shards with a largest weight of "
            f"{largest:g}, it must be at most {largest_scaled / largest:g}.",
            hint=_HINT,
        )
    return given
