"""Dropping: why chunks were not selected, and what the most relevant ones are worth."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from thatch.context.selection.context import Baseline, DroppedChunk, DropReason
from thatch.context.selection.selection_task import SelectionTask
from thatch.problem.selection import Selection

T = TypeVar("T")


def dropped_chunks(
    chunks: Sequence[T], task: SelectionTask, selection: Selection
) -> Iterator[DroppedChunk[T]]:
    """The chunks that were not selected, in the order of the input, and why."""
    printed = set(task.printed(selection.items.tolist()))
    stand_ins = {int(task.originals[k]): k for k in sorted(printed, reverse=True)}
    item_of = {k: item for item, k in enumerate(task.candidates.tolist())}
    counts = Counter(task.groups[i] for i in selection.items.tolist() if task.groups)
    repeats, relevances = _repeats(task, selection), task.ranked.relevances
    gains, excluded = task.gains(selection), set(task.excluded.tolist())
    chosen = [k for k in printed if k in item_of]
    # What must be included says nothing about the relevance that suffices.
    free = [k for k in chosen if item_of[k] not in task.preferred]
    lowest = min((relevances[k] for k in free or chosen), default=0.0)
    for k, chunk in enumerate(chunks):
        if k in printed:
            continue
        relevance, other = float(relevances[k]), None
        item = item_of.get(k)
        if not task.ranked.texts[k].strip():
            reason = DropReason.EMPTY
        elif k in excluded:
            reason = DropReason.EXCLUDED
        elif int(task.originals[k]) in stand_ins:
            reason, other = DropReason.REDUNDANT, stand_ins[int(task.originals[k])]
        elif item is None:
            # No candidate. If it is relevant, others say more in the same room.
            is_relevant = relevance > lowest
            reason = DropReason.NO_ROOM if is_relevant else DropReason.LOW_RELEVANCE
        elif task.is_too_long(item):
            reason = DropReason.TOO_LONG
        elif item in repeats:
            reason, other = DropReason.REDUNDANT, repeats[item]
        elif task.per_group is not None and counts[task.groups[item]] >= task.per_group:
            reason = DropReason.QUOTA
        elif relevance > lowest or not printed:
            reason = DropReason.NO_ROOM
        else:
            reason = DropReason.LOW_RELEVANCE
        measured = {}
        if item is not None:
            measured = {
                "tokens": float(task.problem.costs[item]),
                "gain": float(gains[item]),
            }
        yield DroppedChunk(chunk, k, relevance, reason, other, **measured)


def _repeats(task: SelectionTask, selection: Selection) -> dict[int, int]:
    """Items that add almost nothing, and the selected chunk that says most of it."""
    problem, edges = task.problem, task.problem.edges
    nothing = Selection.of(problem, [])
    # An item whose elements others cover but for this share adds nothing.
    is_repeat = task.gains(selection) < 0.2 * task.gains(nothing)
    is_repeat[selection.items] = False
    found = {}
    for item in np.flatnonzero(is_repeat).tolist():
        shared = np.zeros(problem.num_elements)
        shared[edges.elements_of(item)] = problem.weights[edges.elements_of(item)]
        overlaps = [
            float(shared[edges.elements_of(other)].sum())
            for other in selection.items.tolist()
        ]
        found[item] = int(task.candidates[selection.items[int(np.argmax(overlaps))]])
    return found


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
