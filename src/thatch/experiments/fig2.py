"""The paper's Fig. 2: covered weight against price on weighted biregular graphs.

N = 100 items of degree 9, M = 300 elements of degree 3, costs and weights uniform
integers from 1 to 10, budget 100, inverse temperature 3, 150 iterations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from thatch.arrays import Floats
from thatch.devices import require_threads
from thatch.errors import InputError
from thatch.experiments.means import standard_error
from thatch.experiments.tables import write_rows
from thatch.instances.random_graphs import BiregularGraph
from thatch.plot.drawing import Curve, Level
from thatch.plot.price_sweep import PriceSweep
from thatch.problem.coverage_problem import CoverageProblem
from thatch.run.run import Run
from thatch.solvers import (
    Exact,
    GeneralizedGreedy,
    Greedy,
    Solver,
    StaticGreedy,
)
from thatch.solvers.belief_propagation import PricedProblem, propagate
from thatch.solvers.belief_propagation.schedule import Schedule
from thatch.solvers.greedy import round_by_rank

ENSEMBLE = BiregularGraph(
    num_items=100, num_elements=300, item_degree=9, element_degree=3
)
BUDGET = 100.0
INVERSE_TEMPERATURE = 3.0
# Fine below 1, where convergence is lost, and around the peak; coarse up to prices at
# which the order no longer changes.
LAST_LINEAR_PRICE = 1.0
PRICES = (
    *(0.0, 0.02, 0.05, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.75),
    *np.arange(LAST_LINEAR_PRICE, 10.1, 0.25).tolist(),
    *(12.0, 15.0, 20.0, 30.0, 50.0, 100.0),
)
#: Messages have converged if the last iteration changed none by as much as this.
CONVERGED_CHANGE = 1e-3

# Graphs solved as one disjoint union: few enough to stay in the cache.
_GRAPHS_PER_BATCH = 4
# Experiments with different seeds have no graph in common.
SEED_STRIDE = 1_000_003
MAX_GRAPHS = 1_000_000


@dataclass(frozen=True)
class Fig2Row:
    """Mean values over the graphs at one price."""

    price: float
    #: Mean value of belief propagation.
    bp: float
    #: Standard error of the mean.
    bp_sem: float
    #: Share of the graphs on which the messages converged.
    converged: float
    ggreedy: float
    ggreedy_sem: float
    #: Mean difference of belief propagation and g-greedy, graph by graph.
    difference: float
    difference_sem: float
    #: Mean difference of belief propagation and the optimum, graph by graph.
    to_optimum: float
    to_optimum_sem: float
    #: Order by weight per cost.
    static: float
    #: Order that Algorithm 2 reaches as the price grows.
    infinite_price: float
    greedy: float
    exact: float
    exact_sem: float


@dataclass(frozen=True)
class Fig2:
    """The figure as numbers: one row per price."""

    rows: tuple[Fig2Row, ...]
    num_graphs: int
    seed: int
    damping: float

    @property
    def peak(self) -> Fig2Row:
        """The row in which belief propagation covers the most."""
        return max(self.rows, key=lambda row: row.bp)

    def write_csv(self, path: str | Path) -> None:
        """Save the rows, one per line."""
        write_rows(path, self.rows)

    def write_picture(self, path: str | Path) -> None:
        """Draw the figure as a PNG, SVG or PDF file."""
        rows, first = self.rows, self.rows[0]
        PriceSweep(
            prices=[row.price for row in rows],
            curve=Curve(
                rf"belief propagation, $\beta = 3$, damping {self.damping:g}",
                [row.bp for row in rows],
                [row.bp_sem for row in rows],
            ),
            levels=[
                Level("optimum", first.exact),
                Level("g-greedy", first.ggreedy),
                Level("order by weight per cost", first.static),
            ],
            converged=[row.converged for row in rows],
            differences=[
                Curve(
                    "BP $-$ g-greedy",
                    [row.difference for row in rows],
                    [row.difference_sem for row in rows],
                ),
                Curve(
                    "BP $-$ optimum",
                    [row.to_optimum for row in rows],
                    [row.to_optimum_sem for row in rows],
                ),
            ],
            last_linear_price=LAST_LINEAR_PRICE,
            caption=f"(9, 3)-biregular graphs, N = 100, M = 300, K = 100; "
            f"mean of {self.num_graphs} graphs",
        ).write_picture(path)


@dataclass(frozen=True)
class Experiment:
    """The experiment's settings.

    >>> figure = Experiment(num_graphs=4, prices=(1.0, 5.0)).run()
    >>> [row.price for row in figure.rows], figure.rows[1].bp > figure.rows[0].bp
    ([1.0, 5.0], True)
    """

    num_graphs: int = 1000
    seed: int = 0
    prices: tuple[float, ...] = PRICES
    #: As in `propagate`. The paper does not mention any.
    damping: float = 0.5
    num_threads: int = 1

    def __post_init__(self) -> None:
        if not 2 <= self.num_graphs <= MAX_GRAPHS:
            raise InputError(
                f"graphs is {self.num_graphs}; it must be between 2 and {MAX_GRAPHS}.",
                hint="A standard error needs two graphs; the paper has 1000.",
            )
        if self.seed < 0:
            raise InputError(
                f"seed is {self.seed}; it must be non-negative.", hint="Pass 0 or more."
            )
        _ = Schedule(damping=self.damping)
        require_threads(self.num_threads)

    def run(self, *, on_progress: Callable[[int], None] = lambda graphs: None) -> Fig2:
        """Run the experiment.

        Parameters
        ----------
        on_progress
            Called after each batch with the number of its graphs.
        """
        solved: list[_Values] = []
        pool = ThreadPoolExecutor(max_workers=self.num_threads)
        try:
            for values in pool.map(self._solve, _batches(self.num_graphs, self.seed)):
                solved.append(values)
                on_progress(values.bp.shape[0])
        finally:
            # After an interrupt, do not wait for graphs that are being solved.
            pool.shutdown(wait=False, cancel_futures=True)
        rows = _rows(self.prices, solved)
        return Fig2(rows, self.num_graphs, self.seed, self.damping)

    def _solve(self, seeds: Sequence[int]) -> _Values:
        problems = [ENSEMBLE.problem(budget=BUDGET, seed=seed) for seed in seeds]
        bp, changes = self._sweep(problems)
        return _Values(
            bp=bp,
            changes=changes,
            ggreedy=_each(problems, GeneralizedGreedy()),
            static=_each(problems, StaticGreedy()),
            infinite_price=_each(problems, StaticGreedy(INVERSE_TEMPERATURE)),
            greedy=_each(problems, Greedy()),
            exact=_each(problems, Exact()),
        )

    def _sweep(self, problems: list[CoverageProblem]) -> tuple[Floats, Floats]:
        """Values and last changes of Algorithm 2, shape (num_graphs, num_prices)."""
        priced_problems = [
            PricedProblem(problem, inverse_temperature=INVERSE_TEMPERATURE, price=price)
            for problem in problems
            for price in self.prices
        ]
        # All are one graph, a disjoint union.
        sweep = propagate(priced_problems, damping=self.damping, run=Run())
        values = [
            round_by_rank(priced.problem, beliefs.item_replies).value
            for priced, beliefs in zip(priced_problems, sweep, strict=True)
        ]
        shape = len(problems), len(self.prices)
        changes = [beliefs.largest_change for beliefs in sweep]
        return np.reshape(values, shape), np.reshape(changes, shape)


@dataclass(frozen=True)
class _Values:
    """Values of the graphs of a batch."""

    #: float64, shape (num_graphs, num_prices).
    bp: Floats
    #: Largest change of a message in the last iteration; same shape.
    changes: Floats
    ggreedy: Floats
    static: Floats
    infinite_price: Floats
    greedy: Floats
    exact: Floats


def _batches(num_graphs: int, seed: int) -> Iterator[Sequence[int]]:
    """Seeds of the graphs of each batch."""
    # Every graph has its own seed, so that more graphs extend an experiment.
    seeds = range(seed * SEED_STRIDE, seed * SEED_STRIDE + num_graphs)
    for first in range(0, num_graphs, _GRAPHS_PER_BATCH):
        yield seeds[first : first + _GRAPHS_PER_BATCH]


def _each(problems: list[CoverageProblem], solver: Solver) -> Floats:
    return np.array(
        [solver.solve(problem, Run()).selection.value for problem in problems]
    )


def _rows(prices: tuple[float, ...], solved: list[_Values]) -> tuple[Fig2Row, ...]:
    bp, changes, ggreedy, static, infinite_price, greedy, exact = (
        np.concatenate([getattr(values, field.name) for values in solved])
        for field in fields(_Values)
    )
    return tuple(
        Fig2Row(
            price=price,
            bp=float(column.mean()),
            bp_sem=standard_error(column),
            converged=float((last_changes < CONVERGED_CHANGE).mean()),
            ggreedy=float(ggreedy.mean()),
            ggreedy_sem=standard_error(ggreedy),
            difference=float((column - ggreedy).mean()),
            difference_sem=standard_error(column - ggreedy),
            to_optimum=float((column - exact).mean()),
            to_optimum_sem=standard_error(column - exact),
            static=float(static.mean()),
            infinite_price=float(infinite_price.mean()),
            greedy=float(greedy.mean()),
            exact=float(exact.mean()),
            exact_sem=standard_error(exact),
        )
        for price, column, last_changes in zip(prices, bp.T, changes.T, strict=True)
    )
