"""Standard errors of means."""

from __future__ import annotations

import numpy as np

from thatch.arrays import Floats


def standard_error(values: Floats) -> float:
    """Standard error of the mean.

    >>> standard_error(np.array([1.0, 3.0]))
    1.0
    """
    return float(values.std(ddof=1) / np.sqrt(values.size))
