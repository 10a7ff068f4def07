"""Numbers that come from outside, made into arrays that nothing can change."""

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


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Mark an array read-only."""
    array.flags.writeable = False
    return array


def is_frozen(array: object) -> bool:
    """Whether an array, and what it may be a view of, can no longer be written."""
    while isinstance(array, np.ndarray) and not array.flags.writeable:
        if array.base is None:
            return True
        array = array.base
    return False


def numbers(name: str, values: ArrayLike) -> Floats:
    """Read-only float64 copy of a flat list of numbers."""
    try:
        array = np.array(values)
    except ValueError:
        raise InputError(
            f"{name} must be a flat list of numbers, got rows of different lengths.",
            hint=f"Give {name} one number each.",
        ) from None
    if array.ndim != 1:
        raise InputError(
            f"{name} must have one dimension, got {array.ndim}.",
            hint=f"Give {name} one number each.",
        )
    if array.size == 0:
        array = array.astype(np.float64)
    if array.dtype.kind not in "biuf":
        bad = next((i for i, x in enumerate(array.tolist()) if not _is_number(x)), None)
        if bad is not None:
            raise InputTypeError(
                f"{name} must be numbers, got {array.tolist()[bad]!r} at {bad}.",
                hint=f"Give {name} one number each.",
            )
    try:
        with np.errstate(over="ignore"):
            return frozen(array.astype(np.float64))
    except OverflowError:
        raise _too_large(name) from None


def number(name: str, value: object) -> float:
    """Read one number, or raise the error that names it.

    >>> number("budget", 3)
    3.0
    """
    if not _is_number(value):
        raise InputTypeError(
            f"{name} must be a number, got {value!r}.", hint=f"Pass {name} as a number."
        )
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        raise _too_large(name) from None


def _too_large(name: str) -> InputError:
    return InputError(
        f"{name} must be at most {np.finfo(float).max:.3g}, got an integer above it.",
        hint=f"Measure {name} in a larger unit.",
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.integer | np.floating | np.bool_)


def require_finite_and_not_negative(
    name: str, values: Floats, owner: str, names: Sequence[str] | None = None
) -> None:
    """Raise the error that names the first value that is NaN, infinite or negative.

    `owner` is what each value belongs to ("item"), `names` what those are called.
    """
    is_bad = ~(np.isfinite(values) & (values >= 0))
    if not is_bad.any():
        return
    position = int(np.argmax(is_bad))
    place = repr(names[position]) if names else str(position)
    raise InputError(
        f"{name} must be finite and >= 0, got {float(values[position])} "
        f"at {owner} {place}.",
        hint=f"Correct or remove that {owner}.",
    )


def distinct(*numbers: Ints | Indices) -> Ints:
    """Every number that occurs in any of the arrays, once, ascending.

    NumPy's own ``unique`` and ``union1d`` first import its masked arrays, which takes
    longer than solving a small problem.

    >>> import numpy as np
    >>> distinct(np.array([4, 2]), np.array([4, 1, 4]))
    array([1, 2, 4])
    """
    ordered = np.sort(np.concatenate(numbers)).astype(np.int64)
    is_new = np.ones(ordered.size, dtype=np.bool_)
    is_new[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_new]


def exact_sum(values: Floats) -> float:
    """Sum rounded once, so that the same numbers in any order give the same bits.

    >>> import numpy as np
    >>> exact_sum(np.array([0.1] * 10))
    1.0
    """
    return math.fsum(values.tolist())
