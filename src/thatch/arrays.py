"""Arrays of numbers: checked, converted and read-only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thatch.errors import InputError, InputTypeError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Indices = NDArray[np.int32]
Flags = NDArray[np.bool_]

# The digits by which a number is found among many, and below how many it is sorted.
_DIGIT_BITS = 16
_DIGIT_SIZE = 1 << _DIGIT_BITS
_MIN_TO_COUNT_DIGITS = 50_000
_BLOCK_SIZE = 1 << 20


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Mark an array read-only."""
    array.flags.writeable = False
    return array


def is_frozen(array: object) -> bool:
    """Whether an array, and the array that it may be a view of, are read-only."""
    while isinstance(array, np.ndarray) and not array.flags.writeable:
        if array.base is None:
            return True
        array = array.base
    return False


def numbers(name: str, values: ArrayLike) -> Floats:
    """Read-only float64 copy of a flat list of numbers.

    Raises
    ------
    InputError
        If the list is not flat, or a number is too large.
    InputTypeError
        If something in it is not a number.
    """
    try:
        array = np.array(values)
    except ValueError:
        raise InputError(
            f"{name} contains lists of different lengths; a flat list of numbers was "
            "expected.",
            hint=f"Pass {name} as one list of numbers.",
        ) from None
    if array.ndim != 1:
        raise InputError(
            f"{name} has {array.ndim} dimensions; a flat list of numbers was expected.",
            hint=f"Pass {name} as one list of numbers.",
        )
    if array.size == 0:
        array = array.astype(np.float64)
    if array.dtype.kind not in "biuf":
        # NumPy turns the numbers of a list that contains a string into strings too.
        given = values if isinstance(values, list | tuple) else array.tolist()
        for position, value in enumerate(given):
            if not _is_number(value):
                raise InputTypeError(
                    f"{name}[{position}] is {value!r}; a number was expected.",
                    hint=f"Pass {name} as one list of numbers.",
                )
    try:
        with np.errstate(over="ignore"):
            return frozen(array.astype(np.float64))
    except OverflowError:
        raise _too_large(name) from None


def number(name: str, value: object) -> float:
    """Return a value as a float; `name` is for errors.

    Raises
    ------
    InputError
        If the number is too large.
    InputTypeError
        If the value is not a number.

    >>> number("budget", 3)
    3.0
    """
    if not _is_number(value):
        raise InputTypeError(
            f"{name} is {value!r}; a number was expected.",
            hint=f"Pass {name} as a number.",
        )
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        raise _too_large(name) from None


def _too_large(name: str) -> InputError:
    return InputError(
        f"{name} contains an integer above {np.finfo(float).max:.3g}, the largest "
        "float64.",
        hint=f"Measure {name} in a larger unit.",
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.integer | np.floating | np.bool_)


def require_finite_and_not_negative(
    name: str, values: Floats, owner: str, names: Sequence[str] | None = None
) -> None:
    """Require that all values are finite and non-negative.

    Parameters
    ----------
    name
        What the values are: "weights".
    values
        The values.
    owner
        What each value belongs to: "element".
    names
        Names of the owners, if they have any.

    Raises
    ------
    InputError
        If a value is NaN, infinite or negative; it names the first one.
    """
    is_bad = ~(np.isfinite(values) & (values >= 0))
    if not is_bad.any():
        return
    position = int(np.argmax(is_bad))
    place = repr(names[position]) if names else str(position)
    raise InputError(
        f"{name}[{place}] is {float(values[position])}; {name} must be finite and "
        "non-negative.",
        hint=f"Correct or remove {owner} {place}.",
    )


def require_finite_sum(name: str, values: Floats) -> None:
    """Require that the values add up to a double."""
    with np.errstate(over="ignore"):
        total = float(values.sum())
    if not np.isfinite(total):
        raise InputError(
            f"the sum of the {name} exceeds {np.finfo(float).max:.2g}, the largest "
            "float64.",
            hint=f"Measure {name} in a larger unit.",
        )


def distinct(*numbers: Ints | Indices) -> Ints:
    """Distinct numbers of the arrays, ascending.

    NumPy's ``unique`` and ``union1d`` import its masked arrays, which takes longer than
    solving a small problem.

    >>> import numpy as np
    >>> distinct(np.array([4, 2]), np.array([4, 1, 4]))
    array([1, 2, 4])
    """
    ordered = np.sort(np.concatenate(numbers)).astype(np.int64)
    is_new = np.ones(ordered.size, dtype=np.bool_)
    is_new[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_new]


