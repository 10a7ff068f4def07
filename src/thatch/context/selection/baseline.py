"""The baseline: what all chunks are worth, and what the most relevant ones are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

import numpy as np

from thatch.context.selection.context import Baseline
from thatch.context.selection.selection_task import SelectionTask
from thatch.problem.selection import Selection


def baseline_of(task_of: Callable[[], SelectionTask]) -> Baseline:
    """Measure all chunks, and the value of the most relevant ones within the budget.

    A near-copy counts as what it is a copy of: rather too much than too little. In the
    task that is made, every chunk is a candidate.
    """
    task = task_of()
    everything = np.arange(task.problem.num_items)
    top = _most_relevant(task)
    item_of = {k: item for item, k in enumerate(task.candidates.tolist())}
    said = [int(task.originals[k]) for k in top]
    items = {item_of[k] for k in said if k in item_of}
    return Baseline(
        total=task.value(Selection(task.problem, everything)),
        top_value=task.value(Selection.of(task.problem, sorted(items))),
        num_top=len(top),
        num_repeats=len(said) - len(set(said)),
    )


def _most_relevant(task: SelectionTask) -> list[int]:
    """The most relevant chunks, as many as fit the budget as printed."""
    ranked = task.ranked
    excluded = set(task.excluded.tolist())
    order = np.argsort(-ranked.relevances, kind="stable").tolist()
    relevant = [
        k
        for k in order
        if ranked.relevances[k] > 0 and ranked.texts[k].strip() and k not in excluded
    ]
    # The more chunks, the larger the text.
    sizes = range(1, len(relevant) + 1)
    num_fitting = bisect_right(
        sizes, task.budget, key=lambda count: ranked.size(relevant[:count])
    )
    return relevant[:num_fitting]
