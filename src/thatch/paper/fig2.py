"""The paper's Fig. 2: covered weight against price on weighted biregular graphs.

N = 100 items of degree 9, M = 300 elements of degree 3, costs and weights uniform
integers from 1 to 10, budget 100, inverse temperature 3, 150 iterations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from thatch.arrays import Floats
from thatch.paper.experiment import GraphExperiment, Table, means, write_tables
from thatch.paper.figures.price_sweep import PriceSweep
from thatch.plot.drawing import Curve, Level
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.run.run import Run
from thatch.solvers import (
    BeliefPropagation,
    Exact,
    GeneralizedGreedy,
    Greedy,
    Solver,
    StaticGreedy,
)
from thatch.solvers.belief_propagation.algorithm import propagate
from thatch.solvers.belief_propagation.priced_problem import PricedProblem
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

#: What Algorithm 2 at a fixed price is compared with.
SOLVERS: dict[str, Solver] = {
    "greedy": Greedy(),
    "static": StaticGreedy(),
    "infinite_price": StaticGreedy(INVERSE_TEMPERATURE),
    "ggreedy": GeneralizedGreedy(),
    "adapted_price": BeliefPropagation.algorithm_2(
        inverse_temperature=INVERSE_TEMPERATURE
    ),
    "additions": BeliefPropagation(),
    "exact": Exact(),
}


def has_converged(largest_change: float, damping: float) -> bool:
    """Whether messages with this damping have converged by the measure of Fig. 2.

    Damping makes changes smaller, so what is compared is what the change would be at
    the damping of Fig. 2.

    >>> has_converged(9e-4, damping=0.5), has_converged(9e-4, damping=0.9)
    (True, False)
    """
    return 0.5 * largest_change / (1.0 - damping) < CONVERGED_CHANGE


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
class SolverRow:
    """Mean value of a solver over the graphs, and its distance from g-greedy."""

    solver: str
    value: float
    value_sem: float
    #: Mean difference, graph by graph.
    above_ggreedy: float
    above_ggreedy_sem: float


@dataclass(frozen=True)
class Fig2(Table[Fig2Row]):
    """The figure as numbers: one row per price, and one per solver."""

    solvers: tuple[SolverRow, ...]
    num_graphs: int
    seed: int
    damping: float

    @property
    def peak(self) -> Fig2Row:
        """The row in which belief propagation covers the most."""
        return max(self.rows, key=lambda row: row.bp)

    @property
    def findings(self) -> list[str]:
        """The peak and the solvers in words."""
        peak = self.peak
        of_peak = (
            f"Belief propagation peaks at price {peak.price:g}: {peak.bp:.1f} "
            f"± {peak.bp_sem:.1f}, {peak.difference:.2f} ± {peak.difference_sem:.2f} "
            f"above g-greedy, {-peak.to_optimum:.2f} ± {peak.to_optimum_sem:.2f} below "
            f"the optimum. Messages converged on {peak.converged:.0%} of the graphs."
        )
        of_solvers = [
            f"{row.solver}: {row.value:.1f} ± {row.value_sem:.1f}, "
            f"{row.above_ggreedy:.2f} ± {row.above_ggreedy_sem:.2f} above g-greedy."
            for row in self.solvers
        ]
        return [of_peak, *of_solvers]

    def write_csv(self, path: str | Path) -> list[Path]:
        """Save the rows, one per line, and those of the solvers beside them."""
        return write_tables(path, self.rows, solvers=self.solvers)

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
class Fig2Experiment(GraphExperiment):
    """The experiment's settings."""

    num_graphs: int = 1000
    prices: tuple[float, ...] = PRICES
    #: As in `propagate`. The paper does not mention any.
    damping: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = Schedule(damping=self.damping)

    def run(self, *, on_progress: Callable[[int], None] = lambda graphs: None) -> Fig2:
        """Run the experiment; after each batch, `on_progress` gets its graphs."""
        solved = self.outcomes(
            self._solve,
            _batches(self.seeds),
            on_progress,
            steps_of=lambda values: values.bp.shape[0],
        )
        values = _joined(solved)
        return Fig2(
            _rows(self.prices, values),
            _solver_rows(values.of_solvers),
            self.num_graphs,
            self.seed,
            self.damping,
        )

    def _solve(self, seeds: Sequence[int]) -> _Values:
        problems = [ENSEMBLE.problem(budget=BUDGET, seed=seed) for seed in seeds]
        bp, changes = self._sweep(problems)
        return _Values(
            bp=bp,
            changes=changes,
            of_solvers={
                name: _each(problems, solver) for name, solver in SOLVERS.items()
            },
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
    #: By the names of `SOLVERS`; shape (num_graphs,).
    of_solvers: dict[str, Floats]


def _batches(seeds: Sequence[int]) -> Iterator[Sequence[int]]:
    """Seeds of graphs that are solved as one disjoint union.

    They are few enough to stay in the cache.
    """
    for first in range(0, len(seeds), 4):
        yield seeds[first : first + 4]


def _each(problems: list[CoverageProblem], solver: Solver) -> Floats:
    return np.array(
        [solver.solve(problem, Run()).selection.value for problem in problems]
    )


def _joined(batches: list[_Values]) -> _Values:
    return _Values(
        bp=np.concatenate([each.bp for each in batches]),
        changes=np.concatenate([each.changes for each in batches]),
        of_solvers={
            name: np.concatenate([each.of_solvers[name] for each in batches])
            for name in SOLVERS
        },
    )


def _solver_rows(of_solvers: dict[str, Floats]) -> tuple[SolverRow, ...]:
    ggreedy = of_solvers["ggreedy"]
    return tuple(
        SolverRow(solver=name, **means(value=values, above_ggreedy=values - ggreedy))
        for name, values in of_solvers.items()
    )


def _rows(prices: tuple[float, ...], values: _Values) -> tuple[Fig2Row, ...]:
    ggreedy, exact = values.of_solvers["ggreedy"], values.of_solvers["exact"]
    return tuple(
        Fig2Row(
            price=price,
            converged=float((last_changes < CONVERGED_CHANGE).mean()),
            static=float(values.of_solvers["static"].mean()),
            infinite_price=float(values.of_solvers["infinite_price"].mean()),
            greedy=float(values.of_solvers["greedy"].mean()),
            **means(
                bp=column,
                ggreedy=ggreedy,
                difference=column - ggreedy,
                to_optimum=column - exact,
                exact=exact,
            ),
        )
        for price, column, last_changes in zip(
            prices, values.bp.T, values.changes.T, strict=True
        )
    )
