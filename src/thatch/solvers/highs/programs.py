"""What all programs share: rows, options, errors, and how HiGHS is followed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np

from thatch.arrays import Flags, Floats
from thatch.problem import tolerances
from thatch.problem.constraint_rows import Row
from thatch.problem.edges import Edges
from thatch.solvers.highs.process import reports_of
from thatch.solvers.highs.worker import Model, Report, Task

#: What HiGHS takes whatever it solves: several threads would not repeat a result.
ONE_THREAD: dict[str, Any] = {"parallel": "off", "threads": 1}
#: A selection may exceed a limit by the tolerance of HiGHS. It is excluded, and the
#: program solved again, at most this often.
MAX_REPEATS = 100


def integer_options(
    seed: int, *, gap: float = tolerances.HIGHS_GAP, max_nodes: int = -1
) -> dict[str, Any]:
    """Options for the optimum of an integer program, up to an absolute gap."""
    options = ONE_THREAD | {
        "mip_rel_gap": 0.0,
        "mip_abs_gap": gap,
        # Looking for symmetries takes minutes where there are many, as in projective
        # planes.
        "mip_detect_symmetry": False,
        "random_seed": seed % 2**31,
    }
    return options | ({"mip_max_nodes": max_nodes} if max_nodes >= 0 else {})


def error_of(num_columns: int) -> float:
    """How far a bound of HiGHS on a program of that size may be off."""
    return tolerances.HIGHS_ROW + tolerances.HIGHS_COLUMN * num_columns


def item_model(objective: Floats, rows: Sequence[Row]) -> Model:
    """A program over items alone: what each of them adds is maximized."""
    none = np.zeros(0)
    empty = Model(
        objective,
        np.ones(objective.size),
        none,
        np.zeros(1, dtype=np.int32),
        none.astype(np.int32),
        none,
    )
    return with_rows(empty, rows)


def covering_model(
    edges: Edges,
    objective: Floats,
    *,
    own: Flags,
    own_values: Floats,
    limits: Floats,
    rows: Sequence[Row],
) -> Model:
    """A program with a column per item, and own columns of some elements.

    The row of an element is its own column, with one of `own_values`, less those of its
    items; it sums to at most one of the limits. Columns of items come first. Further
    rows follow. The objective is maximized.
    """
    row_start = edges.element_start + np.append(0, np.cumsum(own))
    size = int(row_start[-1])
    places = row_start[1:][own] - 1
    is_item = np.ones(size, dtype=np.bool_)
    is_item[places] = False
    columns, values = np.empty(size, dtype=np.int32), np.full(size, -1.0)
    columns[is_item] = edges.element_items
    columns[places] = edges.num_items + np.arange(places.size)
    values[places] = own_values
    model = Model(
        objective,
        np.ones(objective.size),
        limits,
        row_start.astype(np.int32),
        columns,
        values,
    )
    return with_rows(model, rows)


def with_rows(model: Model, rows: Sequence[Row]) -> Model:
    """The model with further rows, as they are."""
    sizes = [row.items.size for row in rows]
    return replace(
        model,
        row_upper=np.append(model.row_upper, [row.most for row in rows]),
        row_start=np.append(
            model.row_start, model.columns.size + np.cumsum(sizes, dtype=np.int32)
        ).astype(np.int32),
        columns=np.concatenate(
            [model.columns, *(row.items for row in rows)], dtype=np.int32
        ),
        values=np.concatenate([model.values, *(row.values for row in rows)]),
    )


def followed(
    task: Task,
    *,
    max_seconds: float,
    take: Callable[[Report | None], bool] = lambda report: False,
) -> Report | None:
    """Run HiGHS; return its last report, or None if it did not finish.

    Parameters
    ----------
    task
        What HiGHS is to do.
    max_seconds
        The time limit.
    take
        Called with every report, and with None about 20 times per second; returning
        True stops HiGHS.
    """
    with closing(reports_of(task, max_seconds=max_seconds)) as reports:
        for report in reports:
            if report is not None and report.error is not None:
                raise report.error
            is_stopped = take(report)
            if report is not None and report.is_last:
                return report
            if is_stopped:
                return None
    return None
