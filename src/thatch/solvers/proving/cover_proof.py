"""Proofs that no cover is cheaper, with their certificates.

A cover that costs less than C is a selection within a budget just below C that covers
the target: the tree of such a problem shows that there is none. With a lower budget it
shows the same, so that nodes which are still open prove a bound on the cost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import floor, fsum, inf, nextafter

from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.certificates import Certificate
from thatch.solvers.proving.claims import Claim
from thatch.solvers.proving.proof_tree import ProofTree

# What rounding may take from a bound, as shares of the cost: they are tried in turn.
_SHARES_OF_ROUNDING = (0.0, 1e-12, 1e-9, 1e-6, 1e-3)
# A cover is only suggested if that many nodes did not settle it.
_NODES_BEFORE_SUGGESTION = 3


@dataclass(frozen=True, eq=False)
class CoverProof:
    """The cheapest cover, and what no cover costs less than."""

    #: None if there is no cover, or none was found.
    selection: Selection | None
    #: The claim of the certificate: no cover costs less.
    bound: float
    #: Whether no cover is cheaper; without a selection, whether there is none.
    is_optimal: bool
    certificate: Certificate


class CoverSearch:
    """A tree for covers that can be continued, and told about cheaper ones."""

    def __init__(
        self,
        problem: CoverageProblem,
        slack: float,
        *,
        incumbent: Selection | None,
        should_stop: Callable[[], bool],
        improved: Callable[[Selection, float], None],
        seconds_left: Callable[[], float] = lambda: inf,
    ) -> None:
        """Start a tree; the parameters are those of `prove_cover`."""
        self.best = incumbent
        everything = nextafter(fsum(problem.costs.tolist()), inf)
        cost = everything if incumbent is None else incumbent.cost
        self._improved = improved
        self.tree = ProofTree(
            Claim.of_cover(problem, slack, cost),
            should_stop=should_stop,
            improved=self._better,
            seconds_left=seconds_left,
        )

    def _better(self, found: Selection) -> Claim:
        claim = self.tree.claim
        # What is not needed may be left out, unless a constraint asks for it.
        leaner = found.without_redundant_items()
        if leaner.cost < found.cost and claim.is_contradicted_by(leaner):
            found = leaner
        self.best = found
        self._improved(found, 0.0)
        return claim.costing(found.cost)

    def proof(self) -> CoverProof:
        """What has been proved; the tree is at its end."""
        tree = self.tree
        tree.finish()
        bound = tree.claim.least_cost if tree.is_proved else _least_cost(tree)
        certificate = Certificate(tree.steps)
        return CoverProof(self.best, bound, tree.is_proved, certificate)


def prove_cover(
    problem: CoverageProblem,
    slack: float,
    *,
    incumbent: Selection | None = None,
    should_stop: Callable[[], bool],
    improved: Callable[[Selection, float], None] = lambda found, bound: None,
    suggested: Callable[[], Selection | None] = lambda: None,
    seconds_left: Callable[[], float] = lambda: inf,
    max_nodes: float = inf,
) -> CoverProof:
    """Find the cheapest selection that leaves at most a weight uncovered.

    Parameters
    ----------
    problem
        A problem with any constraints, whose budget allows everything.
    slack
        What a cover may leave uncovered of the coverable elements.
    incumbent
        A cover, if one is known.
    should_stop
        Whether the search must stop.
    improved
        Called with every cheaper cover, and a bound on the cost.
    suggested
        Asked once for a cover, unless the problem turns out to be easy.
    seconds_left
        How long the search may go on.
    max_nodes
        How many nodes of the tree to look at.

    >>> problem = CoverageProblem.from_sets([{0, 1}, {1}, {2}], budget=3)
    >>> proof = prove_cover(problem, 0.0, should_stop=lambda: False)
    >>> proof.selection.items.tolist(), proof.bound, proof.is_optimal
    ([0, 2], 2.0, True)
    """
    search = CoverSearch(
        problem,
        slack,
        incumbent=incumbent,
        should_stop=should_stop,
        improved=improved,
        seconds_left=seconds_left,
    )
    tree = search.tree
    tree.grow(max_nodes=min(max_nodes, _NODES_BEFORE_SUGGESTION))
    if not tree.is_proved:
        suggestion = suggested()
        if suggestion is not None:
            tree.offer(suggestion)
        tree.grow(max_nodes=max_nodes)
    return search.proof()


def _least_cost(tree: ProofTree) -> float:
    """What no cover is cheaper than, by the prices of nodes that are still open."""
    claim = tree.claim
    budget = least = float(claim.rows.limits[0])
    for excess, price in tree.excesses(claim):
        if price <= 0.0:
            return 0.0
        least = min(least, budget - (excess + 1.0) / price)
    # Rounding may leave a little more in the end.
    for share in _SHARES_OF_ROUNDING:
        bound = least - share * budget
        if claim.problem.has_exact_costs:
            # The next integer costs more than a budget that is not enough.
            bound = floor(bound) + 1.0
        if bound <= 0.0:
            break
        if not any(tree.excesses(claim.costing(bound))):
            return bound
    return 0.0
