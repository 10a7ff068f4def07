"""Proofs of optimality and of infeasibility, with their certificates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.certificates import Certificate
from thatch.solvers.proving.claims import Claim
from thatch.solvers.proving.proof_tree import ProofTree

# Selections of weights that are no integers may differ by less than prices can tell.
# Once the gap is this share of the bound, only some more nodes are tried.
_SMALLEST_GAP, _NODES_AT_SMALLEST_GAP = 1e-12, 1000
# HiGHS is only asked for a feasible selection if that many nodes did not settle it.
_NODES_BEFORE_SUGGESTION = 50


@dataclass(frozen=True, eq=False)
class Proof:
    """The best selection, and what no selection exceeds."""

    selection: Selection
    #: At least what any selection covers; as close to it as doubles are, if proved.
    bound: float
    #: Whether no selection covers more than the best one, in exact arithmetic.
    is_optimal: bool
    certificate: Certificate


def prove(
    incumbent: Selection,
    *,
    should_stop: Callable[[float], bool],
    improved: Callable[[Selection, float], None] = lambda found, bound: None,
    max_nodes: float = inf,
    most_covered: float | None = None,
    seconds_left: Callable[[], float] = lambda: inf,
    polished: Callable[[Selection], Selection] = lambda found: found,
) -> Proof:
    """Prove a selection optimal, or find a better one.

    Parameters
    ----------
    incumbent
        A feasible selection; the problem may have any constraints.
    should_stop
        Called with the bound often; whether the search must stop.
    improved
        Called with every better selection, and the bound.
    max_nodes
        How many nodes of the tree to look at.
    most_covered
        Selections that cover no more than this are of no interest; default: what the
        incumbent covers.
    seconds_left
        How long the search may go on.
    polished
        Returns a better selection near a rounded one, or the same.

    >>> from thatch.problem.instances import toy
    >>> start = Selection.of(toy.greedy_trap().problem, [0])
    >>> proof = prove(start, should_stop=lambda bound: False)
    >>> proof.selection.value, proof.bound, proof.is_optimal
    (16.0, 16.0, True)
    """
    best = incumbent

    def bound() -> float:
        return tree.claim.as_weight(tree.bound)

    def better(found: Selection) -> Claim:
        nonlocal best
        best = found
        improved(found, bound())
        return tree.claim.exceeding(found)

    claim = Claim.of_coverage(incumbent.problem, most_covered or 0.0)
    tree = ProofTree(
        claim.exceeding(incumbent) if most_covered is None else claim,
        should_stop=lambda: should_stop(bound()),
        improved=better,
        seconds_left=seconds_left,
        polished=polished,
    )
    tree.grow(max_nodes=max_nodes, smallest_gap=_SMALLEST_GAP)
    if not (tree.is_proved or tree.num_nodes >= max_nodes or should_stop(bound())):
        tree.grow(max_nodes=min(max_nodes, tree.num_nodes + _NODES_AT_SMALLEST_GAP))
    tree.finish()
    lowest = tree.claim.most_covered if tree.is_proved else bound()
    assert lowest is not None
    return Proof(best, lowest, tree.is_proved, Certificate(tree.steps))


def any_selection(
    problem: CoverageProblem,
    *,
    should_stop: Callable[[], bool],
    suggested: Callable[[], Selection | None] = lambda: None,
    seconds_left: Callable[[], float] = lambda: inf,
) -> Selection | Certificate | None:
    """A feasible selection, or a proof that there is none, or neither in time.

    Parameters
    ----------
    problem
        A problem with any constraints.
    should_stop
        Whether the search must stop.
    suggested
        Asked once for a feasible selection, unless the problem turns out to be easy.
    seconds_left
        How long the search may go on.

    >>> problem = CoverageProblem.from_sets([{0}, {1}], budget=1)
    >>> problem = problem.with_constraints(required=[0, 1])
    >>> type(any_selection(problem, should_stop=lambda: False)).__name__
    'Certificate'
    """
    found: list[Selection] = []
    tree = ProofTree(
        Claim.of_emptiness(problem),
        should_stop=should_stop,
        improved=found.append,
        seconds_left=seconds_left,
    )
    tree.grow(max_nodes=_NODES_BEFORE_SUGGESTION)
    if not (found or tree.is_proved):
        suggestion = suggested()
        if suggestion is not None:
            return suggestion
        tree.grow()
    if found:
        return found[0]
    return Certificate(tree.steps) if tree.is_proved else None
