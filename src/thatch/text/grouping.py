"""Grouping: summaries by document or by heading, with a limit per group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from thatch.errors import InputError
from thatch.options import require_integer
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Restriction, Selection
from thatch.run.result import Result, Status
from thatch.text.choices import Grouping
from thatch.text.passages.passages import Passages


def require_group_limit(
    groups: object | None, per_group: int | None, *, hint: str
) -> None:
    """Require that a limit per group is positive, and that there are groups."""
    if per_group is None:
        return
    require_integer("per_group", per_group, least=1, hint="Omit it for no limit.")
    if groups is None:
        raise InputError(
            f"per_group is {per_group}, but there are no groups.", hint=hint
        )


def group_names(passages: Passages, group: Grouping) -> list[str]:
    """Name of the group of each passage: its document, or its innermost heading.

    Headings of several documents are named with their document.
    """
    names = [passages.name_of(d) for d in range(len(passages.documents))]
    if group is Grouping.DOCUMENT:
        return [names[passage.document] for passage in passages]
    found = []
    for passage in passages:
        document = passages.documents[passage.document]
        path = document.headings_at(passage.start)
        if not path or len(names) > 1:
            path = names[passage.document], *path
        # The title of a document names no part of it.
        found.append(" \u203a ".join(path[1:] if len(path) > 2 else path))
    return found


def limited_result(
    problem: CoverageProblem,
    groups: Sequence[str],
    per_group: int,
    solve: Callable[[CoverageProblem], Result],
) -> Result:
    """Solve a problem with a limited number of items per group.

    It is solved without the limit first, and that bound remains valid. While a group
    has too many items, its best ones are kept, the others are dropped for good, and
    the problem is solved again.
    """
    first = solve(problem)
    selection, status = first.selection, first.status
    items, none = np.arange(problem.num_items), np.empty(0, dtype=np.int64)
    while dropped := _above_limit(selection, groups, per_group):
        items = items[~np.isin(items, sorted(dropped))]
        rest = Restriction.of(problem, items, none)
        result = solve(rest.problem)
        selection, status = rest.restored(result.selection), result.status
    if status is Status.OPTIMAL and selection.bound < first.upper_bound:
        status = Status.FINISHED
    return replace(first, selection=selection, status=status)


def _above_limit(
    selection: Selection, groups: Sequence[str], per_group: int
) -> set[int]:
    """Items that groups with too many chosen ones have to do without."""
    chosen = defaultdict(list)
    for i in selection.items.tolist():
        chosen[groups[i]].append(i)
    kept: set[int] = set()
    full = {name for name, items in chosen.items() if len(items) > per_group}
    for name in full:
        kept |= _best(selection, chosen[name], per_group)
    return {i for i, name in enumerate(groups) if name in full} - kept


def _best(selection: Selection, items: list[int], count: int) -> set[int]:
    """Some of the chosen items: without the others, the most weight is covered."""
    left = selection
    members = set(items)
    while len(members) > count:
        contributions = dict(
            zip(left.items.tolist(), left.contributions.tolist(), strict=True)
        )
        least = min(members, key=lambda i: (contributions[i], i))
        members.remove(least)
        left = Selection(left.problem, left.items[left.items != least])
    return members
