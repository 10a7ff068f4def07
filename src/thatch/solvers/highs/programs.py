"""What all programs share: rows, options, errors, and how HiGHS is followed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np

from thatch.arrays import Floats
from thatch.problem import tolerances
from thatch.problem.constraint_rows import RowTable
from thatch.problem.edges import Edges
from thatch.solvers.highs.process import reports_of
from thatch.solvers.highs.worker import Model, Report, Task

#: What HiGHS takes whatever it solves: several threads would not repeat a result.
ONE_THREAD: dict[str, Any] = {"parallel": "off", "threads": 1}


def integer_options(seed: int, *, max_nodes: int) -> dict[str, Any]:
    """Options for an integer program, searched up to a number of nodes."""
    return ONE_THREAD | {
        "mip_rel_gap": 0.0,
        "mip_abs_gap": tolerances.HIGHS_GAP,
        "mip_max_nodes": max_nodes,
        # Looking for symmetries takes minutes where there are many, as in projective
        # planes.
        "mip_detect_symmetry": False,
        "random_seed": seed % 2**31,
    }


def item_model(objective: Floats, rows: RowTable) -> Model:
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
    return _with_rows(empty, rows)


def covering_model(
    edges: Edges,
    objective: Floats,
    *,
    own_values: Floats,
    limits: Floats,
    rows: RowTable,
) -> Model:
    """A program with a column per item, and then one per element.

    The row of an element is its own column, with its own value, less those of its
    items; it sums to at most its limit. Further rows follow. The objective is
    maximized.
    """
    ends = edges.element_start[1:]
    own = edges.num_items + np.arange(edges.num_elements)
    model = Model(
        objective,
        np.ones(objective.size),
        limits,
        (edges.element_start + np.arange(own.size + 1)).astype(np.int32),
        np.insert(edges.element_items, ends, own).astype(np.int32),
        np.insert(np.full(edges.element_items.size, -1.0), ends, own_values),
    )
    return _with_rows(model, rows)


def _with_rows(model: Model, rows: RowTable) -> Model:
    """The model with further rows, as they are."""
    ends = model.columns.size + np.cumsum(rows.sizes)
    return replace(
        model,
        row_upper=np.append(model.row_upper, rows.most),
        row_start=np.append(model.row_start, ends).astype(np.int32),
        columns=np.append(model.columns, rows.items).astype(np.int32),
        values=np.append(model.values, rows.values),
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
