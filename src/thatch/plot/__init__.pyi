from .curves import plot_convergence as plot_convergence
from .curves import plot_curve as plot_curve
from .drawing import save as save
from .maps import plot_map as plot_map
from .marginals import plot_marginals as plot_marginals
from .overlap import plot_overlap as plot_overlap

__all__ = [
    "plot_convergence",
    "plot_curve",
    "plot_map",
    "plot_marginals",
    "plot_overlap",
    "save",
]
