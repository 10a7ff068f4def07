"""The phase diagram of the paper's ensemble: every temperature and price."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import isnan, nan
from pathlib import Path
from typing import Any

import numpy as np

from thatch.arrays import Floats
from thatch.paper.ensembles import (
    Ensemble,
    EnsembleAverages,
    Population,
    ensemble_averages,
)
from thatch.paper.ensembles.averages import averaged, settle
from thatch.paper.experiment import Experiment, OnProgress, Table, ignore
from thatch.paper.phase_panels import (
    AROUND_ONE,
    LINEAR,
    Line,
    Panel,
    Scale,
    draw_phases,
)
from thatch.plot.drawing import BLUE, save
from thatch.problem.instances.randomness import EvenIntegers

#: The paper's ensemble; each cost and weight occurs equally often, so that means need
#: fewer items.
ENSEMBLE = Ensemble(costs=EvenIntegers(), weights=EvenIntegers())
BUDGET = 1.0
INVERSE_TEMPERATURES = tuple(np.geomspace(0.03, 10.0, 16).round(4).tolist())
PRICES = tuple(np.geomspace(0.05, 20.0, 19).round(4).tolist())
# A uniform perturbation changes its sign in every update: with damping 0.5, it grows
# only if it would grow more than this without.
_DAMPED_GROWTH = 3.0
_UNIFORM_GROWTHS = replace(
    AROUND_ONE, ticks=(*AROUND_ONE.ticks, (_DAMPED_GROWTH, f"{_DAMPED_GROWTH:g}"))
)
# Both span two decades. The entropy is white at 0, and of another color below.
_FREE_ENERGIES = Scale(
    "viridis",
    linear_reach=1.0,
    ticks=tuple((-float(x), f"\N{MINUS SIGN}{x}") for x in (100, 50, 20, 10, 5, 2)),
)
_ENTROPIES = Scale(
    "Reds",
    low=0.0,
    linear_reach=0.03,
    ticks=tuple((x, f"{x:g}") for x in (0.0, 0.03, 0.1, 0.3, 1.0, 2.0)),
    below=BLUE,
)


@dataclass(frozen=True)
class Phase:
    """What a population says at one inverse temperature and price, per item."""

    inverse_temperature: float
    price: float
    cost: float
    covered_weight: float
    rounded_weight: float
    free_energy: float
    entropy: float
    entropy_error: float
    #: Growth of a random and of a uniform perturbation per update.
    random_growth: float
    random_growth_error: float
    uniform_growth: float
    uniform_growth_error: float


@dataclass(frozen=True)
class PhaseDiagram(Table[Phase]):
    """One row per inverse temperature and price."""

    inverse_temperatures: tuple[float, ...]
    prices: tuple[float, ...]

    @property
    def findings(self) -> list[str]:
        """Where perturbations grow and the entropy is negative, in words."""
        lines = []
        for k, inverse_temperature in enumerate(self.inverse_temperatures):
            random, uniform, costs = (
                self._grid(name)[k].tolist()
                for name in ("random_growth", "uniform_growth", "cost")
            )
            # From the other end: the highest price at which it crosses.
            last, last_uniform = (
                crossing(self.prices[::-1], each[::-1], 1.0)
                for each in (random, uniform)
            )
            lines.append(
                f"Inverse temperature {inverse_temperature:g}: a random perturbation "
                f"grows from price {crossing(self.prices, random, 1.0):.2f} to "
                f"{last:.2f}, a uniform one up to {last_uniform:.2f}; the budget is "
                f"spent at {crossing(self.prices, costs, BUDGET):.2f}."
            )
        for price in self.prices:
            negative = self.first_negative_entropy(price)
            if not isnan(negative):
                lines.append(
                    f"Price {price:g}: the entropy is below 0 at inverse temperature "
                    f"{negative:g}."
                )
        return lines

    def first_negative_entropy(self, price: float) -> float:
        """The lowest inverse temperature at which the entropy is below 0.

        It must be so by two standard errors. NaN if it is nowhere.
        """
        rows = [row for row in self.rows if row.price == price]
        found = (
            row.inverse_temperature
            for row in rows
            if row.entropy + 2.0 * row.entropy_error < 0.0
        )
        return next(found, nan)

    def write_picture(self, path: str | Path) -> None:
        """Draw the figure as PNG, SVG or PDF."""
        figure = draw_phases(self.prices, self.inverse_temperatures, self.panels)
        save(figure, path)

    @property
    def panels(self) -> list[Panel]:
        """What the figure shows."""
        cost = self._grid("cost")
        # A growth of 0 has no place on a logarithmic scale.
        random, uniform = (
            np.maximum(self._grid(name), 1e-3)
            for name in ("random_growth", "uniform_growth")
        )
        budget = Line("expected cost = budget", cost, BUDGET, "dashed")
        weight, free_energy = self._grid("covered_weight"), self._grid("free_energy")
        return [
            Panel("(a) expected cost / budget", cost / BUDGET, AROUND_ONE, (budget,)),
            Panel("(b) covered weight per item", weight, LINEAR, (budget,)),
            Panel("(c) free energy per item", free_energy, _FREE_ENERGIES, (budget,)),
            Panel("(d) entropy per item (nats)", self._entropy, _ENTROPIES, (budget,)),
            Panel(
                "(e) growth, random perturbation",
                random,
                AROUND_ONE,
                (budget, Line("growth = 1", random, 1.0)),
            ),
            Panel(
                "(f) growth, uniform perturbation",
                uniform,
                _UNIFORM_GROWTHS,
                (
                    budget,
                    Line("growth = 1", uniform, 1.0),
                    Line("growth = 3", uniform, _DAMPED_GROWTH, "dotted"),
                ),
            ),
        ]

    @property
    def _entropy(self) -> Floats:
        """The entropy; 0 where it is below by no more than two standard errors."""
        entropy, error = self._grid("entropy"), self._grid("entropy_error")
        return np.where(entropy + 2.0 * error < 0.0, entropy, np.maximum(entropy, 0.0))

    def _grid(self, name: str) -> Floats:
        """A column as an array, shape (num_temperatures, num_prices)."""
        values = np.array(self.column(name))
        return values.reshape(len(self.inverse_temperatures), len(self.prices))


@dataclass(frozen=True, kw_only=True)
class PopulationExperiment(Experiment):
    """An experiment on averages over populations, at a budget of one per item."""

    #: Items and sweeps of a population.
    num_items: int = 20_000
    num_sweeps: int = 200
    seed: int = 0

    def averages(self, ensemble: Ensemble = ENSEMBLE, **own: Any) -> EnsembleAverages:
        """The averages of an ensemble; `own` are other arguments of theirs."""
        names = ("num_items", "num_sweeps", "seed")
        settings = {name: getattr(self, name) for name in names}
        return ensemble_averages(ensemble, budget=BUDGET, **settings | own)


@dataclass(frozen=True)
class PhaseExperiment(Experiment):
    """The settings of the phase diagram."""

    inverse_temperatures: tuple[float, ...] = INVERSE_TEMPERATURES
    prices: tuple[float, ...] = PRICES
    num_items: int = 4000
    #: Sweeps before the first snapshot, and snapshots.
    num_first_sweeps: int = 50
    num_snapshots: int = 20
    #: Sweeps over which the growth of a perturbation is averaged.
    num_growth_sweeps: int = 30
    seed: int = 0

    @property
    def num_steps(self) -> int:
        """Pairs of an inverse temperature and a price."""
        return len(self.inverse_temperatures) * len(self.prices)

    def run(self, *, on_progress: OnProgress = ignore) -> PhaseDiagram:
        """Run the experiment; after each point, `on_progress` gets a 1."""
        # Points with one seed would err together.
        grid = product(self.inverse_temperatures, self.prices)
        points = [(b, m, self.seed + k) for k, (b, m) in enumerate(grid)]
        rows = self.outcomes(lambda point: self._phase(*point), points, on_progress)
        return PhaseDiagram(tuple(rows), self.inverse_temperatures, self.prices)

    def _phase(self, inverse_temperature: float, price: float, seed: int) -> Phase:
        population = Population(
            ENSEMBLE,
            inverse_temperature=inverse_temperature,
            price=price,
            num_items=self.num_items,
            seed=seed,
        )
        settle(population, self.num_first_sweeps, budget=None)
        snapshots = []
        for _ in range(self.num_snapshots):
            population.sweep()
            snapshots.append(population.measure(budget=BUDGET))
        found = averaged(population, snapshots)
        random = population.growth(self.num_growth_sweeps)
        uniform = population.growth(self.num_growth_sweeps, is_uniform=True)
        return Phase(
            inverse_temperature=inverse_temperature,
            price=price,
            cost=found.cost.mean,
            covered_weight=found.covered_weight.mean,
            rounded_weight=found.rounded_weight.mean,
            free_energy=found.free_energy.mean,
            entropy=found.entropy.mean,
            entropy_error=found.entropy.error,
            random_growth=random.mean,
            random_growth_error=random.error,
            uniform_growth=uniform.mean,
            uniform_growth_error=uniform.error,
        )


def crossing(
    positions: Sequence[float], values: Sequence[float], level: float
) -> float:
    """The first position at which values cross a level, linear between neighbors.

    NaN if they do not.

    >>> crossing([1.0, 2.0, 4.0], [3.0, 1.0, -1.0], 0.0)
    3.0
    """
    for k in range(1, len(values)):
        below, above = values[k - 1] - level, values[k] - level
        if below == 0.0:
            return positions[k - 1]
        if below * above <= 0.0:
            share = below / (below - above)
            return positions[k - 1] + share * (positions[k] - positions[k - 1])
    return nan
