"""The paper's Algorithm 2: pass messages, rank the items by field per cost, fill."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thatch.arrays import Floats
from thatch.beliefs import Beliefs
from thatch.bounds import critical_price
from thatch.errors import InputError
from thatch.problem import CoverageProblem
from thatch.result import Result, Status
from thatch.run import Run
from thatch.solvers.belief_propagation.messages import Messages, Part
from thatch.solvers.greedy import fill_by_ranking, item_weights

# Inverse temperature times mean weight of the paper's Fig. 2: 3 times 5.5.
_SCALED_INVERSE_TEMPERATURE = 16.5
# Messages that move less than this have settled.
_SETTLED = 1e-6


@dataclass(frozen=True)
class BeliefPropagation:
    """Pass messages between items and elements, then fill by field per cost.

    >>> from thatch import solve
    >>> from thatch.instances import toy
    >>> result = solve(toy.greedy_trap().problem, BeliefPropagation(price=4.0))
    >>> result.selection.value
    16.0
    >>> result.beliefs.item_marginals.round(3)
    array([0., 1., 1.])
    """

    #: How much weight decides; 16.5 divided by the mean weight unless given, which is
    #: the paper's 3 on its random graphs.
    inverse_temperature: float | None = None
    #: Weight that a unit of cost must earn; unless given, adapted during the
    #: iterations until the expected cost equals the budget.
    price: float | None = None
    #: Share of the old message that an update keeps.
    damping: float = 0.5
    #: How often every message is updated.
    max_iterations: int = 150

    def __post_init__(self) -> None:
        if not 0 <= self.damping < 1:
            raise InputError(
                f"damping must be >= 0 and < 1, got {self.damping}.",
                hint="0.5 suits most graphs; 0 is the paper's undamped update.",
            )
        if self.max_iterations < 0:
            raise InputError(
                f"max_iterations must be >= 0, got {self.max_iterations}.",
                hint="The paper uses 150.",
            )

    def solve(self, problem: CoverageProblem, run: Run) -> Result:
        """Iterate, rank, fill."""
        (beliefs,), status = self._settle([self.part(problem)], run)
        best = fill_by_ranking(problem, beliefs.item_fields)
        return run.result(best, status, beliefs=beliefs)

    def part(self, problem: CoverageProblem) -> Part:
        """The problem at these settings, with a first price where none is given."""
        beta = self.inverse_temperature
        if beta is None:
            beta = _typical_inverse_temperature(problem)
        price = self.price
        if price is None:
            price = critical_price(item_weights(problem), problem.costs, problem.budget)
        return Part(problem, beta, price)

    def beliefs(
        self, parts: Sequence[Part], *, run: Run | None = None
    ) -> list[Beliefs]:
        """Beliefs of many problems, or of one at many prices, passed as one graph.

        The parts carry their own inverse temperatures and prices.

        >>> from thatch.instances import toy
        >>> problem = toy.greedy_trap().problem
        >>> sweep = [Part(problem, 3.0, price) for price in (1.0, 4.0, 100.0)]
        >>> solver = BeliefPropagation(price=0.0)
        >>> [round(beliefs.expected_cost, 2) for beliefs in solver.beliefs(sweep)]
        [2.05, 2.0, 0.0]
        """
        return self._settle(parts, run or Run())[0]

    def _settle(self, parts: Sequence[Part], run: Run) -> tuple[list[Beliefs], Status]:
        messages = Messages(parts, num_threads=run.num_threads)
        status = None
        for t in range(self.max_iterations):
            if status is not None:
                break
            messages.iterate(self.damping)
            status = run.report(
                largest_change=float(messages.largest_changes.max()),
                price=float(messages.prices[0]) if len(parts) == 1 else np.nan,
            )
            if self.price is None:
                messages.set_prices(_spending_prices(messages, t))
        if status is None:
            is_settled = messages.largest_changes.max() <= _SETTLED
            status = Status.CONVERGED if is_settled else Status.ITERATION_LIMIT
        return messages.beliefs(), status


def _typical_inverse_temperature(problem: CoverageProblem) -> float:
    positive = problem.weights[problem.weights > 0]
    mean = float(positive.mean()) if positive.size else 1.0
    return _SCALED_INVERSE_TEMPERATURE / max(mean, 1e-300)


def _spending_prices(messages: Messages, t: int) -> Floats:
    """Prices a step closer to those at which the expected cost equals the budget.

    The steps shrink: at low temperature the expected cost jumps from item to item, and
    equal steps would swing around the budget for ever.
    """
    budgets = np.array([part.problem.budget for part in messages.parts])
    with np.errstate(over="ignore"):
        excess = (messages.expected_costs() - budgets) / np.maximum(budgets, 1e-300)
    step = 0.5 / (1.0 + t / 10.0)
    factors = np.exp(step * np.clip(excess, -1.0, 1.0))
    prices: Floats = np.minimum(messages.prices, 1e300) * factors
    return prices
