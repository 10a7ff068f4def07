"""The paper's Fig. 2: covered weight against price on weighted biregular graphs.

N = 100 items of degree 9, M = 300 elements of degree 3, costs and weights uniform
integers from 1 to 10, budget 100, inverse temperature 3, 150 iterations.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from thatch.arrays import Floats
from thatch.devices import require_threads
from thatch.errors import InputError
from thatch.experiments.means import standard_error
from thatch.files.atomic_writes import atomic_write
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
from thatch.solvers.greedy import round_by_rank

ENSEMBLE = BiregularGraph(
    num_items=100, num_elements=300, item_degree=9, element_degree=3
)
BUDGET = 100.0
INVERSE_TEMPERATURE = 3.0
# Fine around the peak, then coarse up to prices at which the order is static.
LAST_FINE_PRICE = 10.0
PRICES = (
    *np.arange(0.0, LAST_FINE_PRICE + 0.1, 0.25).tolist(),
    *(12.0, 15.0, 20.0, 30.0, 50.0, 100.0),
)
#: Branch and bound takes a tenth of a second per graph, and this many suffice.
MAX_EXACT_GRAPHS = 100

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
    ggreedy: float
    ggreedy_sem: float
    #: Mean difference of belief propagation and g-greedy, graph by graph.
    difference: float
    difference_sem: float
    static: float
    greedy: float
    #: Mean optimum over the first 100 graphs.
    exact: float


@dataclass(frozen=True)
class Fig2:
    """The figure as numbers: one row per price."""

    rows: tuple[Fig2Row, ...]
    num_graphs: int
    seed: int

    @property
    def peak(self) -> Fig2Row:
        """The row in which belief propagation covers the most."""
        return max(self.rows, key=lambda row: row.bp)

    def write_csv(self, path: str | Path) -> None:
        """Save the rows, one per line."""
        names = [field.name for field in fields(Fig2Row)]
        with (
            atomic_write(path) as draft,
            draft.open("w", newline="", encoding="utf-8") as file,
        ):
            writer = csv.writer(file)
            writer.writerow(names)
            for row in self.rows:
                writer.writerow([f"{getattr(row, name):.6g}" for name in names])

    def write_png(self, path: str | Path) -> None:
        """Draw the figure."""
        rows, first = self.rows, self.rows[0]
        PriceSweep(
            prices=[row.price for row in rows],
            curve=Curve(
                r"belief propagation, $\beta = 3$ ($\pm$ s.e.m.)",
                [row.bp for row in rows],
                [row.bp_sem for row in rows],
            ),
            levels=[
                Level(
                    f"optimum (first {min(self.num_graphs, MAX_EXACT_GRAPHS)} graphs)",
                    first.exact,
                ),
                Level("g-greedy", first.ggreedy),
                Level("static order", first.static),
            ],
            difference=Curve(
                "BP $-$ g-greedy",
                [row.difference for row in rows],
                [row.difference_sem for row in rows],
            ),
            last_linear_price=LAST_FINE_PRICE,
            caption=f"(9, 3)-biregular graphs, N = 100, M = 300, K = 100; "
            f"mean of {self.num_graphs} graphs",
        ).write_png(path)


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
        return Fig2(_rows(self.prices, solved), self.num_graphs, self.seed)

    def _solve(self, batch: _Batch) -> _Values:
        problems = [ENSEMBLE.problem(budget=BUDGET, seed=seed) for seed in batch.seeds]
        return _Values(
            bp=_sweep(problems, self.prices),
            ggreedy=_each(problems, GeneralizedGreedy()),
            static=_each(problems, StaticGreedy()),
            greedy=_each(problems, Greedy()),
            exact=_each(problems if batch.has_exact else [], Exact()),
        )


@dataclass(frozen=True)
class _Batch:
    seeds: Sequence[int]
    has_exact: bool


@dataclass(frozen=True)
class _Values:
    """Values of the graphs of a batch."""

    #: float64, shape (num_graphs, num_prices).
    bp: Floats
    ggreedy: Floats
    static: Floats
    greedy: Floats
    exact: Floats


def _batches(num_graphs: int, seed: int) -> Iterator[_Batch]:
    # Every graph has its own seed, so that more graphs extend an experiment.
    seeds = range(seed * SEED_STRIDE, seed * SEED_STRIDE + num_graphs)
    for first in range(0, num_graphs, _GRAPHS_PER_BATCH):
        yield _Batch(
            seeds[first : first + _GRAPHS_PER_BATCH], has_exact=first < MAX_EXACT_GRAPHS
        )


def _sweep(problems: list[CoverageProblem], prices: tuple[float, ...]) -> Floats:
    """Values of Algorithm 2, shape (num_graphs, num_prices); solved as one graph."""
    priced_problems = [
        PricedProblem(problem, inverse_temperature=INVERSE_TEMPERATURE, price=price)
        for problem in problems
        for price in prices
    ]
    values = [
        round_by_rank(priced.problem, beliefs.item_fields).value
        for priced, beliefs in zip(
            priced_problems, propagate(priced_problems, run=Run()), strict=True
        )
    ]
    return np.array(values).reshape(len(problems), len(prices))


def _each(problems: list[CoverageProblem], solver: Solver) -> Floats:
    return np.array(
        [solver.solve(problem, Run()).selection.value for problem in problems]
    )


def _rows(prices: tuple[float, ...], solved: list[_Values]) -> tuple[Fig2Row, ...]:
    bp, ggreedy, static, greedy, exact = (
        np.concatenate([getattr(values, field.name) for values in solved])
        for field in fields(_Values)
    )
    return tuple(
        Fig2Row(
            price=price,
            bp=float(column.mean()),
            bp_sem=standard_error(column),
            ggreedy=float(ggreedy.mean()),
            ggreedy_sem=standard_error(ggreedy),
            difference=float((column - ggreedy).mean()),
            difference_sem=standard_error(column - ggreedy),
            static=float(static.mean()),
            greedy=float(greedy.mean()),
            exact=float(exact[:MAX_EXACT_GRAPHS].mean()),
        )
        for price, column in zip(prices, bp.T, strict=True)
    )
