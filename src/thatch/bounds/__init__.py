"""Certified upper bounds on the optimum.

>>> from thatch.bounds import lp_bound
>>> from thatch.instances import toy
>>> lp_bound(toy.greedy_trap().problem)
16.0
"""

from thatch.bounds.dual_bounds import (
    DualPoint,
    dual_bound,
    lp_bound,
    residual_bound,
)
from thatch.bounds.dual_descent import first_order_bound
from thatch.bounds.overlap_bounds import overlap_bound

__all__ = [
    "DualPoint",
    "dual_bound",
    "first_order_bound",
    "lp_bound",
    "overlap_bound",
    "residual_bound",
]
