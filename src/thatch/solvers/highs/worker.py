"""HiGHS on one model: what it finds is sent as it is found.

``main()`` runs in a process of its own (see `process`). The module imports little,
and HiGHS only when it runs, so that the process starts quickly.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from thatch.errors import SolverFailedError
from thatch.machine.worker_main import ParentConnection

if TYPE_CHECKING:
    import highspy
    from numpy.typing import NDArray

#: The first message of the process, once it has imported HiGHS.
READY = b"ready"


@dataclass(frozen=True, eq=False)
class Model:
    """A linear program: maximize over columns between 0 and their upper limits.

    Rows have upper limits only. The matrix is stored row by row.
    """

    objective: NDArray[np.float64]
    column_upper: NDArray[np.float64]
    row_upper: NDArray[np.float64]
    #: int32, shape (num_rows + 1,): where the entries of each row start.
    row_start: NDArray[np.int32]
    #: int32, shape (num_entries,): column of each entry.
    columns: NDArray[np.int32]
    values: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Task:
    """What HiGHS is to do."""

    model: Model
    #: The first columns, as many as this, must be integers.
    num_integers: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Report:
    """News of HiGHS. The last report has `is_last` set, and may have an error."""

    #: Indices of the columns that are 1, if there is a new solution.
    chosen: NDArray[np.int64] | None = None
    #: One multiplier per row, at the end of a relaxation.
    duals: NDArray[np.float64] | None = None
    #: Whether HiGHS proved that there is no solution.
    is_infeasible: bool = False
    is_last: bool = False
    error: Exception | None = None


def main() -> None:
    """Run HiGHS on the tasks of the parent process."""
    parent = ParentConnection()
    import highspy  # noqa: F401 (imported before the parent's clock starts)

    parent.notify(READY)
    for request in parent.requests():
        run_highs(
            pickle.loads(request), lambda report: parent.notify(pickle.dumps(report))
        )


def run_highs(
    task: Task,
    send: Callable[[Report], None],
    should_stop: Callable[[], bool] = lambda: False,
) -> None:
    """Run HiGHS to its end, or until it notices that it should stop.

    Parameters
    ----------
    task
        The model and the options of HiGHS.
    send
        Called with every better solution, and once at the end; that report has the
        error if there was one.
    should_stop
        Called by HiGHS now and then; some of its steps do not call it for minutes.
    """
    try:
        last = _run(task, send, should_stop)
    except Exception as error:
        last = Report(is_last=True, error=error)
    send(last)


def _run(
    task: Task, send: Callable[[Report], None], should_stop: Callable[[], bool]
) -> Report:
    import highspy

    highs = highspy.Highs()
    highs.silent()
    for option, value in task.options.items():
        highs.setOptionValue(option, value)
    _require_ok(highs.passModel(_highs_model(task)))

    def improved(event: highspy.HighsCallbackEvent) -> None:
        send(Report(_ones(np.array(event.data_out.mip_solution), task)))

    def interrupt(event: highspy.HighsCallbackEvent) -> None:
        if should_stop():
            event.interrupt()

    highs.cbMipImprovingSolution.subscribe(improved)
    for callback in (highs.cbMipInterrupt, highs.cbIpmInterrupt):
        callback.subscribe(interrupt)
    _require_ok(highs.run())
    solution = highs.getSolution()
    if not task.num_integers:
        return Report(duals=np.array(solution.row_dual), is_last=True)
    chosen = None
    if highs.getInfo().primal_solution_status:
        chosen = _ones(np.array(solution.col_value), task)
    is_infeasible = highs.getModelStatus() == highspy.HighsModelStatus.kInfeasible
    return Report(chosen, is_infeasible=is_infeasible, is_last=True)


def _ones(values: NDArray[np.float64], task: Task) -> NDArray[np.int64]:
    return np.flatnonzero(values[: task.num_integers] > 0.5)


def _highs_model(task: Task) -> highspy.HighsLp:
    import highspy

    model = task.model
    lp = highspy.HighsLp()
    lp.sense_ = highspy.ObjSense.kMaximize
    lp.num_col_ = model.objective.size
    lp.num_row_ = model.row_upper.size
    lp.col_cost_ = model.objective
    lp.col_lower_ = np.zeros(lp.num_col_)
    lp.col_upper_ = model.column_upper
    lp.row_lower_ = np.full(lp.num_row_, -inf)
    lp.row_upper_ = model.row_upper
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = model.row_start
    lp.a_matrix_.index_ = model.columns
    lp.a_matrix_.value_ = model.values
    if task.num_integers:
        integer, real = highspy.HighsVarType.kInteger, highspy.HighsVarType.kContinuous
        num_reals = lp.num_col_ - task.num_integers
        lp.integrality_ = [integer] * task.num_integers + [real] * num_reals
    return lp


def _require_ok(status: highspy.HighsStatus) -> None:
    import highspy

    if status == highspy.HighsStatus.kError:
        raise SolverFailedError(
            "HiGHS rejected the model.", hint="Please report it with the instance."
        )
