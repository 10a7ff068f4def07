"""Solvers by name: the built-in ones, and those that other packages register.

A package adds a solver by an entry point in the group ``thatch.solvers``; its value is
a solver class, or a function without arguments that returns a solver. The built-in
solvers are registered in the same way, in the ``pyproject.toml`` of thatch.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, cast

from thatch.errors import PluginError
from thatch.options import require_choice

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from thatch.solvers.base import ProblemOfOtherKind, Solver, SolverOfKind

GROUP = "thatch.solvers"

#: The entry points of thatch itself, in the order of the help. They are repeated here
#: because a search through all installed packages takes longer than a small problem.
BUILT_IN = {
    "auto": "thatch.solvers.auto:Auto",
    "bp": "thatch.solvers.belief_propagation:BeliefPropagation",
    "greedy": "thatch.solvers.greedy:Greedy",
    "ggreedy": "thatch.solvers.greedy:GeneralizedGreedy",
    "static": "thatch.solvers.greedy:StaticGreedy",
    "local-search": "thatch.solvers.local_search:LocalSearch",
    "exact": "thatch.solvers.exact:Exact",
    "exhaustive": "thatch.solvers.exhaustive:Exhaustive",
}


def solver_names() -> list[str]:
    """Names of all solvers, the built-in ones first.

    >>> solver_names()[:2]
    ['auto', 'bp']
    """
    return list(_registered())


def solver_named(name: str) -> Solver:
    """Return the solver of that name, with its default settings.

    >>> solver_named("ggreedy")
    GeneralizedGreedy(seed_size=0)
    """
    # Looking at all installed packages takes longer than solving a small problem.
    registered = _built_in() if name in BUILT_IN else _registered()
    require_choice("solver", name, registered, default="auto")
    return _loaded(registered[name])


def solver_of(solver: Solver | str | None) -> Solver:
    """Return the solver, or the one of that name; the default is ``auto``.

    >>> solver_of("ggreedy")
    GeneralizedGreedy(seed_size=0)
    """
    if solver is None:
        return solver_named("auto")
    return solver_named(solver) if isinstance(solver, str) else solver


def solver_of_kind(problem: ProblemOfOtherKind) -> Callable[..., SolverOfKind]:
    """What makes solvers for this kind of problem, by the name in its class."""
    module, _, name = problem.solver_of_kind.partition(":")
    return cast("Callable[..., SolverOfKind]", getattr(import_module(module), name))


def _built_in() -> dict[str, EntryPoint]:
    from importlib.metadata import EntryPoint

    return {
        name: EntryPoint(name=name, value=value, group=GROUP)
        for name, value in BUILT_IN.items()
    }


def _registered() -> dict[str, EntryPoint]:
    """Entry points by name; no other package can replace a built-in solver."""
    from importlib.metadata import entry_points

    found = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    added = {point.name: point for point in found if point.name not in BUILT_IN}
    return _built_in() | added


def _loaded(point: EntryPoint) -> Solver:
    try:
        make = cast("Callable[[], Solver]", point.load())
        return make()
    except Exception as error:
        if point.name in BUILT_IN:
            raise
        raise PluginError(
            f"the solver {point.name!r} cannot be loaded from {point.value}: {error}.",
            hint="Check the package that registers it.",
        ) from error
