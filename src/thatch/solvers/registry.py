"""The names that the command line has for solvers."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches

from thatch.errors import InputError
from thatch.solvers.auto import Auto
from thatch.solvers.base import Solver
from thatch.solvers.belief_propagation import BeliefPropagation
from thatch.solvers.exact import Exact
from thatch.solvers.exhaustive import Exhaustive
from thatch.solvers.greedy import GeneralizedGreedy, Greedy, StaticGreedy
from thatch.solvers.local_search import LocalSearch

SOLVERS: dict[str, Callable[[], Solver]] = {
    "auto": Auto,
    "bp": BeliefPropagation,
    "greedy": Greedy,
    "ggreedy": GeneralizedGreedy,
    "static": StaticGreedy,
    "local-search": LocalSearch,
    "exact": Exact,
    "exhaustive": Exhaustive,
}


def by_name(name: str) -> Solver:
    """Solver of that name, at its default settings.

    >>> by_name("ggreedy")
    GeneralizedGreedy(seed_size=0)
    """
    if name not in SOLVERS:
        close = get_close_matches(name.lower(), SOLVERS, n=1)
        raise InputError(
            f"solver must be one of {', '.join(SOLVERS)}, got {name!r}.",
            hint=f"Did you mean {close[0]}?" if close else "Leave it out for auto.",
        )
    return SOLVERS[name]()
