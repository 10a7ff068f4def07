"""Solvers: each a frozen record of settings with ``solve(problem, run) -> Result``."""

from thatch.solvers.auto import Auto
from thatch.solvers.base import Solver
from thatch.solvers.belief_propagation import BeliefPropagation
from thatch.solvers.effort import Effort
from thatch.solvers.exact import Exact
from thatch.solvers.exhaustive import Exhaustive
from thatch.solvers.greedy import GeneralizedGreedy, Greedy, StaticGreedy
from thatch.solvers.local_search import LocalSearch
from thatch.solvers.partition_and_merge import PartitionAndMerge

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
    "PartitionAndMerge",
]
