"""A problem at one inverse temperature and price: what messages are passed on."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from thatch.arrays import number
from thatch.errors import InputError
from thatch.machine.caching import cached_property
from thatch.problem.coverage_problem import CoverageProblem
from thatch.run.beliefs import Symbols, one_of
from thatch.solvers.belief_propagation.representations import LARGEST_IN_PRODUCTS
from thatch.solvers.bounds.dual_bounds import critical_price
from thatch.solvers.greedy import complete_by_gain, item_weights

#: Up to this degree, the rounding errors of single precision sum to less than 10^-4.
MAX_DEGREE_IN_SINGLES = 1_000


@dataclass(frozen=True)
class PricedProblem(Symbols):
    """A problem at one inverse temperature and price.

    The constructor also accepts the paper's symbols, `beta` and `mu`.

    >>> from thatch.problem.instances import toy
    >>> priced = PricedProblem(toy.greedy_trap().problem)
    >>> priced.used_inverse_temperature, priced.first_price
    (4.125, 15.0)
    """

    problem: CoverageProblem
    #: How strongly weights decide. Default: 16.5 divided by the mean weight, which is
    #: the paper's 3 on its random graphs, or less if some weights are far above the
    #: mean. Infinite means zero temperature: max-sum.
    inverse_temperature: float | None
    #: Weight that one unit of cost must earn. Default: adapted during the iterations
    #: until the expected cost equals the budget.
    price: float | None

    # Written out for the symbols: as fields of the dataclass they would be stored a
    # second time, and `dataclasses.replace` would pass both names.
    def __init__(
        self,
        problem: CoverageProblem,
        *,
        inverse_temperature: float | None = None,
        price: float | None = None,
        beta: float | None = None,
        mu: float | None = None,
    ) -> None:
        inverse_temperature = one_of(
            "inverse_temperature", inverse_temperature, "beta", beta
        )
        price = one_of("price", price, "mu", mu)
        require_temperature_and_price(inverse_temperature, price)
        object.__setattr__(self, "problem", problem)
        object.__setattr__(self, "inverse_temperature", inverse_temperature)
        object.__setattr__(self, "price", price)

    @property
    def used_inverse_temperature(self) -> float:
        """The given inverse temperature, or the default for the weights."""
        if self.inverse_temperature is not None:
            return self.inverse_temperature
        return self._default_inverse_temperature

    @property
    def scale(self) -> float:
        """Factor of scaled fields: finite, even at zero temperature."""
        inverse_temperature = self.used_inverse_temperature
        if np.isinf(inverse_temperature):
            return self._default_inverse_temperature
        return inverse_temperature

    @property
    def largest_scaled_weight(self) -> float:
        """The largest weight times the scale."""
        _, largest = self.problem.mean_and_largest_weight
        return largest * self.scale

    @property
    def fits_singles(self) -> bool:
        """Whether all degrees are small enough for single precision."""
        return self.problem.edges.largest_degree <= MAX_DEGREE_IN_SINGLES

    @property
    def _default_inverse_temperature(self) -> float:
        return default_inverse_temperature(*self.problem.mean_and_largest_weight)

    @cached_property
    def first_price(self) -> float:
        """The given price, or what g-greedy earns with the last part of the budget.

        If that is nothing, or on large graphs, where the iterations find the price
        sooner: the price at which a static order runs out of budget.
        """
        if self.price is not None:
            return self.price
        problem = self.problem
        if self.is_static:
            return self._static_price
        last = 0.1 * problem.budget
        most, less = (
            complete_by_gain(each, (), divisors=problem.costs).value
            for each in (problem, problem.with_budget(problem.budget - last))
        )
        if most > less and (most - less) / last < inf:
            return (most - less) / last
        return self._static_price

    @property
    def is_static(self) -> bool:
        """Whether the first price is that of a static order."""
        # With more edges, a greedy selection takes as long as many iterations.
        return self.price is None and self.problem.num_edges > 1_000_000

    @property
    def _static_price(self) -> float:
        problem = self.problem
        merits = item_weights(problem)
        return critical_price(merits, problem.costs, budget=problem.budget)


class StaticallyPriced(PricedProblem):
    """A problem whose first price, if none is given, is always that of a static order.

    It is for runs without the time for two greedy selections.
    """

    @property
    def is_static(self) -> bool:
        """Whether the first price is that of a static order."""
        return self.price is None


def default_inverse_temperature(mean_weight: float, largest_weight: float) -> float:
    """The inverse temperature for positive weights of that mean and maximum.

    >>> default_inverse_temperature(5.5, 10.0)
    3.0
    """
    # A few very large weights should not force the slower representation.
    most = 0.99 * LARGEST_IN_PRODUCTS / max(largest_weight, 1e-300)
    # Inverse temperature times mean weight of the paper's Fig. 2: 3 times 5.5.
    return min(16.5 / max(mean_weight, 1e-300), most)


def require_temperature_and_price(
    inverse_temperature: float | None, price: float | None
) -> None:
    """Require a positive inverse temperature and a finite price."""
    if inverse_temperature is not None:
        value = number("inverse_temperature", inverse_temperature)
        if not value > 0:
            raise InputError(
                f"inverse_temperature is {value}; it must be positive.",
                hint="Leave it out for the default.",
            )
    if price is not None and not np.isfinite(number("price", price)):
        raise InputError(
            f"price is {price}; it must be finite.",
            hint="Leave it out for the price that spends the budget.",
        )
