"""Rows of integer programs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from thatch.arrays import Floats, Ints


class Sense(Enum):
    """How the left-hand side of a row compares with its right-hand side."""

    AT_MOST = "<="
    AT_LEAST = ">="
    EQUAL = "="


@dataclass(frozen=True, eq=False, slots=True)
class Row:
    """One constraint: a sum over columns, compared with a number.

    >>> import numpy as np
    >>> Row("staff", np.array([0, 2]), np.array([1.0, 3.0]), Sense.AT_MOST, 7.0).name
    'staff'
    """

    name: str
    #: int64: numbers of the columns, from 0, all different.
    columns: Ints
    #: float64: one coefficient per column in `columns`.
    coefficients: Floats
    sense: Sense
    right_side: float
