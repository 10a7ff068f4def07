from .auto import Auto as Auto
from .base import Solver as Solver
from .belief_propagation import BeliefPropagation as BeliefPropagation
from .effort import Effort as Effort
from .exact import Exact as Exact
from .exhaustive import Exhaustive as Exhaustive
from .greedy import GeneralizedGreedy as GeneralizedGreedy
from .greedy import Greedy as Greedy
from .greedy import StaticGreedy as StaticGreedy
from .local_search import LocalSearch as LocalSearch

__all__ = [
    "Auto",
    "BeliefPropagation",
    "Effort",
    "Exact",
    "Exhaustive",
    "GeneralizedGreedy",
    "Greedy",
    "LocalSearch",
    "Solver",
    "StaticGreedy",
]