def numbered(values: Sequence[object]) -> Ints:
    """A number for each value, by first appearance: int64, shape (len(values),).

    >>> numbered(["b", "a", "b"])
    array([0, 1, 0])
    """
    number_of: dict[object, int] = {}
    numbers = [number_of.setdefault(value, len(number_of)) for value in values]
    return np.array(numbers, dtype=np.int64)


def sums_by(groups: Ints | Indices, values: Floats, num_groups: int) -> Floats:
    """Sum of the values of each group, which count from 0: shape (num_groups,).

    >>> import numpy as np
    >>> sums_by(np.array([0, 2, 0]), np.array([1.0, 2.0, 3.0]), 3)
    array([4., 0., 2.])
    """
    sums: Floats = np.bincount(groups, weights=values, minlength=num_groups)  # type: ignore[assignment]
    return sums


def exact_sum(values: Floats) -> float:
    """Correctly rounded sum, which does not depend on the order of the values.

    >>> import numpy as np
    >>> exact_sum(np.array([0.1] * 10))
    1.0
    """
    # Integers up to 2^53 add up without rounding, and most costs and weights are
    # integers. Looking at a few numbers first would take longer than it saves.
    if values.size > 1000 and (values == np.rint(values)).all():
        with np.errstate(over="ignore"):
            largest = float(np.abs(values).sum())
        if largest <= 2.0**53:
            return float(values.sum())
    return math.fsum(values.tolist())


def is_at_most(values: Floats, limit: float) -> bool:
    """Whether the exact sum of the values is at most a limit.

    >>> is_at_most(np.array([1e16, 1.0]), 1e16)
    False
    """
    return math.fsum([*values.tolist(), -limit]) <= 0.0


def sum_rounded_up(values: Sequence[float]) -> float:
    """The smallest double that is at least the sum.

    >>> sum_rounded_up([1e16, 0.5]), exact_sum(np.array([1e16, 0.5]))
    (1.0000000000000002e+16, 1e+16)
    """
    total = math.fsum(values)
    is_below = math.fsum((*values, -total)) > 0
    return math.nextafter(total, math.inf) if is_below else total


def value_at(values: Floats, costs: Floats, budget: float) -> float | None:
    """The value at which the budget runs out, from the highest down.

    The costs of all higher values are within the budget; with those of this value, they
    exceed it. None means that all are within it.

    The bits of numbers are ordered as the numbers are, but for the sign. So the value
    is found by its digits, from the first to the last, and few values are sorted.

    >>> value_at(np.array([1.0, 3.0, 2.0]), np.array([5.0, 2.0, 2.0]), 3.0)
    2.0
    """
    spent, is_within = 0.0, False
    for digit in range(3, -1, -1):
        if values.size < _MIN_TO_COUNT_DIGITS:
            break
        digits, by_digit = _digits(values, costs, digit)
        by_digit = by_digit[::-1]
        spent_by = spent + np.cumsum(by_digit)
        place = int(np.searchsorted(spent_by, budget, side="right"))
        if place == _DIGIT_SIZE and not is_within:
            return None
        is_within = True
        # Sums in another order may be rounded to the budget: then it is the last one.
        place = min(place, int(np.flatnonzero(by_digit)[-1]))
        spent = float(spent_by[place - 1]) if place else spent
        is_next = digits == _DIGIT_SIZE - 1 - place
        costs, values = costs[is_next], values[is_next]
    order = np.argsort(-values, kind="stable")
    spent_by = spent + np.cumsum(costs[order])
    position = int(np.searchsorted(spent_by, budget, side="right"))
    if position < order.size:
        return float(values[order[position]])
    return float(values[order[-1]]) if is_within else None


def _digits(
    values: Floats, costs: Floats, digit: int
) -> tuple[NDArray[np.uint16], Floats]:
    """A digit of each value, and the costs of the values with each digit."""
    digits = np.empty(values.size, dtype=np.uint16)
    by_digit = np.zeros(_DIGIT_SIZE)
    # In blocks: temporary arrays of all values may not fit the memory.
    for first in range(0, values.size, _BLOCK_SIZE):
        block = slice(first, first + _BLOCK_SIZE)
        bits = _ordered_bits(values[block]) >> (_DIGIT_BITS * digit)
        found = bits & (_DIGIT_SIZE - 1)
        by_digit += np.bincount(found, weights=costs[block], minlength=_DIGIT_SIZE)
        digits[block] = found
    return digits, by_digit


def _ordered_bits(values: Floats) -> Ints:
    """The bits of numbers as integers that are ordered as the numbers are.

    As unsigned ones, which the digits of signed ones are as well.
    """
    bits = values.view(np.int64)
    lowest = np.iinfo(np.int64).min
    flipped: Ints = np.where(bits < 0, ~bits, bits ^ lowest)
    return flipped
