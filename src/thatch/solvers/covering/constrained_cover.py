"""Covers that meet constraints.

Required and forbidden items leave a smaller problem of the same kind. With all other
constraints, an integer program suggests covers: one column per item, 1 if it is chosen,
and one per element, 1 if it is left out; what is left out weighs at most the slack. A
proof tree finds better ones, or shows that there are none.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from thatch.arrays import Floats, Ints, is_at_most
from thatch.errors import InfeasibleError, NoTimeError, SolverFailedError
from thatch.problem.constraint_rows import (
    Row,
    RowTable,
    all_rows,
    constraint_rows,
    highs_scale,
)
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.certificates import Certificate
from thatch.run.result import Progress, Status
from thatch.run.run import Run
from thatch.solvers.covering.cover_task import Target
from thatch.solvers.highs.cover_program import cover_model
from thatch.solvers.highs.feasibility import (
    conflicting,
    enumerated,
    is_feasible_program,
    naming_limit,
)
from thatch.solvers.highs.programs import followed, integer_options
from thatch.solvers.highs.worker import Model, Report, Task
from thatch.solvers.proving.claims import coverable
from thatch.solvers.proving.cover_proof import CoverProof, prove_cover
from thatch.solvers.proving.nodes import max_nodes_within

# HiGHS may suggest covers for this share of the time that is left, and at that many
# nodes of its tree.
_SHARE_TO_SUGGEST, _NODES_TO_SUGGEST = 0.3, 200


@dataclass(frozen=True, eq=False)
class FoundCover:
    """The cheapest cover that was found, and a bound on the cost."""

    items: Ints
    lower_bound: float
    status: Status
    certificate: Certificate | None = None


def constrained_cover(problem: CoverageProblem, target: Target, run: Run) -> FoundCover:
    """Find the cheapest cover of a target that meets every constraint.

    Parameters
    ----------
    problem
        The problem, with a budget that allows everything.
    target
        The weight to cover of the coverable elements.
    run
        Its time limit and seed; every better cover is reported.

    Raises
    ------
    InfeasibleError
        If no selection that keeps the constraints covers the target.
    NoTimeError
        If none was found within the time limit.
    """
    program = _Program(problem, target)

    def improved(found: Selection, bound: float) -> None:
        _report(run, found.cost, bound)

    proof = prove_cover(
        problem,
        target.slack,
        should_stop=lambda: run.must_stop,
        improved=improved,
        suggested=lambda: program.suggested(run),
        seconds_left=lambda: run.seconds_left,
        max_nodes=max_nodes_within(run.seconds_left, problem.num_edges),
    )
    best = proof.selection
    if best is None:
        if proof.is_optimal:
            raise program.infeasible(proof, max_seconds=run.seconds_left)
        raise NoTimeError(
            "no selection that covers the target and meets the constraints was found "
            "within the time limit.",
            hint="Allow more time, or lower the target.",
        )
    _report(run, best.cost, proof.bound)
    status = Status.OPTIMAL if proof.is_optimal else run.check_stop()
    return FoundCover(
        best.items, proof.bound, status or Status.FINISHED, proof.certificate
    )


def _report(run: Run, cost: float, bound: float) -> None:
    run.record(
        Progress(
            iteration=len(run.trace) + 1,
            seconds=run.seconds,
            value=bound,
            upper_bound=cost,
            step="branch and bound",
        )
    )


class _Program:
    """The cover as an integer program."""

    def __init__(self, problem: CoverageProblem, target: Target) -> None:
        self._problem = problem
        self._target = target
        self._scale = highs_scale(problem.costs)
        self._is_coverable = coverable(problem) & (problem.weights > 0)

    def suggested(self, run: Run) -> Selection | None:
        """The cheapest cover that HiGHS finds in a share of the time."""
        best: Selection | None = None
        if run.must_stop:
            return None
        model = self._built(all_rows(self._problem))

        def take(report: Report | None) -> bool:
            nonlocal best
            if report is None or report.chosen is None:
                return run.must_stop
            chosen = report.chosen[report.chosen < self._problem.num_items]
            found = Selection(self._problem, chosen)
            if best is None or found.cost < best.cost:
                best = found if self._is_cover(found) else best
            return False

        task = Task(
            model,
            num_integers=model.objective.size,
            options=integer_options(run.seed, max_nodes=_NODES_TO_SUGGEST),
        )
        seconds = _SHARE_TO_SUGGEST * run.seconds_left
        with suppress(SolverFailedError):
            followed(task, max_seconds=seconds, take=take)
        return best

    def _is_cover(self, selection: Selection) -> bool:
        """Whether a selection covers the target and keeps the constraints."""
        is_left_out = self._is_coverable & ~selection.covered
        left_out = self._problem.weights[is_left_out]
        is_enough = is_at_most(left_out, self._target.slack)
        return is_enough and selection.is_feasible

    def infeasible(self, proof: CoverProof, *, max_seconds: float) -> InfeasibleError:
        """The error, with constraints that keep the target from being covered."""
        limit = naming_limit(max_seconds)
        is_feasible = partial(self._is_feasible, last_second=limit)
        rows = constraint_rows(self._problem)
        needed = conflicting(rows, is_feasible, last_second=limit)
        texts = tuple(row.text for row in needed)
        return InfeasibleError(
            f"no selection covers {self._target.weight:g} and meets "
            f"{enumerated(texts) or 'the constraints'}.",
            conflict=texts,
            hint="Relax one of the constraints, or lower the target.",
            certificate=proof.certificate,
        )

    def _is_feasible(self, rows: Sequence[Row], *, last_second: float) -> bool:
        model = self._built(RowTable.of(rows))
        model = replace(model, objective=np.zeros(model.objective.size))
        size = model.objective.size
        task = Task(model, num_integers=size, options={"threads": 1})
        return is_feasible_program(task, last_second=last_second)

    def _built(self, rows: RowTable) -> Model:
        problem = self._problem
        edges, _ = problem.edges.restricted_to(
            np.arange(problem.num_items), self._is_coverable
        )
        demands: Floats = np.ones(problem.num_elements)
        if problem.constraints is not None and problem.constraints.demands is not None:
            demands = problem.constraints.demands.astype(np.float64)
        return cover_model(
            edges,
            problem.costs * self._scale,
            problem.weights[self._is_coverable],
            slack=self._target.slack,
            demands=demands[self._is_coverable],
            rows=rows.scaled(),
        )
