"""The solver for those who do not want to choose one."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from thatch.problem import CoverageProblem
from thatch.result import Result, Status
from thatch.run import MaxSeconds, Run
from thatch.selection import Selection
from thatch.solvers.belief_propagation import BeliefPropagation
from thatch.solvers.exact import Exact
from thatch.solvers.greedy import GeneralizedGreedy

# Branch and bound on more edges than this rarely finishes its first relaxation in time.
_MOST_EDGES_TO_PROVE = 200_000


@dataclass(frozen=True)
class Auto:
    """The best of g-greedy and belief propagation, then a proof while there is time.

    >>> from thatch import solve
    >>> from thatch.instances import toy
    >>> solve(toy.greedy_trap().problem)
    Result(optimal, value 16, gap 0.000%, 2 items)
    """

    #: How long to look for a proof when the run itself has no time limit.
    max_proof_seconds: float = 10.0

    def solve(self, problem: CoverageProblem, run: Run) -> Result:
        """Chain the solvers, keeping the best selection."""
        result = GeneralizedGreedy().solve(problem, _quiet(run))
        best = result.selection
        status = run.report(best, step="ggreedy")
        if status is None:
            result = BeliefPropagation().solve(problem, _quiet(run))
            best = _better(best, result.selection)
            status = run.report(best, step="bp")
        if status is not None or problem.num_edges > _MOST_EDGES_TO_PROVE:
            return run.result(best, status or Status.FINISHED)
        proof = _quiet(run, max_seconds=self.max_proof_seconds)
        result = Exact(start=best).solve(problem, proof)
        best = _better(best, result.selection)
        run.report(best, upper_bound=result.upper_bound, step="exact")
        return run.result(best, result.status, upper_bound=result.upper_bound)


def _better(one: Selection, other: Selection) -> Selection:
    return other if other.value > one.value else one


def _quiet(run: Run, *, max_seconds: float = inf) -> Run:
    """Run within the run: its seed, threads and remaining time, not its trace."""
    seconds = run.seconds_left if run.seconds_left < inf else max_seconds
    return Run(
        stop=[MaxSeconds(seconds)] if seconds < inf else [],
        seed=run.seed,
        num_threads=run.num_threads,
    )
