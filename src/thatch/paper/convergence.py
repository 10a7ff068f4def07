"""What happens at low prices on the graphs of Fig. 2: where messages converge, and why.

For each price: the share of converged runs at three dampings, the spectrum of the
update at the fixed point that continues the one at price 0, and what Algorithm 2 makes
of the messages, also if these are computed with equal weights.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from thatch.arrays import Floats
from thatch.paper.experiment import (
    GraphExperiment,
    OnProgress,
    Table,
    ignore,
    standard_error,
)
from thatch.paper.fig2 import BUDGET, ENSEMBLE, INVERSE_TEMPERATURE, has_converged
from thatch.paper.linear_stability import Spectrum, UpdateMap
from thatch.plot.drawing import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    RED,
    Curve,
    draw_curve,
    legend_above,
    save,
    saved_figure,
)
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.beliefs import Beliefs
from thatch.run.run import Run
from thatch.solvers import Exact
from thatch.solvers.belief_propagation.algorithm import propagate
from thatch.solvers.belief_propagation.priced_problem import PricedProblem
from thatch.solvers.greedy import round_by_rank

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PRICES = (
    *(0.0, 0.02, 0.05, 0.08, 0.1, 0.12, 0.15, 0.2, 0.225, 0.25, 0.275, 0.3, 0.325),
    *(0.35, 0.375, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
)
#: Damping and iterations: none, that of Fig. 2, and ten times as slow.
SCHEDULES = ((0.0, 150), (0.5, 150), (0.9, 1500))


@dataclass(frozen=True)
class ConvergenceRow:
    """Means over the graphs at one price."""

    price: float
    #: Share of converged runs, without damping, with 0.5, and with 0.9.
    converged_0: float
    converged_5: float
    converged_9: float
    #: Share of graphs on which the fixed point was found.
    found: float
    #: Share of these on which it is stable at damping 0.5, and at no damping.
    stable: float
    incurable: float
    #: As in `Spectrum`.
    radius: float
    radius_sem: float
    largest_real_part: float
    largest_real_part_sem: float
    #: Value of Algorithm 2.
    bp: float
    bp_sem: float
    #: The same if the messages are those of equal weights.
    bp_blind: float
    #: Share of the selected items that both select.
    shared: float
    #: Value of the cheapest items.
    cheapest: float
    #: Expected cost by the budget.
    spending: float
    #: Share of the optimum's items that are selected.
    of_optimum: float


@dataclass(frozen=True)
class Convergence(Table[ConvergenceRow]):
    """The figure as numbers: one row per price."""

    num_graphs: int

    @property
    def findings(self) -> list[str]:
        """Convergence, stability and value at each price, in words."""
        return [
            f"Price {row.price:g}: {row.bp:.1f} ± {row.bp_sem:.1f} covered; "
            f"{row.converged_5:.0%} converge, {row.converged_9:.0%} with damping 0.9; "
            f"fixed point found on {row.found:.0%}, of which {row.stable:.0%} stable, "
            f"{row.incurable:.0%} unstable at any damping."
            for row in self.rows
        ]

    def write_picture(self, path: str | Path) -> None:
        """Draw four panels with the same prices, as a PNG, SVG or PDF file."""
        with saved_figure(size=(6.0, 8.0)) as figure:
            panels = figure.subplots(4, sharex=True, height_ratios=(1.5, 0.8, 1.1, 1.3))
            self._draw_values(panels[0])
            self._draw_spending(panels[1])
            self._draw_converged(panels[2])
            self._draw_spectrum(panels[3])
            for axes, letter in zip(panels, "abcd", strict=True):
                axes.set_title(f"({letter})", loc="left", fontsize=9)
                axes.tick_params(direction="in", top=True, right=True)
            panels[-1].set_xlabel(r"price $\mu$")
            figure.suptitle(
                f"(9, 3)-biregular graphs, N = 100, M = 300, K = 100, "
                rf"$\beta = 3$; mean of {self.num_graphs} graphs",
                fontsize=9,
            )
            figure.canvas.draw()
        save(figure, path)

    def _draw_values(self, axes: Axes) -> None:
        prices, column = self.column("price"), self.column
        curve = Curve("Algorithm 2", column("bp"), column("bp_sem"))
        draw_curve(axes, prices, curve)
        axes.plot(prices, column("bp_blind"), "--", color=ORANGE, label="equal weights")
        cheapest = self.rows[0].cheapest
        axes.axhline(cheapest, color=GREY, linestyle=":", label="cheapest first")
        axes.set_ylabel("covered weight")
        _add_legend(axes)

    def _draw_spending(self, axes: Axes) -> None:
        self._plot(axes, "spending", BLUE)
        axes.axhline(1.0, color="black", linewidth=0.6)
        axes.set_ylim(0.0, 1.1 * max(self.column("spending")))
        axes.set_ylabel("expected cost / K")

    def _draw_converged(self, axes: Axes) -> None:
        self._plot(axes, "converged_0", RED, "damping 0")
        self._plot(axes, "converged_5", BLUE, "0.5")
        self._plot(axes, "converged_9", ORANGE, "0.9, 1500 iterations")
        prices, stable = self.column("price"), self.column("stable")
        axes.plot(prices, stable, "--", color=GREEN, label="stable at 0.5")
        axes.set_ylim(-0.05, 1.05)
        axes.set_ylabel("share of graphs")
        _add_legend(axes)

    def _draw_spectrum(self, axes: Axes) -> None:
        self._plot(axes, "radius", RED, "largest modulus")
        self._plot(axes, "largest_real_part", GREEN, "largest real part")
        axes.axhline(1.0, color="black", linewidth=0.6)
        axes.set_ylim(0.0, None)
        axes.set_ylabel(r"eigenvalues of $J$")
        _add_legend(axes)

    def _plot(
        self, axes: Axes, name: str, color: str, label: str | None = None
    ) -> None:
        """Draw a column against the price."""
        prices, values = self.column("price"), self.column(name)
        axes.plot(prices, values, "o-", color=color, ms=3, lw=1, label=label)


def _add_legend(axes: Axes) -> None:
    """A narrow legend, which leaves the panel's letter its place."""
    legend_above(axes, fontsize=8, handlelength=1.6, columnspacing=1.2)


