"""Algorithm 2 at a very high price, beside the order of an infinite one.

On the graphs of Fig. 2, with integer and with real costs and weights: does Algorithm 2
select the items of its limit, and how much do these cover?
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from thatch.arrays import Floats
from thatch.paper.experiment import GraphExperiment, OnProgress, Table, ignore, means
from thatch.paper.fig2 import BUDGET, ENSEMBLE
from thatch.plot.drawing import BLUE, RED, save, saved_axes
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.problem.instances.randomness import UniformReals
from thatch.problem.selection import Selection
from thatch.run.run import Run
from thatch.solvers import BeliefPropagation, GeneralizedGreedy, Solver, StaticGreedy

INVERSE_TEMPERATURES = tuple(np.geomspace(0.05, 50.0, 13).tolist())
PRICE = 1e6
_REALS = UniformReals(1.0, 10.0)
#: Graphs by what their costs and weights are.
ENSEMBLES: dict[str, BiregularGraph] = {
    "integers": ENSEMBLE,
    "reals": replace(ENSEMBLE, costs=_REALS, weights=_REALS),
}

# Columns, their labels and colors, and the sizes of their filled and open marks: where
# shares are the same, marks of one column are within those of another.
_SERIES = (
    ("num_as_static", "order by weight per cost", RED, (4.5, 6.5)),
    ("num_as_limit", "order of an infinite price", BLUE, (2.5, 10.0)),
)
# Of each kind of numbers: marker, whether it is filled, and line.
_MARKS = (("o", True, "solid"), ("s", False, "dashed"))


@dataclass(frozen=True)
class InfinitePriceRow:
    """Means over the graphs at one inverse temperature."""

    numbers: str
    inverse_temperature: float
    num_graphs: int
    #: On how many graphs Algorithm 2 selects the items of its limit.
    num_as_limit: int
    #: On how many it selects those of the order by weight per cost.
    num_as_static: int
    #: Value of Algorithm 2.
    bp: float
    bp_sem: float
    #: Value of its limit, of the order by weight per cost, and of g-greedy.
    limit: float
    static: float
    ggreedy: float


@dataclass(frozen=True)
class InfinitePrice(Table[InfinitePriceRow]):
    """The table: one row per kind of numbers and inverse temperature."""

    @property
    def findings(self) -> list[str]:
        """How often the selections are the same, in words."""
        lines = []
        for numbers, rows in self.by("numbers").items():
            total = sum(row.num_graphs for row in rows)
            as_limit = sum(row.num_as_limit for row in rows)
            as_static = sum(row.num_as_static for row in rows)
            lines.append(
                f"{numbers}: Algorithm 2 selects the items of its limit in {as_limit} "
                f"of {total} cases, those of the order by weight per cost in "
                f"{as_static}."
            )
        return lines

    def write_picture(self, path: str | Path) -> None:
        """Draw how often the selections are the same, as a PNG, SVG or PDF file."""
        with saved_axes() as axes:
            for name, label, color, sizes in _SERIES:
                for (numbers, rows), size, (marker, is_filled, dashes) in zip(
                    self.by("numbers").items(), sizes, _MARKS, strict=False
                ):
                    axes.plot(
                        [row.inverse_temperature for row in rows],
                        [100 * getattr(r, name) / r.num_graphs for r in rows],
                        color=color,
                        linestyle=dashes,
                        linewidth=1.0,
                        marker=marker,
                        markersize=size,
                        markerfacecolor=color if is_filled else "none",
                        label=f"{label}, {numbers}",
                    )
            axes.set_xscale("log")
            axes.set_ylim(-4.0, 106.0)
            axes.set_xlabel(r"inverse temperature $\beta$")
            axes.set_ylabel("graphs with the same selection (%)")
            axes.legend(frameon=False, loc="center right", handlelength=3.5)
        save(axes, path)


@dataclass(frozen=True)
class InfinitePriceExperiment(GraphExperiment):
    """The experiment's settings."""

    inverse_temperatures: tuple[float, ...] = INVERSE_TEMPERATURES

    @property
    def num_steps(self) -> int:
        """Steps of the progress: one per graph and kind of numbers."""
        return self.num_graphs * len(ENSEMBLES)

    def run(self, *, on_progress: OnProgress = ignore) -> InfinitePrice:
        """Run the experiment; after each graph, `on_progress` gets a 1."""
        rows: list[InfinitePriceRow] = []
        for numbers, ensemble in ENSEMBLES.items():
            problems = (ensemble.problem(budget=BUDGET, seed=s) for s in self.seeds)
            found = self.outcomes(self._compared, problems, on_progress)
            rows += self._rows(numbers, np.array(found))
        return InfinitePrice(tuple(rows))

    def _compared(self, problem: CoverageProblem) -> Floats:
        """One row per temperature: two comparisons and four values."""
        static = _selected(problem, StaticGreedy())
        ggreedy = _selected(problem, GeneralizedGreedy())
        rows = []
        for inverse_temperature in self.inverse_temperatures:
            at_price = BeliefPropagation.algorithm_2(
                inverse_temperature=inverse_temperature, price=PRICE
            )
            bp = _selected(problem, at_price)
            limit = _selected(problem, StaticGreedy(inverse_temperature))
            is_same = [np.array_equal(bp.items, s.items) for s in (limit, static)]
            values = [each.value for each in (bp, limit, static, ggreedy)]
            rows.append([*is_same, *values])
        return np.array(rows)

    def _rows(self, numbers: str, found: Floats) -> list[InfinitePriceRow]:
        rows = []
        for k, inverse_temperature in enumerate(self.inverse_temperatures):
            as_limit, as_static, bp, limit, static, ggreedy = found[:, k].T
            rows.append(
                InfinitePriceRow(
                    numbers=numbers,
                    inverse_temperature=inverse_temperature,
                    num_graphs=self.num_graphs,
                    num_as_limit=int(as_limit.sum()),
                    num_as_static=int(as_static.sum()),
                    **means(bp=bp),
                    limit=float(limit.mean()),
                    static=float(static.mean()),
                    ggreedy=float(ggreedy.mean()),
                )
            )
        return rows


def _selected(problem: CoverageProblem, solver: Solver) -> Selection:
    return solver.solve(problem, Run()).selection
