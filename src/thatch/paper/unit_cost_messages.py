"""Whether messages oscillate, converge or differ, and how perturbations grow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thatch.arrays import Floats
from thatch.paper.fig2 import has_converged
from thatch.paper.unit_cost_methods import messages
from thatch.problem.coverage_problem import CoverageProblem

# An oscillation has a period of two to twenty iterations.
_LAST_ITERATIONS = 20


@dataclass(frozen=True)
class Course:
    """One run of the messages."""

    #: float64, shape (iterations,): expected cost divided by the budget.
    costs: Floats
    has_converged: bool
    #: Standard deviation of the fields of the items, divided by the mean weight.
    field_spread: float

    @property
    def least_cost(self) -> float:
        """The least of the last expected costs, divided by the budget."""
        return float(self.costs[-_LAST_ITERATIONS:].min())

    @property
    def most_cost(self) -> float:
        """The largest of the last expected costs, divided by the budget."""
        return float(self.costs[-_LAST_ITERATIONS:].max())


def course(
    problem: CoverageProblem,
    *,
    damping: float,
    initial: str = "zero",
    price: float | None = None,
) -> Course:
    """Follow the messages for 150 iterations, from "zero" or "random" first ones.

    Without a price, it adapts to the budget in the course of the iterations.
    """
    passing = messages(problem, initial=initial, damping=damping, price=price)
    costs = np.empty(150)
    for t in range(costs.size):
        passing.step()
        costs[t] = passing.beliefs.expected_cost / problem.budget
    mean, _ = problem.mean_and_largest_weight
    return Course(
        costs=costs,
        has_converged=has_converged(passing.largest_change, damping),
        field_spread=float(passing.beliefs.item_fields.std()) / mean,
    )


@dataclass(frozen=True)
class Growth:
    """Factors by which perturbations of all messages grow per undamped update."""

    #: Of one sign for all messages, which every update reverses.
    uniform: float
    #: Of random signs.
    random: float


def growth(problem: CoverageProblem, *, scaled: float | None = None) -> Growth:
    """Growth at the price that spends the budget, near the fixed point.

    Messages with a damping of 0.97 are close to the fixed point even where it is
    unstable. The factors are those of `Population.growth`, on one graph. `scaled` is
    the inverse temperature times the mean weight.
    """
    # What comes nearest to a fixed point.
    slow = messages(problem, initial="random", damping=0.97, scaled=scaled)
    slow.run(1000)
    at, price, beta = slow.element_messages, slow.price, slow.inverse_temperature

    def updated(start: Floats) -> Floats:
        passing = messages(
            problem, initial=start, damping=0.0, scaled=scaled, price=price
        )
        passing.step()
        return passing.element_messages

    # A perturbation is small, and far above rounding errors.
    base, size = updated(at), 1e-6 / beta

    def factor(has_random_signs: bool) -> float:
        rng = np.random.default_rng(0)
        perturbation, logarithms = np.full(at.size, size), []
        for _ in range(24):
            if has_random_signs:
                signs = rng.choice([-1.0, 1.0], size=at.size)
                perturbation = np.abs(perturbation) * signs
            # Every update reverses the sign; here it is reversed again.
            after = base - updated(at + perturbation)
            logarithms.append(np.log(_norm(after) / _norm(perturbation)))
            perturbation = after * (size / _norm(after))
        return float(np.exp(np.mean(logarithms[6:])))

    return Growth(uniform=factor(False), random=factor(True))


def _norm(perturbation: Floats) -> float:
    return float(np.sqrt(np.mean(perturbation**2)))
