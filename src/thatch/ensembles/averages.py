"""Averages over an ensemble, with their standard errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, nan

import numpy as np

from thatch.arrays import number
from thatch.ensembles.ensemble import Ensemble
from thatch.ensembles.population import Population, Snapshot
from thatch.errors import InputError
from thatch.options import require_integer
from thatch.solvers.belief_propagation.schedule import price_step

# Snapshots of successive sweeps are correlated; means of this many blocks are not.
_NUM_BLOCKS = 10
# Share of the sweeps before the first snapshot.
_FIRST_SHARE = 0.5
# The price that spends the budget is averaged over this share of these.
_AVERAGED_SHARE = 0.5
_FIRST_PRICE = 1.0
# Steps of the price are equal in this share of them, and fall afterwards.
_EQUAL_SHARE = 0.4


@dataclass(frozen=True)
class Estimate:
    """A mean and its standard error.

    >>> print(Estimate(1.25, 0.004))
    1.2500 ± 0.0040
    """

    mean: float
    error: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Estimate:
        """The mean of correlated values in the order in which they were found."""
        blocks = np.array_split(np.asarray(values), min(_NUM_BLOCKS, len(values)))
        means = np.array([block.mean() for block in blocks])
        if means.size < 2:
            return cls(float(means.mean()), nan)
        error = means.std(ddof=1) / np.sqrt(means.size)
        return cls(float(np.mean(values)), float(error))

    def __str__(self) -> str:
        return f"{self.mean:.4f} ± {self.error:.4f}"


@dataclass(frozen=True)
class EnsembleAverages:
    """What belief propagation says of a large problem of an ensemble, per item."""

    inverse_temperature: float
    price: float
    #: Expected weight of the covered elements.
    covered_weight: Estimate
    #: Expected weight of the claimed elements: covered ones may stay unclaimed.
    claimed_weight: Estimate
    #: Expected cost.
    cost: Estimate
    free_energy: Estimate
    #: In nats. Negative where belief propagation counts less than one selection.
    entropy: Estimate
    #: Weight that Algorithm 2 covers; NaN without a budget.
    rounded_weight: Estimate

    @property
    def beta(self) -> float:
        """The inverse temperature."""
        return self.inverse_temperature

    @property
    def mu(self) -> float:
        """The price."""
        return self.price


def ensemble_averages(
    ensemble: Ensemble,
    *,
    inverse_temperature: float,
    price: float | None = None,
    budget: float | None = None,
    num_items: int = 20_000,
    num_sweeps: int = 200,
    seed: int = 0,
    num_threads: int = 1,
) -> EnsembleAverages:
    """Solve the cavity equations of an ensemble by population dynamics.

    Parameters
    ----------
    ensemble
        The laws of degrees, costs and weights.
    inverse_temperature
        As in `PricedProblem`, and finite.
    price
        As in `PricedProblem`. Default: the price at which the expected cost equals the
        budget.
    budget
        Budget per item, for the default of the price and for Algorithm 2.
    num_items
        Items of the population, which has one message per edge.
    num_sweeps
        How often it is updated. Averages are taken over the second half.
    seed
        Seed of all random numbers.
    num_threads
        How many; the result does not depend on it.

    >>> found = ensemble_averages(
    ...     Ensemble(), inverse_temperature=0.3, budget=1.0, num_items=2000,
    ...     num_sweeps=60,
    ... )
    >>> abs(found.cost.mean - 1.0) < 0.05, 4.5 < found.price < 6.0
    (True, True)
    """
    _require(price, budget, num_sweeps)
    population = Population(
        ensemble,
        inverse_temperature=inverse_temperature,
        price=_FIRST_PRICE if price is None else price,
        num_items=num_items,
        seed=seed,
        num_threads=num_threads,
    )
    first = int(_FIRST_SHARE * num_sweeps)
    settle(population, first, budget=budget if price is None else None)
    snapshots = []
    for _ in range(num_sweeps - first):
        population.sweep()
        snapshots.append(population.measure(budget=budget))
    return averaged(population, snapshots)


def settle(population: Population, num_sweeps: int, *, budget: float | None) -> None:
    """Sweep until the law of the messages is stationary.

    With a budget per item, the price is adapted until the expected cost equals it.
    """
    logarithms = []
    first = int(_EQUAL_SHARE * num_sweeps)
    for t in range(num_sweeps):
        cost = population.sweep()
        if budget is not None:
            excess = min(1.0, max(-1.0, (cost - budget) / budget))
            population.price *= exp(price_step(max(0, t - first)) * excess)
            logarithms.append(log(population.price))
    if logarithms:
        last = logarithms[-max(1, int(_AVERAGED_SHARE * len(logarithms))) :]
        population.price = exp(float(np.mean(last)))


def averaged(population: Population, snapshots: Sequence[Snapshot]) -> EnsembleAverages:
    """Averages of the snapshots of a population."""

    def estimate(name: str) -> Estimate:
        return Estimate.of([getattr(each, name) for each in snapshots])

    return EnsembleAverages(
        inverse_temperature=population.inverse_temperature,
        price=population.price,
        covered_weight=estimate("covered_weight"),
        claimed_weight=estimate("claimed_weight"),
        cost=estimate("cost"),
        free_energy=estimate("free_energy"),
        entropy=estimate("entropy"),
        rounded_weight=estimate("rounded_weight"),
    )


def _require(price: float | None, budget: float | None, num_sweeps: int) -> None:
    hint = "A standard error needs several sweeps; 200 are usual."
    require_integer("num_sweeps", num_sweeps, least=4, hint=hint)
    if budget is not None and not 0 < number("budget", budget) < np.inf:
        raise InputError(
            f"budget is {budget}; it must be positive and finite.",
            hint="Pass the budget divided by the number of items.",
        )
    if price is None and budget is None:
        raise InputError(
            "neither price nor budget is given; one of them must be.",
            hint="Pass price=5.0, or budget=1.0 for the price that spends it.",
        )
