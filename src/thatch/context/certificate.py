"""The certificate: a bound on what any selection could be worth, of all chunks.

Only the best chunks, the candidates, are in the problem that is solved. A bound on all
chunks follows from one on the candidates, because the others weigh less per token than
the price of a token.
"""

from __future__ import annotations

from dataclasses import dataclass

from thatch.bounds.dual_descent import dual_points
from thatch.context.selection_task import SelectionTask
from thatch.problem.selection import Selection

__all__ = ["Certificate", "certificate_of"]

_ITERATIONS = 100


@dataclass(frozen=True, slots=True)
class Certificate:
    """A bound on the value of any selection, in terms of the problem of a task."""

    bound: float
    #: What one token more would be worth, by the dual bound.
    price: float


def certificate_of(
    task: SelectionTask, selection: Selection, proved: float
) -> Certificate:
    """Bound the value of any selection of all chunks.

    If other chunks take some of the budget, the candidates in the rest of it are worth
    at most the proved bound, and at most the dual bound less the price of what the
    others take. The bound is the most that both allow together with what the others
    weigh, each at most its size times its density.

    Parameters
    ----------
    task
        The task.
    selection
        What was selected.
    proved
        A bound on the value of candidates; infinite if there is none.
    """
    points = dual_points(
        task.problem,
        selection,
        iterations=_ITERATIONS,
        iterations_per_point=_ITERATIONS,
    )
    point = min(points, key=lambda point: point.bound)
    proved, others = min(proved, point.bound), task.greatest_density_left
    # The size of the others at which both bounds are equal.
    size = (point.bound - proved) / max(point.price, 1e-300)
    if others >= point.price:
        # The more of the others, the better.
        size = task.problem.budget
    bound = min(proved + others * size, point.bound + (others - point.price) * size)
    return Certificate(bound, point.price)
