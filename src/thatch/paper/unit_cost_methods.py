"""Algorithm 2 and its variants, as functions from a problem to a covered weight."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from thatch.arrays import Floats
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Restriction, Selection
from thatch.run.run import Run
from thatch.solvers import GeneralizedGreedy
from thatch.solvers.belief_propagation.algorithm import BeliefPropagation
from thatch.solvers.belief_propagation.message_passing import MessagePassing
from thatch.solvers.belief_propagation.priced_problem import PricedProblem
from thatch.solvers.greedy import ranking, round_by_rank

#: Damping that stops the oscillation of all messages together.
STRONG_DAMPING = 0.9


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


def _algorithm_2(problem: CoverageProblem, seed: int) -> float:
    solver = BeliefPropagation.algorithm_2()
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


def _all_additions(problem: CoverageProblem, seed: int) -> float:
    return BeliefPropagation().solve(problem, Run()).selection.value


def _changed_additions(problem: CoverageProblem, seed: int) -> float:
    perturbed = with_perturbed_weights(problem, seed)
    found = BeliefPropagation(damping=0.8).solve(perturbed, Run()).selection
    return Selection.of(problem, found.items).value


def _ggreedy(problem: CoverageProblem, seed: int) -> float:
    return GeneralizedGreedy().solve(problem, Run()).selection.value


#: What is compared, apart from `auto`, which also gives the bound.
METHODS = (
    Method("g-greedy", _ggreedy),
    Method("Algorithm 2", _algorithm_2),
    Method("random start", _random_start),
    Method("perturbed weights", _perturbed_weights),
    Method("fixed price", _fixed_price),
    Method("damping 0.9", _damped),
    # Inverse temperature times mean weight; the default is 16.5.
    Method("damping 0.9, warmer", partial(_damped, scaled=4.0)),
    Method(
        "decimation 10 %",
        partial(_decimated, share=0.1, damping=0.5, iterations=150),
    ),
    Method(
        "decimation 10 %, damping 0.9",
        partial(_decimated, share=0.1, damping=STRONG_DAMPING, iterations=150),
    ),
    Method(
        "decimation 1 %, damping 0.9",
        partial(_decimated, share=0.01, damping=STRONG_DAMPING, iterations=50),
    ),
    Method("BeliefPropagation()", _all_additions),
    Method("BP, damping 0.8, perturbed", _changed_additions),
)
