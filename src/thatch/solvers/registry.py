"""Solvers by the names that the command line uses for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from thatch.errors import InputError

if TYPE_CHECKING:
    from thatch.solvers.base import Solver

# Where each class is defined. A solver is imported when it is used, so that the command
# line can list the names without NumPy.
_CLASSES = {
    "auto": "thatch.solvers.auto:Auto",
    "bp": "thatch.solvers.belief_propagation:BeliefPropagation",
    "greedy": "thatch.solvers.greedy:Greedy",
    "ggreedy": "thatch.solvers.greedy:GeneralizedGreedy",
    "static": "thatch.solvers.greedy:StaticGreedy",
    "local-search": "thatch.solvers.local_search:LocalSearch",
    "exact": "thatch.solvers.exact:Exact",
    "exhaustive": "thatch.solvers.exhaustive:Exhaustive",
}


class _Solvers(Mapping[str, "Callable[[], Solver]"]):
    """Classes by name, imported on access."""

    def __getitem__(self, name: str) -> Callable[[], Solver]:
        solver: Callable[[], Solver] = resolve_name(_CLASSES[name])
        return solver

    def __iter__(self) -> Iterator[str]:
        return iter(_CLASSES)

    def __len__(self) -> int:
        return len(_CLASSES)


SOLVERS: Mapping[str, Callable[[], Solver]] = _Solvers()


def solver_names() -> tuple[str, ...]:
    """Names of all solvers; none of them is imported.

    >>> solver_names()[0]
    'auto'
    """
    return tuple(_CLASSES)


def by_name(name: str) -> Solver:
    """Solver of that name, at its default settings.

    >>> by_name("ggreedy")
    GeneralizedGreedy(seed_size=0)
    """
    names = solver_names()
    if name not in names:
        close = get_close_matches(name.lower(), names, n=1)
        raise InputError(
            f"solver must be one of {', '.join(names)}, got {name!r}.",
            hint=f"Did you mean {close[0]}?" if close else "Leave it out for auto.",
        )
    return SOLVERS[name]()
