"""A cover problem as an integer program in HiGHS.

One column per item, 1 if it is chosen, and one per element, 1 if it stays uncovered.
One row per element: it is covered as often as it demands, or left out. A further row:
what is left out weighs at most the slack. The model maximizes the negative cost.
"""

from __future__ import annotations

import numpy as np

from thatch.arrays import Floats
from thatch.problem.constraint_rows import Row, RowTable, highs_scale
from thatch.problem.edges import Edges
from thatch.solvers.highs.programs import covering_model
from thatch.solvers.highs.worker import Model


def cover_model(
    edges: Edges,
    costs: Floats,
    weights: Floats,
    *,
    slack: float,
    demands: Floats,
    rows: RowTable,
) -> Model:
    """The model of the cheapest cover; its costs are scaled already.

    Constraints are further rows.
    """
    left_out = edges.num_items + np.arange(edges.num_elements)
    scale = highs_scale(np.append(weights, slack))
    slack_row = Row("slack", "", "", left_out, weights * scale, slack * scale)
    return covering_model(
        edges,
        np.concatenate([-costs, np.zeros(left_out.size)]),
        own_values=-demands,
        limits=-demands,
        rows=RowTable.joined([RowTable.of([slack_row]), rows]),
    )