@dataclass(frozen=True)
class ConvergenceExperiment(GraphExperiment):
    """The experiment's settings."""

    num_graphs: int = 40
    #: Ascending: each fixed point is continued from that of the price before.
    prices: tuple[float, ...] = PRICES

    def run(self, *, on_progress: OnProgress = ignore) -> Convergence:
        """Run the experiment; after each graph, `on_progress` gets a 1."""
        measured = self.outcomes(self._measure, self.seeds, on_progress)
        return Convergence(_rows(self.prices, np.array(measured)), self.num_graphs)

    def _measure(self, seed: int) -> Floats:
        """One graph: one row per price, with all measured fields of its row."""
        problem = ENSEMBLE.problem(budget=BUDGET, seed=seed)
        equal = np.full(problem.num_elements, problem.weights.mean())
        sweeps = [_sweep(problem, self.prices, *each) for each in SCHEDULES]
        blind = _sweep(replace(problem, weights=equal), self.prices, *SCHEDULES[1])
        optimum = Exact().solve(problem, Run()).selection
        cheapest = round_by_rank(problem, np.ones(problem.num_items))
        rows = []
        for k, spectrum in enumerate(_spectra(problem, self.prices)):
            beliefs = sweeps[1][k]
            chosen = round_by_rank(problem, beliefs.item_replies)
            other = round_by_rank(problem, blind[k].item_replies)
            rows.append(
                (
                    *(
                        has_converged(sweep[k].largest_change, damping)
                        for sweep, (damping, _) in zip(sweeps, SCHEDULES, strict=True)
                    ),
                    not np.isnan(spectrum.radius),
                    spectrum.is_stable,
                    spectrum.is_incurable,
                    spectrum.radius,
                    spectrum.largest_real_part,
                    chosen.value,
                    other.value,
                    _share(chosen, other),
                    cheapest.value,
                    beliefs.expected_cost / problem.budget,
                    _share(optimum, chosen),
                )
            )
        return np.array(rows, dtype=np.float64)


def _sweep(
    problem: CoverageProblem,
    prices: tuple[float, ...],
    damping: float,
    max_iterations: int,
) -> list[Beliefs]:
    priced_problems = [
        PricedProblem(problem, inverse_temperature=INVERSE_TEMPERATURE, price=price)
        for price in prices
    ]
    return propagate(
        priced_problems, damping=damping, max_iterations=max_iterations, run=Run()
    )


def _spectra(problem: CoverageProblem, prices: tuple[float, ...]) -> list[Spectrum]:
    """Spectra at the fixed points that continue the first; NaN where there is none."""
    h_hat: Floats | None = np.zeros(problem.num_edges)
    before, spectra = prices[0], []
    for price in prices:
        h_hat = None if h_hat is None else _continued(problem, h_hat, before, price)
        before = price
        update = UpdateMap(problem, INVERSE_TEMPERATURE, price)
        spectra.append(
            Spectrum(np.nan, np.nan, np.nan)
            if h_hat is None
            else Spectrum.of(update.jacobian(h_hat))
        )
    return spectra


def _continued(
    problem: CoverageProblem, h_hat: Floats, first: float, last: float
) -> Floats | None:
    """The fixed point at the last price, by steps that are halved where they fail."""
    found = UpdateMap(problem, INVERSE_TEMPERATURE, last).fixed_point(h_hat)
    shortest_step = 0.005
    if found is not None or last - first < shortest_step:
        return found
    middle = 0.5 * (first + last)
    halfway = _continued(problem, h_hat, first, middle)
    return None if halfway is None else _continued(problem, halfway, middle, last)


def _share(whole: Selection, part: Selection) -> float:
    """Share of the items of the first selection that are in the second."""
    return float(np.isin(whole.items, part.items).mean())


def _rows(prices: tuple[float, ...], measured: Floats) -> tuple[ConvergenceRow, ...]:
    rows = []
    names = [field.name for field in fields(ConvergenceRow)][1:]
    columns = [name for name in names if not name.endswith("_sem")]
    for k, price in enumerate(prices):
        numbers = {"price": price}
        for name, column in zip(columns, measured[:, k].T, strict=True):
            known = column[~np.isnan(column)]
            numbers[name] = float(known.mean()) if known.size else np.nan
            if f"{name}_sem" in names:
                numbers[f"{name}_sem"] = (
                    standard_error(known) if known.size > 1 else np.nan
                )
        rows.append(ConvergenceRow(**numbers))
    return tuple(rows)
