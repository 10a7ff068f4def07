"""The solver for those who do not want to choose one."""

from __future__ import annotations

from dataclasses import dataclass

from thatch.bounds import lp_bound
from thatch.problem import CoverageProblem
from thatch.result import Result, Status
from thatch.run import Run
from thatch.solvers.belief_propagation import BeliefPropagation
from thatch.solvers.exact import Exact
from thatch.solvers.greedy import GeneralizedGreedy
from thatch.solvers.local_search import LocalSearch

# Larger problems rarely finish their first relaxation while anyone waits.
_MOST_EDGES_TO_PROVE = 500_000
# A climb looks at every item for every chosen one.
_MOST_ITEMS_TO_SEARCH = 20_000
_SEARCH_ROUNDS = 200


@dataclass(frozen=True)
class Auto:
    """G-greedy and belief propagation, local search, then a proof while there is time.

    >>> from thatch import solve
    >>> from thatch.instances import toy
    >>> solve(toy.greedy_trap().problem)
    Result(optimal, value 16, gap 0.000%, 2 items)
    """

    #: How long to look for a bound and a proof, within what time the run has.
    max_proof_seconds: float = 10.0

    def solve(self, problem: CoverageProblem, run: Run) -> Result:
        """Chain the solvers, keeping the best selection."""
        best = GeneralizedGreedy().solve(problem, run).selection
        status = run.ask()
        if status is None:
            found = BeliefPropagation().solve(problem, run).selection
            best = found if found.value > best.value else best
            status = run.report(best, step="bp")
        if status is None and problem.num_items <= _MOST_ITEMS_TO_SEARCH:
            search = LocalSearch(start=best, max_rounds=_SEARCH_ROUNDS)
            best = search.solve(problem, run).selection
            status = run.ask()
        if status is not None or problem.num_edges > _MOST_EDGES_TO_PROVE:
            return run.result(best, status or Status.FINISHED)
        last_second = run.seconds + self.max_proof_seconds
        bound = lp_bound(
            problem, max_seconds=min(self.max_proof_seconds, run.seconds_left)
        )
        status = run.report(best, upper_bound=bound, step="lp")
        if status is not None or bound <= best.value:
            return run.result(best, status or Status.FINISHED, upper_bound=bound)
        proof = Exact(start=best, max_seconds=max(0.0, last_second - run.seconds))
        return proof.solve(problem, run).with_bound(bound)
