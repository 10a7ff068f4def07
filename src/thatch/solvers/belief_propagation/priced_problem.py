"""One problem at one inverse temperature and price: what messages are passed on."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import inf

import numpy as np

from thatch.arrays import number
from thatch.bounds.dual_bounds import critical_price
from thatch.errors import InputError
from thatch.problem.coverage_problem import CoverageProblem
from thatch.solvers.belief_propagation.representations import LARGEST_IN_PRODUCTS
from thatch.solvers.greedy import complete_by_gain, item_weights

# Inverse temperature times mean weight of the paper's Fig. 2: 3 times 5.5.
_SCALED_INVERSE_TEMPERATURE = 16.5
# Share of the budget whose earnings tell the price to begin with.
_LAST_SHARE = 0.1
# What single precision rounds adds up to less than 10^-4 at a node of so many edges.
_MOST_EDGES_IN_SINGLES = 1_000
# Above so many edges, filling greedily takes as long as many iterations.
_MOST_EDGES_TO_FILL = 1_000_000


@dataclass(frozen=True)
class PricedProblem:
    """One problem at one inverse temperature and price.

    >>> from thatch.instances import toy
    >>> priced = PricedProblem(toy.greedy_trap().problem)
    >>> priced.used_inverse_temperature, priced.first_price
    (4.125, 15.0)
    """

    problem: CoverageProblem
    #: How much weight decides. Unless given, 16.5 divided by the mean weight, which is
    #: the paper's 3 on its random graphs, or less if some weights are far above the
    #: mean. Infinite is zero temperature: max-sum.
    inverse_temperature: float | None = field(default=None, kw_only=True)
    #: Weight that a unit of cost must earn; unless given, adapted during the
    #: iterations until the expected cost equals the budget.
    price: float | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        require_temperature_and_price(self.inverse_temperature, self.price)

    @property
    def used_inverse_temperature(self) -> float:
        """The inverse temperature given, or the one that suits the weights."""
        if self.inverse_temperature is not None:
            return self.inverse_temperature
        return self._suitable_inverse_temperature

    @property
    def scale(self) -> float:
        """What fields are multiplied by: finite, whatever the inverse temperature."""
        inverse_temperature = self.used_inverse_temperature
        if np.isinf(inverse_temperature):
            return self._suitable_inverse_temperature
        return inverse_temperature

    @property
    def largest_scaled_weight(self) -> float:
        """The largest weight, times what fields are multiplied by."""
        _, largest = self.problem.mean_and_largest_weight
        return largest * self.scale

    @property
    def fits_singles(self) -> bool:
        """Whether no item or element has so many edges that their rounding shows."""
        return self.problem.edges.largest_degree <= _MOST_EDGES_IN_SINGLES

    @property
    def _suitable_inverse_temperature(self) -> float:
        mean, largest = self.problem.mean_and_largest_weight
        # A few very heavy elements should not make all messages take a slower form.
        most = 0.99 * LARGEST_IN_PRODUCTS / max(largest, 1e-300)
        return min(_SCALED_INVERSE_TEMPERATURE / max(mean, 1e-300), most)

    @cached_property
    def first_price(self) -> float:
        """The price given, or what g-greedy earns per cost with the last of the budget.

        Where that is nothing, or the graph is so large that the iterations find the
        price sooner, the one at which a static order runs out of budget.
        """
        if self.price is not None:
            return self.price
        problem = self.problem
        if problem.num_edges > _MOST_EDGES_TO_FILL:
            return self._static_price
        last = _LAST_SHARE * problem.budget
        most, less = (
            complete_by_gain(each, (), divisors=problem.costs).value
            for each in (problem, problem.with_budget(problem.budget - last))
        )
        if most > less and (most - less) / last < inf:
            return (most - less) / last
        return self._static_price

    @property
    def _static_price(self) -> float:
        problem = self.problem
        merits = item_weights(problem)
        return critical_price(merits, problem.costs, budget=problem.budget)


def require_temperature_and_price(
    inverse_temperature: float | None, price: float | None
) -> None:
    """Raise the error that names which of the two is impossible."""
    if inverse_temperature is not None:
        value = number("inverse_temperature", inverse_temperature)
        if not value > 0:
            raise InputError(
                f"inverse_temperature must be > 0, got {value}.",
                hint="Leave it out for one that suits the weights.",
            )
    if price is not None and not np.isfinite(number("price", price)):
        raise InputError(
            f"price must be finite, got {price}.",
            hint="Leave it out for the one that spends the budget.",
        )
