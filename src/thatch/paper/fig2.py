"""The paper's Fig. 2: covered weight against price on weighted biregular graphs.

N = 100 items of degree 9, M = 300 elements of degree 3, costs and weights uniform
integers from 1 to 10, budget 100, inverse temperature 3, 150 iterations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from thatch.arrays import Floats
from thatch.paper.experiment import GraphExperiment, OnProgress, ignore, means
from thatch.paper.fig2_figure import LAST_LINEAR_PRICE, Fig2, Fig2Row, SolverRow
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
class Fig2Experiment(GraphExperiment):
    """The experiment's settings."""

    num_graphs: int = 1000
    prices: tuple[float, ...] = PRICES
    #: As in `propagate`. The paper does not mention any.
    damping: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = Schedule(damping=self.damping)

    def run(self, *, on_progress: OnProgress = ignore) -> Fig2:
        """Run the experiment; after each batch, `on_progress` gets its graphs."""
        solved = self.outcomes(
            self._solve,
            _batches(self.seeds),
            on_progress,
            steps_of=lambda values: len(values["bp"]),
        )
        values = {
            name: np.concatenate([each[name] for each in solved]) for name in solved[0]
        }
        return Fig2(
            _rows(self.prices, values),
            _solver_rows(values),
            self.num_graphs,
            self.seed,
            self.damping,
        )

    def _solve(self, seeds: Sequence[int]) -> dict[str, Floats]:
        """Values by the names of `SOLVERS`, one per graph; and of Algorithm 2.

        Its values, and its last changes of a message, have shape (num_graphs,
        num_prices).
        """
        problems = [ENSEMBLE.problem(budget=BUDGET, seed=seed) for seed in seeds]
        bp, changes = self._sweep(problems)
        values = {name: _each(problems, solver) for name, solver in SOLVERS.items()}
        return values | {"bp": bp, "changes": changes}

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


def _solver_rows(values: dict[str, Floats]) -> tuple[SolverRow, ...]:
    ggreedy = values["ggreedy"]
    return tuple(
        SolverRow(
            solver=name,
            **means(value=values[name], above_ggreedy=values[name] - ggreedy),
        )
        for name in SOLVERS
    )


def _rows(prices: tuple[float, ...], values: dict[str, Floats]) -> tuple[Fig2Row, ...]:
    ggreedy, exact = values["ggreedy"], values["exact"]
    return tuple(
        Fig2Row(
            price=price,
            converged=float((last_changes < CONVERGED_CHANGE).mean()),
            static=float(values["static"].mean()),
            infinite_price=float(values["infinite_price"].mean()),
            greedy=float(values["greedy"].mean()),
            **means(
                bp=column,
                ggreedy=ggreedy,
                difference=column - ggreedy,
                to_optimum=column - exact,
                exact=exact,
            ),
        )
        for price, column, last_changes in zip(
            prices, values["bp"].T, values["changes"].T, strict=True
        )
    )
