"""The paper's Algorithm 2: pass messages, rank the items by field per cost, fill."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nan

from thatch.arrays import number
from thatch.beliefs import Beliefs
from thatch.errors import InputError, InputTypeError
from thatch.problem import CoverageProblem
from thatch.result import Result, Status
from thatch.run import Run
from thatch.solvers.belief_propagation.messages import Messages
from thatch.solvers.belief_propagation.part import Part, require_temperature_and_price
from thatch.solvers.greedy import fill_by_ranking

# Messages that move less than this, times the inverse temperature, have settled.
_SETTLED = 1e-6


@dataclass(frozen=True)
class BeliefPropagation:
    """Pass messages between items and elements, then fill by field per cost.

    >>> from thatch import solve
    >>> from thatch.instances import toy
    >>> result = solve(toy.greedy_trap().problem, BeliefPropagation(price=4.0))
    >>> result.selection.value
    16.0
    >>> result.beliefs.item_marginals.round(3)
    array([0., 1., 1.])
    """

    #: As in `Part`.
    inverse_temperature: float | None = None
    #: As in `Part`.
    price: float | None = None
    #: Share of the old message that an update keeps.
    damping: float = 0.5
    #: How often every message is updated.
    max_iterations: int = 150

    def __post_init__(self) -> None:
        require_temperature_and_price(self.inverse_temperature, self.price)
        _require_damping_and_iterations(self.damping, self.max_iterations)

    def solve(self, problem: CoverageProblem, run: Run) -> Result:
        """Iterate, rank, fill."""
        part = Part(
            problem, inverse_temperature=self.inverse_temperature, price=self.price
        )
        (beliefs,), status = _settle(
            [part], damping=self.damping, max_iterations=self.max_iterations, run=run
        )
        best = fill_by_ranking(problem, beliefs.item_fields)
        return run.result(best, status, beliefs=beliefs)


def propagate(
    parts: Sequence[Part],
    *,
    damping: float = 0.5,
    max_iterations: int = 150,
    run: Run | None = None,
) -> list[Beliefs]:
    """Beliefs of many problems, or of one at many prices, passed as one graph.

    Parameters
    ----------
    parts
        Problems, each with its own inverse temperature and price.
    damping
        Share of the old message that an update keeps.
    max_iterations
        How often every message is updated.
    run
        Who hears of every iteration and may stop it, and how many threads there are.

    >>> from thatch.instances import toy
    >>> problem = toy.greedy_trap().problem
    >>> sweep = [
    ...     Part(problem, inverse_temperature=3.0, price=price) for price in (1, 4, 100)
    ... ]
    >>> [round(beliefs.expected_cost, 2) for beliefs in propagate(sweep)]
    [2.05, 2.0, 0.0]
    """
    _require_damping_and_iterations(damping, max_iterations)
    for part in parts:
        if not isinstance(part, Part):
            raise InputTypeError(
                f"parts must be Part objects, got {part!r}.",
                hint="Write Part(problem, inverse_temperature=3.0, price=5.0).",
            )
    beliefs, _ = _settle(
        parts, damping=damping, max_iterations=max_iterations, run=run or Run()
    )
    return beliefs


def _settle(
    parts: Sequence[Part], *, damping: float, max_iterations: int, run: Run
) -> tuple[list[Beliefs], Status]:
    """Iterate to the end, or until the run says stop."""
    # Parts at extreme temperatures take the slower form, and only they.
    forms = [Messages.suits_products(part) for part in parts]
    graphs = {
        form: Messages(
            [part for part, own in zip(parts, forms, strict=True) if own is form],
            in_products=form,
            num_threads=run.num_threads,
        )
        for form in set(forms)
    }
    status = None
    for t in range(max_iterations):
        for messages in graphs.values():
            if t > 0:
                messages.adapt_prices(t)
            messages.iterate(damping)
        largest = (float(m.largest_changes.max(initial=0.0)) for m in graphs.values())
        price = graphs[forms[0]].prices[0] if len(parts) == 1 else nan
        status = run.report(
            largest_change=max(largest, default=0.0), price=price, step="bp"
        )
        if status is not None:
            break
    if status is None:
        moved = max((m.largest_scaled_change for m in graphs.values()), default=inf)
        status = Status.CONVERGED if moved <= _SETTLED else Status.ITERATION_LIMIT
    read = {form: iter(messages.beliefs()) for form, messages in graphs.items()}
    return [next(read[form]) for form in forms], status


def _require_damping_and_iterations(damping: float, max_iterations: int) -> None:
    if not 0 <= number("damping", damping) < 1:
        raise InputError(
            f"damping must be >= 0 and < 1, got {damping}.",
            hint="0.5 suits most graphs; 0 is the paper's undamped update.",
        )
    if number("max_iterations", max_iterations) < 0 or max_iterations % 1:
        raise InputError(
            f"max_iterations must be a whole number >= 0, got {max_iterations}.",
            hint="The paper uses 150.",
        )
