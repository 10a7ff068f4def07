"""How messages are updated from one iteration to the next."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from thatch.arrays import number
from thatch.devices import Device
from thatch.errors import InputError


class Precision(enum.StrEnum):
    """How many digits a message has: sixteen, or seven in half the memory.

    Single messages stop moving a digit sooner than `Converged` asks for by default.

    >>> Precision("single")
    <Precision.SINGLE: 'single'>
    """

    DOUBLE = "double"
    SINGLE = "single"


def price_step(t: int) -> float:
    """How far prices follow the budget in iteration t.

    The steps shrink with the iterations: at low temperature the expected cost jumps
    from item to item, and equal steps would swing around the budget for ever.
    """
    return 0.5 / (1.0 + t / 10.0)


@dataclass(frozen=True)
class Schedule:
    """What every iteration keeps, and what it gives back.

    >>> schedule = Schedule(max_iterations=4, reinforcement=0.8)
    >>> [round(schedule.share_at(t), 2) for t in range(4)]
    [0.0, 0.05, 0.2, 0.45]
    """

    #: Share of the old message that an update keeps.
    damping: float = 0.5
    #: How often every message is updated.
    max_iterations: int = 150
    #: Share of its last field that an item is given back at the end; 0 is the paper's.
    reinforcement: float = 0.0
    #: How messages are held; unless given, single on a GPU and double elsewhere.
    precision: str | None = None

    def __post_init__(self) -> None:
        if not 0 <= number("damping", self.damping) < 1:
            raise InputError(
                f"damping must be >= 0 and < 1, got {self.damping}.",
                hint="0.5 suits most graphs; 0 is the paper's undamped update.",
            )
        iterations = number("max_iterations", self.max_iterations)
        if iterations < 0 or iterations % 1:
            raise InputError(
                f"max_iterations must be a whole number >= 0, got {iterations:g}.",
                hint="The paper uses 150.",
            )
        if not 0 <= number("reinforcement", self.reinforcement) < 1:
            raise InputError(
                f"reinforcement must be >= 0 and < 1, got {self.reinforcement}.",
                hint="0.9 commits to a selection; 0 leaves the paper's messages alone.",
            )
        if self.precision is not None and self.precision not in list(Precision):
            raise InputError(
                f"precision must be double or single, got {self.precision!r}.",
                hint="Leave it out for the one that suits the device.",
            )

    def precision_on(self, device: Device) -> Precision:
        """The precision given, or the one that suits the device.

        >>> Schedule().precision_on(Device.GPU).value
        'single'
        """
        if self.precision is not None:
            return Precision(self.precision)
        return Precision.SINGLE if device is Device.GPU else Precision.DOUBLE

    def share_at(self, t: int) -> float:
        """Share of its field that an item is given back in iteration t.

        It grows slowly at first: messages should know the graph before they commit.
        """
        return self.reinforcement * (t / max(1, self.max_iterations)) ** 2
