from .dual_bounds import DualPoint as DualPoint
from .dual_bounds import dual_bound as dual_bound
from .dual_bounds import lp_bound as lp_bound
from .dual_bounds import residual_bound as residual_bound
from .dual_descent import first_order_bound as first_order_bound
from .overlap_bounds import overlap_bound as overlap_bound

__all__ = [
    "DualPoint",
    "dual_bound",
    "first_order_bound",
    "lp_bound",
    "overlap_bound",
    "residual_bound",
]
