"""Algorithm 2 and its variants as functions to a covered weight, and their messages.

Messages oscillate, converge or differ, and perturbations of them grow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from thatch.arrays import Floats
from thatch.paper.fig2 import has_converged
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Restriction, Selection
from thatch.run.run import Run
from thatch.solvers import GeneralizedGreedy, Solver
from thatch.solvers.belief_propagation.algorithm import BeliefPropagation
from thatch.solvers.belief_propagation.message_passing import MessagePassing
from thatch.solvers.belief_propagation.priced_problem import PricedProblem
from thatch.solvers.greedy import ranking, round_by_rank

#: Damping that stops the oscillation of all messages together.
STRONG_DAMPING = 0.9
# An oscillation has a period of two to twenty iterations.
_LAST_ITERATIONS = 20


@dataclass(frozen=True)
class Method:
    """A way to choose items, and its name in tables and figures."""

    name: str
    #: Value found on a problem; the second argument is a seed.
    value: Callable[[CoverageProblem, int], float]


def inverse_temperature(problem: CoverageProblem, scaled: float) -> float:
    """The inverse temperature whose product with the mean weight is `scaled`."""
    mean, _ = problem.mean_and_largest_weight
    return scaled / mean


def with_perturbed_weights(problem: CoverageProblem, seed: int) -> CoverageProblem:
    """The problem with weights that differ from the given ones by up to 1 %."""
    signs = np.random.default_rng(seed).uniform(-1.0, 1.0, problem.num_elements)
    # Relative size of the perturbation of weights that makes equal items differ.
    return replace(problem, weights=problem.weights * (1.0 + 0.01 * signs))


def messages(
    problem: CoverageProblem,
    *,
    initial: str | Floats = "zero",
    damping: float = 0.5,
    scaled: float | None = None,
    price: float | None = None,
    seed: int = 0,
) -> MessagePassing:
    """Messages of a problem before the first iteration, on one thread."""
    beta = None if scaled is None else inverse_temperature(problem, scaled)
    priced = PricedProblem(problem, inverse_temperature=beta, price=price)
    return MessagePassing(
        priced, initial=initial, damping=damping, seed=seed, num_threads=1
    )


def decimated(
    problem: CoverageProblem,
    seed: int,
    *,
    share: float,
    damping: float = 0.5,
    max_iterations: int = 150,
) -> Selection:
    """Take the items of highest field, remove what they cover, and propagate again.

    Each round spends this share of the budget, and starts from random messages.
    """
    taken = np.zeros(0, dtype=np.int64)
    while True:
        free = np.setdiff1d(np.arange(problem.num_items), taken)
        rest = Restriction.of(problem, free, taken).problem
        if rest.num_edges == 0:
            return Selection.of(problem, taken)
        passing = messages(rest, initial="random", damping=damping, seed=seed)
        replies = passing.run(max_iterations).item_replies
        order = ranking(rest, replies)
        order = order[np.isin(order, round_by_rank(rest, replies).items)]
        spent = np.cumsum(rest.costs[order])
        last = int(np.searchsorted(spent, share * problem.budget * (1 + 1e-9), "right"))
        fixed = order[: max(1, last)]
        taken = np.sort(np.concatenate([taken, free[fixed]]))
        if fixed.size == order.size:
            return Selection.of(problem, taken)


def _ranked(problem: CoverageProblem, passing: MessagePassing) -> float:
    replies = passing.run(150, tolerance=0.0).item_replies
    return round_by_rank(problem, replies).value


def _solved(problem: CoverageProblem, seed: int, solver: Solver) -> float:
    return solver.solve(problem, Run()).selection.value


def _random_start(problem: CoverageProblem, seed: int) -> float:
    return _ranked(problem, messages(problem, initial="random", seed=seed))


def _perturbed_weights(problem: CoverageProblem, seed: int) -> float:
    return _ranked(problem, messages(with_perturbed_weights(problem, seed)))


def _fixed_price(problem: CoverageProblem, seed: int) -> float:
    slow = slow_messages(problem, seed)
    return _ranked(problem, messages(problem, price=slow.price))


def slow_messages(
    problem: CoverageProblem, seed: int, scaled: float | None = None
) -> MessagePassing:
    """Messages after 600 iterations with damping 0.9 from a random start."""
    passing = messages(
        problem, initial="random", damping=STRONG_DAMPING, scaled=scaled, seed=seed
    )
    # Strongly damped messages need more iterations.
    passing.run(600)
    return passing


def _damped(problem: CoverageProblem, seed: int, scaled: float | None = None) -> float:
    replies = slow_messages(problem, seed, scaled).beliefs.item_replies
    return round_by_rank(problem, replies).value


def _decimated(
    problem: CoverageProblem, seed: int, share: float, damping: float, iterations: int
) -> float:
    return decimated(
        problem, seed, share=share, damping=damping, max_iterations=iterations
    ).value


def _changed_additions(problem: CoverageProblem, seed: int) -> float:
    perturbed = with_perturbed_weights(problem, seed)
    found = BeliefPropagation(damping=0.8).solve(perturbed, Run()).selection
    return Selection.of(problem, found.items).value


#: What is compared, apart from `auto`, which also gives the bound.
METHODS = (
    Method("g-greedy", partial(_solved, solver=GeneralizedGreedy())),
    Method("Algorithm 2", partial(_solved, solver=BeliefPropagation.algorithm_2())),
    Method("random start", _random_start),
    Method("perturbed weights", _perturbed_weights),
    Method("fixed price", _fixed_price),
    Method("damping 0.9", _damped),
    # Inverse temperature times mean weight; the default is 16.5.
    Method("damping 0.9, warmer", partial(_damped, scaled=4.0)),
    Method(
        "decimation 10 %", partial(_decimated, share=0.1, damping=0.5, iterations=150)
    ),
    Method(
        "decimation 10 %, damping 0.9",
        partial(_decimated, share=0.1, damping=STRONG_DAMPING, iterations=150),
    ),
    Method(
        "decimation 1 %, damping 0.9",
        partial(_decimated, share=0.01, damping=STRONG_DAMPING, iterations=50),
    ),
    Method("BeliefPropagation()", partial(_solved, solver=BeliefPropagation())),
    Method("BP, damping 0.8, perturbed", _changed_additions),
)


@dataclass(frozen=True)
class Course:
    """One run of the messages."""

    #: float64, shape (iterations,): expected cost divided by the budget.
    costs: Floats
    has_converged: bool
    #: Standard deviation of the fields of the items, divided by the mean weight.
    field_spread: float

    @property
    def least_cost(self) -> float:
        """The least of the last expected costs, divided by the budget."""
        return float(self.costs[-_LAST_ITERATIONS:].min())

    @property
    def most_cost(self) -> float:
        """The largest of the last expected costs, divided by the budget."""
        return float(self.costs[-_LAST_ITERATIONS:].max())


def course(
    problem: CoverageProblem,
    *,
    damping: float,
    initial: str = "zero",
    price: float | None = None,
) -> Course:
    """Follow the messages for 150 iterations, from "zero" or "random" first ones.

    Without a price, it adapts to the budget in the course of the iterations.
    """
    passing = messages(problem, initial=initial, damping=damping, price=price)
    costs = np.empty(150)
    for t in range(costs.size):
        passing.step()
        costs[t] = passing.beliefs.expected_cost / problem.budget
    mean, _ = problem.mean_and_largest_weight
    return Course(
        costs=costs,
        has_converged=has_converged(passing.largest_change, damping),
        field_spread=float(passing.beliefs.item_fields.std()) / mean,
    )


@dataclass(frozen=True)
class Growth:
    """Factors by which perturbations of all messages grow per undamped update."""

    #: Of one sign for all messages, which every update reverses.
    uniform: float
    #: Of random signs.
    random: float


def growth(problem: CoverageProblem, *, scaled: float | None = None) -> Growth:
    """Growth at the price that spends the budget, near the fixed point.

    Messages with a damping of 0.97 are close to the fixed point even where it is
    unstable. The factors are those of `Population.growth`, on one graph. `scaled` is
    the inverse temperature times the mean weight.
    """
    # What comes nearest to a fixed point.
    slow = messages(problem, initial="random", damping=0.97, scaled=scaled)
    slow.run(1000)
    at, price, beta = slow.element_messages, slow.price, slow.inverse_temperature

    def updated(start: Floats) -> Floats:
        passing = messages(
            problem, initial=start, damping=0.0, scaled=scaled, price=price
        )
        passing.step()
        return passing.element_messages

    # A perturbation is small, and far above rounding errors.
    base, size = updated(at), 1e-6 / beta

    def factor(has_random_signs: bool) -> float:
        rng = np.random.default_rng(0)
        perturbation, logarithms = np.full(at.size, size), []
        for _ in range(24):
            if has_random_signs:
                signs = rng.choice([-1.0, 1.0], size=at.size)
                perturbation = np.abs(perturbation) * signs
            # Every update reverses the sign; here it is reversed again.
            after = base - updated(at + perturbation)
            logarithms.append(np.log(_norm(after) / _norm(perturbation)))
            perturbation = after * (size / _norm(after))
        return float(np.exp(np.mean(logarithms[6:])))

    return Growth(uniform=factor(False), random=factor(True))


def _norm(perturbation: Floats) -> float:
    return float(np.sqrt(np.mean(perturbation**2)))
