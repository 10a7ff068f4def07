"""Settings of a solver and of one run, as the command line and the API name them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from thatch.errors import InputError
from thatch.options import option
from thatch.solvers.effort import PRESETS
from thatch.solvers.registry import solver_named, solver_names

if TYPE_CHECKING:
    from thatch.problem.coverage_problem import CoverageProblem
    from thatch.solvers.base import Solver

#: What a share to cover may be of.
SHARES_OF = {"all": "all weight", "coverable": "what all items together cover"}
_FOR_BELIEF_PROPAGATION = (
    "inverse_temperature",
    "price",
    "damping",
    "reinforcement",
    "paper",
)


@cache
def solver_choices() -> dict[str, str]:
    """Names of solvers; what each does is in the docstring of its class."""
    return {name: name for name in solver_names()}


def solver_option(help: str) -> str:
    """Declare the option for the solver."""
    return option("auto", help=help, choices=solver_choices, metavar="NAME")


def effort_option() -> str | None:
    """Declare the option for the effort of solver auto."""
    return option(
        None,
        help="For auto: how much work to spend before it stops by itself",
        choices=lambda: dict(zip(PRESETS, PRESETS, strict=True)),
        default_text="default",
        metavar="LEVEL",
    )


def solver_with_effort(name: str, effort: str | None) -> Solver:
    """Return the solver of that name; only auto has an effort.

    >>> from thatch.solvers import Effort
    >>> solver_with_effort("auto", "fast").effort == Effort.fast()
    True
    """
    from thatch.solvers.auto import Auto

    solver = solver_named(name)
    if effort is None:
        return solver
    if not isinstance(solver, Auto):
        raise InputError(
            f"effort applies only to solver auto; the solver is {name}.",
            hint="Choose solver auto, or leave out effort.",
        )
    return Auto(effort=effort)


@dataclass(frozen=True, kw_only=True)
class ProblemSettings:
    """Changes to a coverage problem that is read from a file or a request."""

    budget: float | None = option(
        None,
        help="Maximum total cost",
        default_text="the budget of the problem",
        minimum=0,
    )
    unit_costs: bool = option(
        False, help="Set every cost to 1, so that the budget counts items"
    )
    require: tuple[str, ...] = option(
        (), help="Item that every selection contains, by name or index", metavar="ITEM"
    )
    forbid: tuple[str, ...] = option(
        (), help="Item that no selection contains, by name or index", metavar="ITEM"
    )

    def decided(self, problem: CoverageProblem) -> CoverageProblem:
        """The problem with these required and forbidden items, besides its own."""
        if not (self.require or self.forbid):
            return problem
        names = set(problem.item_names or ())
        required, forbidden = (
            [
                int(each) if each not in names and each.isdecimal() else each
                for each in given
            ]
            for given in (self.require, self.forbid)
        )
        return problem.with_decided(required=required, forbidden=forbidden)


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """Time limit and seed of one run."""

    max_seconds: float | None = option(
        None,
        help="Time limit in seconds; the best selection found so far is returned",
        minimum=0,
    )
    seed: int = option(
        0,
        help="Seed for random choices; the same seed gives the same result",
        minimum=0,
    )


@dataclass(frozen=True, kw_only=True)
class SolverSettings:
    """Options of ``thatch solve`` that choose and set up the solver."""

    solver: str = solver_option("Algorithm that selects the items")
    effort: str | None = effort_option()
    max_iterations: int | None = option(
        None, help="Maximum number of iterations", minimum=0
    )
    inverse_temperature: float | None = option(
        None,
        help="For bp: inverse temperature of the messages; on the command line also "
        "inf, for max-sum",
        default_text="derived from the weights",
        above=0,
    )
    price: str | float | None = option(
        None,
        help="For bp: weight that one unit of cost must earn; auto finds the price at "
        "which the budget is spent",
        default_text="auto",
        metavar="NUMBER|auto",
    )
    damping: float | None = option(
        None,
        help="For bp: share of the old message that each update keeps",
        minimum=0,
        below=1,
    )
    reinforcement: float | None = option(
        None,
        help="For bp: share of its own field that is added back to each item; grows "
        "from 0 to this value",
        minimum=0,
        below=1,
    )
    paper: bool = option(
        False, help="For bp: run the paper's Algorithm 2 without extensions"
    )

    def chosen(self) -> Solver:
        """Build the solver."""
        from thatch.solvers.belief_propagation.algorithm import BeliefPropagation

        chosen = solver_with_effort(self.solver, self.effort)
        given = {
            name: getattr(self, name)
            for name in _FOR_BELIEF_PROPAGATION
            if getattr(self, name) is not None and getattr(self, name) is not False
        }
        if not isinstance(chosen, BeliefPropagation):
            for name in given:
                raise InputError(
                    f"{name} applies only to solver bp; the solver is {self.solver}.",
                    hint=f"Choose solver bp, or leave out {name}.",
                )
            return chosen
        if given.pop("paper", False):
            if self.reinforcement is not None:
                raise InputError(
                    "reinforcement and paper cannot be combined.",
                    hint="Algorithm 2 has no reinforcement: leave one of them out.",
                )
            chosen = BeliefPropagation.algorithm_2()
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
                f"price is {self.price!r}; it must be a number or auto.",
                hint="Use auto to find the price at which the budget is spent.",
            ) from None


@dataclass(frozen=True, kw_only=True)
class CoverSettings:
    """What is to be covered."""

    share: float | None = option(
        None,
        help="Share of the weight to cover",
        default_text="everything coverable",
        minimum=0,
        maximum=1,
    )
    weight: float | None = option(
        None, help="Weight to cover, instead of a share", minimum=0
    )
    share_of: str = option(
        "all", help="What the share is of", choices=lambda: SHARES_OF
    )
