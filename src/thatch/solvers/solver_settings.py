"""A solver's settings by name, as people write them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from thatch.errors import InputError
from thatch.solvers.base import Solver
from thatch.solvers.belief_propagation import BeliefPropagation
from thatch.solvers.registry import solver_named

__all__ = ["SolverSettings"]

_OF_MESSAGES = ("inverse_temperature", "price", "damping", "reinforcement", "paper")


@dataclass(frozen=True, kw_only=True)
class SolverSettings:
    """What the options of ``thatch solve`` say; None where they were left out.

    >>> SolverSettings(solver="bp", damping=0.3).chosen().damping
    0.3
    """

    solver: str = "auto"
    max_iterations: int | None = None
    inverse_temperature: float | None = None
    #: A number, or ``auto``: the price that spends the budget.
    price: str | float | None = None
    damping: float | None = None
    reinforcement: float | None = None
    #: Whether to take the paper's Algorithm 2, nothing added.
    paper: bool | None = None

    def chosen(self) -> Solver:
        """The solver that they stand for."""
        chosen = solver_named(self.solver)
        names = [name for name in _OF_MESSAGES if getattr(self, name) is not None]
        if not isinstance(chosen, BeliefPropagation):
            for name in names:
                raise InputError(
                    f"{name} must come with solver bp, got solver {self.solver}.",
                    hint="Choose bp, or leave it out.",
                )
            return chosen
        if self.paper and self.reinforcement is not None:
            raise InputError(
                "reinforcement must not come with paper, got both.",
                hint="The paper has none: leave one of the two out.",
            )
        if self.paper:
            chosen = BeliefPropagation.algorithm_2()
        given = {name: getattr(self, name) for name in names if name != "paper"}
        if self.max_iterations is not None:
            given["max_iterations"] = self.max_iterations
        return replace(chosen, **given | {"price": self._price})

    @property
    def _price(self) -> float | None:
        if self.price is None or self.price == "auto":
            return None
        try:
            return float(self.price)
        except ValueError:
            raise InputError(
                f"price must be a number or auto, got {self.price!r}.",
                hint="Try auto: it finds the price that spends the budget.",
            ) from None
