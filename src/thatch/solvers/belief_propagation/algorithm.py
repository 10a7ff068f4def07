"""Belief propagation as a solver: the paper's Algorithm 2, and what goes beyond it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from thatch.errors import InputTypeError
from thatch.machine.devices import num_cores
from thatch.options import require_integer
from thatch.problem.constraints import LIMITS, ConstraintKind
from thatch.problem.coverage_problem import CoverageProblem
from thatch.run.beliefs import Beliefs, Symbols, one_of
from thatch.run.result import Result, Status
from thatch.run.run import Run
from thatch.solvers.belief_propagation.batch import Batch
from thatch.solvers.belief_propagation.in_memory import InMemory
from thatch.solvers.belief_propagation.loop import Plan, pass_messages
from thatch.solvers.belief_propagation.priced_problem import (
    PricedProblem,
    StaticallyPriced,
    require_temperature_and_price,
)
from thatch.solvers.belief_propagation.rounding import BestRounding
from thatch.solvers.belief_propagation.schedule import Schedule
from thatch.solvers.effort import Effort

if TYPE_CHECKING:
    from thatch._kernels.gpu import Graph

# The share of the time left that finding the first price may take.
_SHARE_OF_FIRST_PRICE = 0.3


@dataclass(frozen=True)
class BeliefPropagation(Symbols):
    """Pass messages between items and elements, then round by field per cost.

    Three settings go beyond the paper; `algorithm_2` switches them off. Reinforced
    messages commit to a selection: for marginals pass 0, or use `propagate`. The
    constructor also accepts the paper's symbols, `beta` and `mu`.

    >>> from thatch import solve
    >>> from thatch.problem.instances import toy
    >>> result = solve(toy.greedy_trap().problem, BeliefPropagation(price=4.0))
    >>> result.selection.value
    16.0
    >>> result.beliefs.item_marginals.round(3)
    array([0., 1., 1.])
    """

    #: As in `PricedProblem`.
    inverse_temperature: float | None
    #: As in `PricedProblem`.
    price: float | None
    #: Share of the old message that an update keeps.
    damping: float
    #: How often every message is updated.
    max_iterations: int
    #: Share of its own field that is added to an item, growing from 0 to this.
    reinforcement: float
    #: Iterations between two roundings, of which the best is kept; 0 rounds once, at
    #: the end.
    iterations_per_rounding: int
    #: Whether the last items of the best rounding are replaced greedily. Above two
    #: million edges they are not, since that takes longer than it is worth.
    has_greedy_completion: bool
    #: As in `Schedule`.
    precision: str | None

    accepts: ClassVar[frozenset[ConstraintKind]] = LIMITS

    # Written out for the symbols, as in `PricedProblem`.
    def __init__(
        self,
        inverse_temperature: float | None = None,
        price: float | None = None,
        damping: float = 0.5,
        max_iterations: int = 150,
        reinforcement: float = 0.9,
        iterations_per_rounding: int = 5,
        has_greedy_completion: bool = True,
        precision: str | None = None,
        *,
        beta: float | None = None,
        mu: float | None = None,
    ) -> None:
        settings = {
            "inverse_temperature": one_of(
                "inverse_temperature", inverse_temperature, "beta", beta
            ),
            "price": one_of("price", price, "mu", mu),
            "damping": damping,
            "max_iterations": max_iterations,
            "reinforcement": reinforcement,
            "iterations_per_rounding": iterations_per_rounding,
            "has_greedy_completion": has_greedy_completion,
            "precision": precision,
        }
        for name, value in settings.items():
            object.__setattr__(self, name, value)
        require_temperature_and_price(self.inverse_temperature, self.price)
        _ = self.schedule
        hint = "Pass 0 to round at the end."
        require_integer("iterations_per_rounding", iterations_per_rounding, hint=hint)

    @classmethod
    def algorithm_2(
        cls,
        *,
        inverse_temperature: float | None = None,
        price: float | None = None,
        damping: float = 0.5,
        max_iterations: int = 150,
        beta: float | None = None,
        mu: float | None = None,
    ) -> BeliefPropagation:
        """The paper's Algorithm 2: plain messages, one rounding at the end.

        >>> BeliefPropagation.algorithm_2(price=5.0).reinforcement
        0.0
        """
        return cls(
            inverse_temperature=inverse_temperature,
            price=price,
            damping=damping,
            max_iterations=max_iterations,
            reinforcement=0.0,
            iterations_per_rounding=0,
            has_greedy_completion=False,
            beta=beta,
            mu=mu,
        )

    @property
    def schedule(self) -> Schedule:
        """How messages are updated."""
        return Schedule(
            damping=self.damping,
            max_iterations=self.max_iterations,
            reinforcement=self.reinforcement,
            precision=self.precision,
        )

    @property
    def plan(self) -> Plan:
        """What the loop does with these settings, without a descent."""
        return Plan(self.max_iterations, self.iterations_per_rounding)

    def solve(self, problem: CoverageProblem, run: Run) -> Result:
        """Iterate and round."""
        backend = self.in_memory(problem, run)
        status = pass_messages(backend, self.plan, run)
        return run.result(
            backend.selection(), status or backend.status, beliefs=backend.beliefs
        )

    def in_memory(
        self,
        problem: CoverageProblem,
        run: Run,
        *,
        graph: Graph | None = None,
    ) -> InMemory:
        """The messages of a problem, whose graph may be on the GPU already."""
        return InMemory(
            self._priced(problem, run),
            self.schedule,
            run,
            has_greedy_completion=self.has_greedy_completion,
            graph=graph,
        )

    def _priced(self, problem: CoverageProblem, run: Run) -> PricedProblem:
        seconds = Effort().greedy_seconds(problem.num_items, problem.num_edges)
        # Two greedy selections find the first price; iterations are worth more.
        is_late = 2.0 * seconds > _SHARE_OF_FIRST_PRICE * run.seconds_left
        kind = StaticallyPriced if is_late else PricedProblem
        return kind(
            problem, inverse_temperature=self.inverse_temperature, price=self.price
        )

    def solve_each(self, problems: Sequence[CoverageProblem], run: Run) -> list[Result]:
        """Solve many problems: messages are passed on their disjoint union.

        Items are ranked once, at the end. The result of a problem does not depend on
        the others.

        >>> from thatch import Run
        >>> from thatch.problem.instances import toy
        >>> problems = [toy.greedy_trap().problem, toy.star(9).problem]
        >>> results = BeliefPropagation().solve_each(problems, Run())
        >>> results[0].selection.value
        16.0
        """
        priced_problems = [self._priced(problem, run) for problem in problems]
        results = []
        for priced, beliefs in zip(
            priced_problems,
            Batch(priced_problems, self.schedule, run).propagated(),
            strict=True,
        ):
            rounding = BestRounding(priced.problem)
            best = rounding.round(beliefs.item_replies)
            if self.has_greedy_completion:
                best = rounding.complete_greedily(run)
            results.append(run.result(best, Status.FINISHED, beliefs=beliefs))
        return results


def propagate(
    priced_problems: Iterable[PricedProblem],
    *,
    damping: float = 0.5,
    max_iterations: int = 150,
    precision: str | None = None,
    run: Run | None = None,
) -> list[Beliefs]:
    """Beliefs of many problems, or of one problem at many prices.

    Parameters
    ----------
    priced_problems
        Problems, each with its own inverse temperature and price.
    damping
        Share of the old message that an update keeps.
    max_iterations
        How often every message is updated.
    precision
        single or double; default: single on a GPU, double on the processor.
    run
        Threads, device, observers and stopping rules; default: all cores. Without
        observers and rules, problems are iterated one after the other, which is faster,
        and only the end is reported. Reports have no value, and the largest change is
        that of all problems.

    >>> from thatch.problem.instances import toy
    >>> problem = toy.greedy_trap().problem
    >>> sweep = [
    ...     PricedProblem(problem, inverse_temperature=3.0, price=price)
    ...     for price in (1, 4, 100)
    ... ]
    >>> [round(beliefs.expected_cost, 2) for beliefs in propagate(sweep)]
    [2.05, 2.0, 0.0]
    """
    schedule = Schedule(
        damping=damping, max_iterations=max_iterations, precision=precision
    )
    priced_problems = _checked(priced_problems, run)
    run = run or Run(num_threads=num_cores())
    batch = Batch(priced_problems, schedule, run)
    if not run.has_listeners:
        beliefs = batch.propagated()
        changes = [each.largest_change for each in beliefs]
        run.report(largest_change=max(changes, default=0.0), step="bp")
        return beliefs
    batch.start()
    for t in range(max_iterations):
        batch.iterate(t)
        status = run.report(
            largest_change=batch.largest_change, price=batch.price, step="bp"
        )
        if status is not None:
            break
    return batch.beliefs()


def _checked(priced_problems: object, run: object) -> list[PricedProblem]:
    # Missing brackets are a likely mistake: a single problem is checked like a list.
    given: list[Any] = (
        list(priced_problems)
        if isinstance(priced_problems, Iterable)
        else [priced_problems]
    )
    for priced in given:
        if not isinstance(priced, PricedProblem):
            raise InputTypeError(
                f"expected a list of PricedProblem objects, got {priced!r}.",
                hint="Write PricedProblem(problem, price=5.0), in a list.",
            )
    if run is not None and not isinstance(run, Run):
        raise InputTypeError(
            f"run is {run!r}; it must be a Run.",
            hint="Write Run(device='gpu'), for example, or leave it out.",
        )
    return given
