"""Averages over an ensemble, with their standard errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import exp

import numpy as np

from thatch.arrays import number
from thatch.errors import InputError
from thatch.options import require_integer
from thatch.paper.ensembles.ensemble import Ensemble
from thatch.paper.ensembles.population import Estimate, Population, Snapshot
from thatch.run.beliefs import Symbols, one_of
from thatch.solvers.belief_propagation.schedule import price_step


@dataclass(frozen=True)
class EnsembleAverages(Symbols):
    """What belief propagation says of a large problem of an ensemble, per item."""

    inverse_temperature: float
    price: float
    #: Standard error of a price that spends the budget; 0 for one that was given.
    price_error: float
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


def ensemble_averages(
    ensemble: Ensemble,
    *,
    inverse_temperature: float | None = None,
    price: float | None = None,
    budget: float | None = None,
    num_items: int = 20_000,
    num_sweeps: int = 200,
    seed: int = 0,
    num_threads: int = 1,
    beta: float | None = None,
    mu: float | None = None,
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
    beta, mu
        Other names of the inverse temperature and the price.

    Raises
    ------
    InputError
        If the budget is more than the expected cost at price 0.

    >>> found = ensemble_averages(
    ...     Ensemble(), inverse_temperature=0.3, budget=1.0, num_items=2000,
    ...     num_sweeps=60,
    ... )
    >>> abs(found.cost.mean - 1.0) < 0.05, 4.5 < found.price < 6.0
    (True, True)
    """
    price = one_of("price", price, "mu", mu)
    _require(price, budget, num_sweeps)
    population = Population(
        ensemble,
        inverse_temperature=one_of(
            "inverse_temperature", inverse_temperature, "beta", beta
        ),
        price=1.0 if price is None else price,
        num_items=num_items,
        seed=seed,
        num_threads=num_threads,
    )
    # Share of the sweeps before the first snapshot.
    first = int(0.5 * num_sweeps)
    used = settle(population, first, budget=budget if price is None else None)
    snapshots = []
    for _ in range(num_sweeps - first):
        population.sweep()
        snapshots.append(population.measure(budget=budget))
    return averaged(population, snapshots, price_error=used.error)


def settle(
    population: Population, num_sweeps: int, *, budget: float | None
) -> Estimate:
    """Sweep until the law of the messages is stationary; return the price.

    With a budget per item, the price is adapted until the expected cost equals it.
    """
    if budget is None:
        for _ in range(num_sweeps):
            population.sweep()
        return Estimate(population.price, 0.0)
    _require_spendable(population, budget)
    # The price is adapted again, until the mean cost of some sweeps is as close to the
    # budget as half a percent of it, or as its error.
    for _ in range(4):
        found = _adapted_price(population, num_sweeps, budget)
        costs = Estimate.of([population.sweep() for _ in range(20)])
        tolerance = max(0.005 * budget, 3.0 * costs.error)
        if abs(costs.mean - budget) <= tolerance:
            break
    return found


def _adapted_price(population: Population, num_sweeps: int, budget: float) -> Estimate:
    """Raise or lower the price after each sweep; set it to the mean of the last."""
    prices = []
    # Steps of the price are equal in this share of them, and fall afterwards.
    first = int(0.4 * num_sweeps)
    for t in range(num_sweeps):
        excess = min(1.0, max(-1.0, (population.sweep() - budget) / budget))
        population.price *= exp(price_step(max(0, t - first)) * excess)
        prices.append(population.price)
    # The price that spends the budget is an average over the second half.
    last = prices[-max(1, int(0.5 * num_sweeps)) :]
    found = Estimate.of_factors(last)
    population.price = found.mean
    return found


def _require_spendable(population: Population, budget: float) -> None:
    """Require that at price 0 the expected cost is more than the budget."""
    first_price, population.price = population.price, 0.0
    # Sweeps without a price, which show the largest budget that can be spent.
    for _ in range(12):
        population.sweep()
    most = population.measure().cost
    if budget >= most:
        raise InputError(
            f"budget is {budget:g} per item; the expected cost is {most:.3g} at price "
            "0, so no price spends that much.",
            hint=f"Pass less than {most:.3g}, or a price.",
        )
    population.price = first_price


def averaged(
    population: Population, snapshots: Sequence[Snapshot], *, price_error: float = 0.0
) -> EnsembleAverages:
    """Averages of the snapshots of a population."""
    return EnsembleAverages(
        inverse_temperature=population.inverse_temperature,
        price=population.price,
        price_error=price_error,
        **{
            quantity.name: Estimate.of([getattr(s, quantity.name) for s in snapshots])
            for quantity in fields(Snapshot)
        },
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
