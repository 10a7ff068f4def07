"""The entropy of large problems as the temperature falls, at two prices.

It counts selections, so it cannot be negative. Where the population says that it is,
one law for all messages is not exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, product
from math import isnan, nan
from pathlib import Path

import numpy as np

from thatch.paper.ensemble_phases import ENSEMBLE, PopulationExperiment
from thatch.paper.ensembles import Ensemble, Estimate
from thatch.paper.experiment import OnProgress, Table, ignore
from thatch.plot.drawing import (
    BLUE,
    ORANGE,
    PURPLE,
    RED,
    Curve,
    draw_curve,
    save,
    saved_axes,
)
from thatch.problem.instances.randomness import UniformReals

INVERSE_TEMPERATURES = tuple(np.geomspace(1.0, 20.0, 9).round(3).tolist())
#: Ensembles by what their costs and weights are.
ENSEMBLES: dict[str, Ensemble] = {
    "integers": ENSEMBLE,
    "reals": Ensemble(costs=UniformReals(1.0, 10.0), weights=UniformReals(1.0, 10.0)),
}
#: Where the entropy is measured: at the price that spends the budget, and at one where
#: messages are unstable.
PRICES: dict[str, float | None] = {"at the budget": None, "at price 1": 1.0}


@dataclass(frozen=True)
class EntropyRow:
    """The entropy per item, in nats, at one inverse temperature."""

    numbers: str
    #: A name of `PRICES`.
    place: str
    inverse_temperature: float
    price: float
    price_error: float
    entropy: float
    entropy_error: float


@dataclass(frozen=True)
class EntropyCurves(Table[EntropyRow]):
    """One row per kind of numbers, price and inverse temperature."""

    @property
    def curves(self) -> dict[tuple[str, str], list[EntropyRow]]:
        """The rows of each kind of numbers and price."""
        return self.by("numbers", "place")

    def zero(self, numbers: str, place: str) -> Estimate:
        """The inverse temperature at which the entropy turns negative.

        Linear between neighbors; its error is that of the entropy by the slope. NaN if
        the entropy is nowhere below 0 by two standard errors.
        """
        for before, after in pairwise(self.curves[numbers, place]):
            is_below = after.entropy + 2.0 * after.entropy_error < 0.0
            if before.entropy >= 0.0 and is_below:
                step = after.inverse_temperature - before.inverse_temperature
                slope = (after.entropy - before.entropy) / step
                zero = before.inverse_temperature - before.entropy / slope
                error = max(before.entropy_error, after.entropy_error) / abs(slope)
                return Estimate(zero, error)
        return Estimate(nan, nan)

    @property
    def findings(self) -> list[str]:
        """Where the entropy turns negative, in words."""
        lines = []
        for (numbers, place), rows in self.curves.items():
            zero, last = self.zero(numbers, place), rows[-1]
            turns = (
                "does not turn negative"
                if isnan(zero.mean)
                else f"turns negative at inverse temperature {zero.mean:.1f} "
                f"± {zero.error:.1f}"
            )
            lines.append(
                f"{numbers}, {place}: the entropy {turns}; it is {last.entropy:.4f} "
                f"± {last.entropy_error:.4f} per item at {last.inverse_temperature:g}."
            )
        return lines

    def write_picture(self, path: str | Path) -> None:
        """Draw the figure as PNG, SVG or PDF."""
        with saved_axes() as axes:
            colors = (BLUE, ORANGE, RED, PURPLE)
            for ((numbers, place), rows), color in zip(
                self.curves.items(), colors, strict=False
            ):
                curve = Curve(
                    f"{numbers}, {place}",
                    [row.entropy for row in rows],
                    [row.entropy_error for row in rows],
                )
                betas = [row.inverse_temperature for row in rows]
                draw_curve(axes, betas, curve, color=color)
            axes.axhline(0.0, color="black", linewidth=0.8)
            axes.set_xscale("log")
            # Entropies below this are drawn on a linear scale.
            axes.set_yscale("symlog", linthresh=0.01)
            axes.set_xlabel(r"inverse temperature $\beta$")
            axes.set_ylabel("entropy per item (nats)")
            axes.legend(frameon=False)
        save(axes, path)


@dataclass(frozen=True)
class EntropyExperiment(PopulationExperiment):
    """The settings of the figure."""

    inverse_temperatures: tuple[float, ...] = INVERSE_TEMPERATURES

    @property
    def num_steps(self) -> int:
        """Steps of the progress: one per point."""
        return len(ENSEMBLES) * len(PRICES) * len(self.inverse_temperatures)

    def run(self, *, on_progress: OnProgress = ignore) -> EntropyCurves:
        """Run the experiment; after each step, `on_progress` gets a 1."""
        # Points with one seed would err together.
        grid = product(ENSEMBLES, PRICES, self.inverse_temperatures)
        points = enumerate(grid, self.seed)
        return EntropyCurves(tuple(self.outcomes(self._row, points, on_progress)))

    def _row(self, point: tuple[int, tuple[str, str, float]]) -> EntropyRow:
        seed, (numbers, place, inverse_temperature) = point
        found = self.averages(
            ENSEMBLES[numbers],
            inverse_temperature=inverse_temperature,
            price=PRICES[place],
            seed=seed,
        )
        return EntropyRow(
            numbers=numbers,
            place=place,
            inverse_temperature=inverse_temperature,
            price=found.price,
            price_error=found.price_error,
            entropy=found.entropy.mean,
            entropy_error=found.entropy.error,
        )
