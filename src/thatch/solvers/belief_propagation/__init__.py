"""Belief propagation for coverage, after Kitano and Takeda."""

from thatch.solvers.belief_propagation.algorithm import BeliefPropagation, propagate
from thatch.solvers.belief_propagation.message_passing import MessagePassing
from thatch.solvers.belief_propagation.messages import Messages
from thatch.solvers.belief_propagation.priced_problem import PricedProblem
from thatch.solvers.belief_propagation.schedule import Precision

__all__ = [
    "BeliefPropagation",
    "MessagePassing",
    "Messages",
    "PricedProblem",
    "Precision",
    "propagate",
]
