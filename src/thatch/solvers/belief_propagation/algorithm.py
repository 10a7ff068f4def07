"""Pass messages, rank the items by field per cost, fill: Algorithm 2, and beyond it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from thatch.arrays import number
from thatch.devices import num_cores
from thatch.errors import InputError, InputTypeError
from thatch.problem.coverage_problem import CoverageProblem
from thatch.run.beliefs import Beliefs
from thatch.run.result import Result, Status
from thatch.run.run import Run
from thatch.solvers.belief_propagation.batch import Batch
from thatch.solvers.belief_propagation.priced_problem import (
    PricedProblem,
    require_temperature_and_price,
)
from thatch.solvers.belief_propagation.rounding import BestRounding
from thatch.solvers.belief_propagation.schedule import Schedule

# Above so many edges, filling anew by gain takes longer than all the messages.
_MOST_EDGES_TO_REFILL = 2_000_000


@dataclass(frozen=True)
class BeliefPropagation:
    """Pass messages between items and elements, then fill by field per cost.

    Three settings go beyond the paper; `algorithm_2` switches them off. Reinforced
    messages commit to a selection: for marginals pass 0, or use `propagate`.

    >>> from thatch import solve
    >>> from thatch.instances import toy
    >>> result = solve(toy.greedy_trap().problem, BeliefPropagation(price=4.0))
    >>> result.selection.value
    16.0
    >>> result.beliefs.item_marginals.round(3)
    array([0., 1., 1.])
    """

    #: As in `PricedProblem`.
    inverse_temperature: float | None = None
    #: As in `PricedProblem`.
    price: float | None = None
    #: Share of the old message that an update keeps.
    damping: float = 0.5
    #: How often every message is updated.
    max_iterations: int = 150
    #: Share of its own field that an item is given back, growing from 0 to this.
    reinforcement: float = 0.9
    #: Rank and fill after every so many iterations, not just at the end, and keep the
    #: best filling; 0 is once, at the end.
    iterations_per_rounding: int = 5
    #: Whether the last items of the best filling are given up for better ones; up to
    #: two million edges, above which that takes longer than it is worth.
    has_greedy_completion: bool = True
    #: As in `Schedule`.
    precision: str | None = None

    def __post_init__(self) -> None:
        require_temperature_and_price(self.inverse_temperature, self.price)
        _ = self._schedule
        iterations = number("iterations_per_rounding", self.iterations_per_rounding)
        if iterations < 0 or iterations % 1:
            raise InputError(
                "iterations_per_rounding must be a whole number >= 0, "
                f"got {iterations:g}.",
                hint="Pass 0 to fill once, at the end.",
            )

    @classmethod
    def algorithm_2(
        cls,
        *,
        inverse_temperature: float | None = None,
        price: float | None = None,
        damping: float = 0.5,
        max_iterations: int = 150,
    ) -> BeliefPropagation:
        """The paper's Algorithm 2: the plain messages, one ranking at the end.

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
        )

    @property
    def _schedule(self) -> Schedule:
        return Schedule(
            damping=self.damping,
            max_iterations=self.max_iterations,
            reinforcement=self.reinforcement,
            precision=self.precision,
        )

    def solve(self, problem: CoverageProblem, run: Run) -> Result:
        """Iterate, rank, fill."""
        priced = PricedProblem(
            problem, inverse_temperature=self.inverse_temperature, price=self.price
        )
        batch = Batch([priced], self._schedule, run)
        batch.begin()
        ranker = batch.ranker()
        status = None
        for t in range(self.max_iterations):
            batch.iterate(t)
            if (
                self.iterations_per_rounding
                and (t + 1) % self.iterations_per_rounding == 0
            ):
                ranker.rank_by(batch.item_fields)
            status = run.report(
                ranker.best,
                largest_change=batch.largest_change,
                price=batch.price,
                step="bp",
            )
            if status is not None:
                break
        (beliefs,) = batch.beliefs()
        filling = ranker.finished()
        best = filling.rank_by(beliefs.item_fields)
        if self.has_greedy_completion and problem.num_edges <= _MOST_EDGES_TO_REFILL:
            best = filling.refill(run)
        return run.result(best, status or batch.status, beliefs=beliefs)

    def solve_each(self, problems: Sequence[CoverageProblem], run: Run) -> list[Result]:
        """Solve many problems in one go: messages are passed on their disjoint union.

        Items are ranked once, at the end. What is answered to a problem depends on that
        problem alone, not on those beside it.

        >>> from thatch import Run
        >>> from thatch.instances import toy
        >>> problems = [toy.greedy_trap().problem, toy.star(9).problem]
        >>> results = BeliefPropagation().solve_each(problems, Run())
        >>> results[0].selection.value
        16.0
        """
        priced_problems = [
            PricedProblem(
                p, inverse_temperature=self.inverse_temperature, price=self.price
            )
            for p in problems
        ]
        answers = []
        for priced, beliefs in zip(
            priced_problems,
            Batch(priced_problems, self._schedule, run).settled(),
            strict=True,
        ):
            filling = BestRounding(priced.problem)
            best = filling.rank_by(beliefs.item_fields)
            if self.has_greedy_completion:
                best = filling.refill(run)
            answers.append(run.result(best, Status.FINISHED, beliefs=beliefs))
        return answers


def propagate(
    priced_problems: Iterable[PricedProblem],
    *,
    damping: float = 0.5,
    max_iterations: int = 150,
    precision: str | None = None,
    run: Run | None = None,
) -> list[Beliefs]:
    """Beliefs of many problems, or of one at many prices, in one call.

    Parameters
    ----------
    parts
        Problems, each with its own inverse temperature and price.
    damping
        Share of the old message that an update keeps.
    max_iterations
        How often every message is updated.
    precision
        How messages are held; unless given, single on a GPU and double elsewhere.
    run
        Threads, device, and who hears of every iteration and may stop it: all cores and
        nobody unless given, one thread in a run that does not say. Where nobody
        listens, parts take turns to settle, which is faster, and the run hears of the
        end alone. There is no value to hear of, and convergence is that of all parts.

    >>> from thatch.instances import toy
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
        beliefs = batch.settled()
        changes = [each.largest_change for each in beliefs]
        run.report(largest_change=max(changes, default=0.0), step="bp")
        return beliefs
    batch.begin()
    for t in range(max_iterations):
        batch.iterate(t)
        status = run.report(
            largest_change=batch.largest_change, price=batch.price, step="bp"
        )
        if status is not None:
            break
    return batch.beliefs()


def _checked(
    priced_problems: Iterable[PricedProblem], run: object
) -> list[PricedProblem]:
    # Forgotten brackets are the likeliest mistake; what is in them is looked at next.
    priced_problems = (
        list(priced_problems)
        if isinstance(priced_problems, Iterable)
        else [priced_problems]
    )
    for priced in priced_problems:
        if not isinstance(priced, PricedProblem):
            raise InputTypeError(
                f"parts must be Part objects, got {priced!r}.",
                hint="Write Part(problem, inverse_temperature=3.0, price=5.0).",
            )
    if run is not None and not isinstance(run, Run):
        raise InputTypeError(
            f"run must be a Run, got {run!r}.",
            hint="Write Run(device='gpu'), for example, or leave it out.",
        )
    return priced_problems
