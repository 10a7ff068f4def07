"""Random numbers that are the same on every machine, and rules for costs and weights.

NumPy guarantees the raw bits of a generator, but not the numbers of its methods. So
this module draws raw bits, and converts them to numbers itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thatch._kernels import graph as kernel
from thatch.arrays import Floats, Indices, Ints
from thatch.errors import InputError
from thatch.options import require_integer


class Randomness:
    """Numbers from raw random bits.

    >>> Randomness(0).integers(1, 10, size=5)
    array([7, 3, 1, 1, 9])
    """

    def __init__(self, seed: int) -> None:
        require_integer("seed", seed, hint="Pass 0 or more.")
        self._bits = np.random.PCG64(seed)

    def raw(self, size: int) -> NDArray[np.uint64]:
        """Unsigned 64-bit integers."""
        return np.asarray(self._bits.random_raw(size), dtype=np.uint64)

    def reals(self, size: int) -> Floats:
        """Reals from 0 (included) to 1 (excluded)."""
        return (self.raw(size) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def integers(self, low: int, high: int, *, size: int) -> Ints:
        """Integers from low to high, both included."""
        width = np.uint64(high - low + 1)
        return low + (
            (self.raw(size) >> np.uint64(32)) * width >> np.uint64(32)
        ).astype(np.int64)

    def permutation(self, size: int) -> Ints:
        """Return the numbers below size in random order."""
        return np.argsort(self.raw(size), kind="stable").astype(np.int64)

    def shuffled(self, size: int) -> Indices:
        """Another such order, int32, in a tenth of the time.

        >>> Randomness(0).shuffled(5)
        array([1, 2, 3, 0, 4], dtype=int32)
        """
        order = np.arange(size, dtype=np.int32)
        kernel.shuffle(order, self.raw(size))
        return order


@dataclass(frozen=True)
class UniformIntegers:
    """Integers from low to high, both included, with equal probability."""

    low: int = 1
    high: int = 10

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            require_integer(name, getattr(self, name), hint="Or use UniformReals.")
        if not self.low <= self.high < 2**31:
            raise InputError(
                f"low is {self.low} and high is {self.high}; they must satisfy "
                "0 <= low <= high < 2^31.",
                hint="Pass the smaller number first.",
            )

    def __call__(self, randomness: Randomness, degrees: Ints) -> Floats:
        numbers = randomness.integers(self.low, self.high, size=degrees.size)
        return numbers.astype(np.float64)


@dataclass(frozen=True)
class EvenIntegers(UniformIntegers):
    """Integers from low to high, each equally often, in random order.

    Their mean has no statistical error, so that fewer graphs give a precise average.

    >>> np.sort(EvenIntegers(1, 3)(Randomness(0), np.zeros(6)))
    array([1., 1., 2., 2., 3., 3.])
    """

    def __call__(self, randomness: Randomness, degrees: Ints) -> Floats:
        count = self.high - self.low + 1
        order = randomness.shuffled(degrees.size)
        # The last ones, less than one of each, start anywhere.
        first = int(randomness.integers(0, count - 1, size=1)[0])
        return self.low + ((order + first) % count).astype(np.float64)


@dataclass(frozen=True)
class UniformReals:
    """Real numbers between low and high."""

    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.high < np.inf:
            raise InputError(
                f"low is {self.low} and high is {self.high}; they must satisfy "
                "0 <= low <= high, and be finite.",
                hint="Pass the smaller number first.",
            )

    def __call__(self, randomness: Randomness, degrees: Ints) -> Floats:
        return self.low + (self.high - self.low) * randomness.reals(degrees.size)


@dataclass(frozen=True)
class Constant:
    """The same number for every item or element."""

    value: float = 1.0

    def __call__(self, randomness: Randomness, degrees: Ints) -> Floats:
        return np.full(degrees.size, self.value)


@dataclass(frozen=True)
class ByDegree:
    """Numbers proportional to the degree, as of long sentences and frequent words."""

    factor: float = 1.0

    def __call__(self, randomness: Randomness, degrees: Ints) -> Floats:
        return self.factor * degrees.astype(np.float64)


#: Returns costs or weights, given random numbers and the degrees of items or elements.
Rule = Callable[[Randomness, Ints], Floats]
