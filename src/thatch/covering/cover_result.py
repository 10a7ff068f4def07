"""The result of `cover`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thatch.notebook import as_html
from thatch.problem.selection import Selection
from thatch.run.progress import Progress
from thatch.run.result import Status, items_table

_PROVED = "No selection that reaches the target costs less."


@dataclass(frozen=True, eq=False)
class CoverResult:
    """A selection that reaches the target, and a bound on the least cost.

    >>> from thatch import CoverageProblem, cover
    >>> problem = CoverageProblem.from_sets([{0, 1}, {1, 2}, {2, 3}], budget=1)
    >>> result = cover(problem)
    >>> result
    CoverResult(optimal, cost 2, gap 0.000%, 2 items, covers 4 of 4)
    >>> result.explanation
    'No selection that reaches the target costs less.'
    """

    #: What is chosen; the budget of its problem is its cost.
    selection: Selection
    status: Status
    #: No selection that reaches the target costs less than this.
    lower_bound: float
    #: The weight that was to be covered.
    target: float
    #: The weight that all items cover together.
    coverable: float
    seconds: float
    #: One entry per improvement, and per step of the search. The least cost is between
    #: `value`, the lower bound, and `upper_bound`, the cost of the best selection.
    trace: Sequence[Progress]

    @property
    def cost(self) -> float:
        """Total cost of the selection."""
        return self.selection.cost

    @property
    def share(self) -> float:
        """Share of the coverable weight that the selection covers; 1 of nothing."""
        return self.selection.value / self.coverable if self.coverable else 1.0

    @property
    def gap(self) -> float:
        """Share of the cost that may be saved; 0 means proved optimal."""
        if self.lower_bound >= self.cost:
            return 0.0
        return (self.cost - self.lower_bound) / self.cost

    @property
    def explanation(self) -> str:
        """Why the search stopped, as a sentence for users."""
        return _PROVED if self.status is Status.OPTIMAL else self.status.value

    def __repr__(self) -> str:
        return (
            f"CoverResult({self.status.label}, cost {self.cost:g}, "
            f"gap {self.gap:.3%}, {len(self.selection)} items, "
            f"covers {self.selection.value:g} of {self.coverable:g})"
        )

    def _repr_html_(self) -> str:
        selection = self.selection
        facts: dict[str, str | float] = {
            "cost": self.cost,
            "lower bound": self.lower_bound,
            "gap": f"{self.gap:.2%}",
            "covered": f"{selection.value:,.10g} of {self.coverable:,.10g}",
            "target": self.target,
            "items": f"{len(selection):,} of {selection.problem.num_items:,}",
            "status": self.explanation,
            "seconds": f"{self.seconds:.2g}",
        }
        return as_html("CoverResult", facts, items_table(selection))
