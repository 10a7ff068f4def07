"""Belief propagation for coverage, after Kitano and Takeda."""

from thatch.solvers.belief_propagation.algorithm import BeliefPropagation
from thatch.solvers.belief_propagation.messages import Messages, Part

__all__ = ["BeliefPropagation", "Messages", "Part"]
