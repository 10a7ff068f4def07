from .dual_bounds import DualPoint as DualPoint
from .dual_bounds import dual_bound as dual_bound
from .dual_bounds import lp_bound as lp_bound
from .dual_bounds import residual_bound as residual_bound
from .dual_descent import first_order_bound as first_order_bound

__all__ = [
    "DualPoint",
    "dual_bound",
    "first_order_bound",
    "lp_bound",
    "residual_bound",
]
