"""The paper's figure for any text: beliefs as a function of the price."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thatch.problem.selection import Selection
from thatch.run.run import Run
from thatch.run.stopping import Converged, StoppingRule
from thatch.solvers import Auto, GeneralizedGreedy, Solver, StaticGreedy
from thatch.solvers.belief_propagation.algorithm import propagate
from thatch.solvers.belief_propagation.priced_problem import PricedProblem
from thatch.solvers.greedy import item_weights, round_by_rank
from thatch.solvers.solving import solve
from thatch.text.budget_fitting import require_requirements
from thatch.text.task import SummaryTask

_CONVERGED = Converged()
_LEVELS: dict[str, Solver] = {
    "auto": Auto(),
    "ggreedy": GeneralizedGreedy(),
    "static": StaticGreedy(),
}


@dataclass(frozen=True)
class PricePoint:
    """Beliefs at one price."""

    price: float
    #: Weight that Algorithm 2 covers with these beliefs.
    value: float
    #: Expected cost of a selection drawn from the beliefs.
    expected_cost: float
    #: Largest change of a message in the last iteration.
    largest_change: float


@dataclass(frozen=True)
class Spending:
    """Beliefs at the price that spends the budget."""

    price: float
    #: Weight that Algorithm 2 covers with these beliefs.
    value: float
    #: Expected cost of a selection drawn from the beliefs.
    expected_cost: float
    #: Largest change of a message in each iteration.
    largest_changes: list[float]
    #: Whether the messages converged.
    has_converged: bool


@dataclass(frozen=True)
class LiveSweep:
    """Covered weight and expected cost against price, at one temperature.

    >>> from thatch import Summarizer
    >>> task = Summarizer().task("Snow fell. Snow fell all day. We left.", 6)
    >>> sweep = LiveSweep.of(task, prices=(0.0, 5.0))
    >>> [point.expected_cost > 0 for point in sweep.points], sweep.gap
    ([True, True], 0.0)
    """

    #: What the budget measures.
    unit: str
    budget: float
    inverse_temperature: float
    #: The default inverse temperature of the problem.
    default_inverse_temperature: float
    #: Beliefs at each price.
    points: list[PricePoint]
    #: Beliefs at the price that spends the budget.
    spending: Spending
    #: Weight that other solvers cover, by name.
    levels: dict[str, float]
    #: Upper bound on the weight of any selection.
    upper_bound: float
    gap: float

    @classmethod
    def of(
        cls,
        task: SummaryTask,
        *,
        inverse_temperature: float | None = None,
        prices: Sequence[float] | None = None,
        stop: Sequence[StoppingRule] = (),
    ) -> LiveSweep:
        """Run belief propagation at every price, and the other solvers once.

        By default, there are 41 prices from 0 to twice the price that spends the
        budget.
        """
        priced = PricedProblem(task.problem, inverse_temperature=inverse_temperature)
        spending = _spending(task, priced)
        if prices is None:
            last = 2.0 * spending.price or _highest_price(task)
            num_prices = 41
            prices = np.linspace(0.0, last, num_prices).tolist()
        results = {
            name: solve(task.problem, solver, stop=stop, progress=False)
            for name, solver in _LEVELS.items()
        }
        best = results["auto"]
        require_requirements(task, best.selection)
        return cls(
            unit=task.unit.name,
            budget=task.budget,
            inverse_temperature=priced.used_inverse_temperature,
            default_inverse_temperature=PricedProblem(
                task.problem
            ).used_inverse_temperature,
            points=_points(task, priced, prices),
            spending=spending,
            levels={
                name: _value(task, each.selection) for name, each in results.items()
            },
            upper_bound=best.upper_bound - task.weight_of_requirements,
            gap=best.gap,
        )


def _spending(task: SummaryTask, priced: PricedProblem) -> Spending:
    run = Run(stop=[_CONVERGED])
    (beliefs,) = propagate([priced], run=run)
    selection = round_by_rank(task.problem, beliefs.item_replies)
    return Spending(
        price=run.trace[-1].price,
        value=_value(task, selection),
        expected_cost=beliefs.expected_cost,
        largest_changes=[progress.largest_change for progress in run.trace],
        has_converged=_CONVERGED(run.trace[-1]) is not None,
    )


def _points(
    task: SummaryTask, priced: PricedProblem, prices: Sequence[float]
) -> list[PricePoint]:
    priced_problems = [
        PricedProblem(
            task.problem, inverse_temperature=priced.inverse_temperature, price=price
        )
        for price in prices
    ]
    return [
        PricePoint(
            price=price,
            value=_value(task, round_by_rank(task.problem, beliefs.item_replies)),
            expected_cost=beliefs.expected_cost,
            largest_change=beliefs.largest_change,
        )
        for price, beliefs in zip(prices, propagate(priced_problems), strict=True)
    ]


def _highest_price(task: SummaryTask) -> float:
    """Largest weight per cost: the range of prices if the budget buys everything."""
    ratios = item_weights(task.problem) / np.maximum(task.problem.costs, 1e-300)
    return float(np.max(ratios, initial=0.0)) or 1.0


def _value(task: SummaryTask, selection: Selection) -> float:
    return selection.value - task.weight_of_requirements
