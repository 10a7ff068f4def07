"""The schedule of updates: damping, iterations, reinforcement, precision."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

import numpy as np

from thatch.arrays import number
from thatch.errors import InputError
from thatch.machine.devices import Device
from thatch.options import require_integer

#: Messages that change less than this, times the inverse temperature, have converged.
TOLERANCE = 1e-6


class Precision(enum.StrEnum):
    """The precision of messages: 16 digits, or 7 in half the memory.

    In single precision, messages stop changing before they reach the default tolerance
    of `Converged`.

    >>> Precision("single")
    <Precision.SINGLE: 'single'>
    """

    DOUBLE = "double"
    SINGLE = "single"


def price_step(t: int) -> float:
    """Step size of adapted prices in iteration t.

    Steps shrink with the iterations: at low temperature the expected cost jumps from
    item to item, and equal steps would oscillate around the budget.
    """
    return 0.5 / (1.0 + t / 10.0)


def price_factor(spent: Any, budget: Any, t: int) -> Any:
    """The factor of adapted prices in iteration t, after which less or more is spent.

    >>> float(price_factor(3.0, 2.0, 0) > 1.0), float(price_factor(2.0, 2.0, 0))
    (1.0, 1.0)
    """
    with np.errstate(over="ignore"):
        excess = (spent - budget) / np.maximum(budget, 1e-300)
    return np.exp(price_step(t) * np.clip(excess, -1.0, 1.0))


@dataclass(frozen=True)
class Schedule:
    """Settings of the updates of messages.

    >>> schedule = Schedule(max_iterations=4, reinforcement=0.8)
    >>> [round(schedule.share_at(t), 2) for t in range(4)]
    [0.0, 0.05, 0.2, 0.45]
    """

    #: Share of the old message that an update keeps.
    damping: float = 0.5
    #: How often every message is updated.
    max_iterations: int = 150
    #: Share of its last field that is added to an item at the end; 0 in the paper.
    reinforcement: float = 0.0
    #: single or double; default: single on a GPU, double on the processor.
    precision: str | None = None

    def __post_init__(self) -> None:
        if not 0 <= number("damping", self.damping) < 1:
            raise InputError(
                f"damping is {self.damping}; it must be at least 0 and below 1.",
                hint="0.5 works for most graphs; 0 keeps nothing of the old message.",
            )
        hint = "The paper uses 150."
        require_integer("max_iterations", self.max_iterations, hint=hint)
        if not 0 <= number("reinforcement", self.reinforcement) < 1:
            raise InputError(
                f"reinforcement is {self.reinforcement}; it must be at least 0 and "
                "below 1.",
                hint="0.9 commits to a selection; 0 is the paper's update.",
            )
        if self.precision is not None and self.precision not in list(Precision):
            raise InputError(
                f"precision is {self.precision!r}; it must be double or single.",
                hint="Leave it out for the default of the device.",
            )

    def precision_on(self, device: Device) -> Precision:
        """The given precision, or the default of the device.

        >>> Schedule().precision_on(Device.GPU).value
        'single'
        """
        if self.precision is not None:
            return Precision(self.precision)
        return Precision.SINGLE if device is Device.GPU else Precision.DOUBLE

    def share_at(self, t: int) -> float:
        """Share of its field that is added to an item in iteration t.

        It grows slowly at first: messages should see the graph before they commit.
        """
        return self.reinforcement * (t / max(1, self.max_iterations)) ** 2
