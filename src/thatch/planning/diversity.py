"""`alternatives`: near-optimal selections that differ from each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, inf

import numpy as np

from thatch.arrays import Floats, Ints, number
from thatch.errors import InfeasibleError, InputError, NoTimeError
from thatch.options import require_integer
from thatch.planning.comparison import compare
from thatch.planning.item_importance import value_without
from thatch.problem.constraints import with_decided
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.result import Result, Status
from thatch.run.stopping import MaxSeconds
from thatch.solvers.base import require_problem
from thatch.solvers.solving import solve


@dataclass(frozen=True, eq=False)
class Alternatives:
    """Selections that differ, the best one first, each with its gap to the optimum."""

    results: tuple[Result, ...]

    @property
    def differences(self) -> Floats:
        """How much each selection differs from each other: shape (n, n).

        The share of the items of the larger one that the other lacks.
        """
        selections = [each.selection for each in self.results]
        return np.array(
            [[compare(a, b).difference for b in selections] for a in selections]
        ).reshape(len(selections), len(selections))

    @property
    def in_all(self) -> Ints:
        """Items of every selection, ascending: what is hard to replace."""
        chosen = [set(each.selection.items.tolist()) for each in self.results]
        common = sorted(set.intersection(*chosen)) if chosen else []
        return np.array(common, dtype=np.int64)

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __getitem__(self, k: int) -> Result:
        return self.results[k]

    def __repr__(self) -> str:
        values = ", ".join(f"{each.selection.value:g}" for each in self.results)
        return f"Alternatives({len(self)} selections, values {values})"


def alternatives(
    problem: CoverageProblem,
    n: int = 5,
    differ: float = 0.2,
    *,
    max_seconds: float | None = None,
    seed: int = 0,
    num_threads: int | None = None,
) -> Alternatives:
    """Find several good selections that differ from each other.

    The first is the best one. Each further one is the best without some items of every
    selection before it: those that are easiest to replace.

    Parameters
    ----------
    problem
        The problem.
    n
        How many selections. There are fewer if the constraints allow no more.
    differ
        The least share of the items in which any two selections differ.
    max_seconds
        The time limit for all selections together.
    seed, num_threads
        As in `solve`.

    >>> from thatch import CoverageProblem
    >>> problem = CoverageProblem.from_sets(
    ...     {"a": {0, 1, 2}, "b": {0, 1, 2}, "c": {3, 4}, "d": {4, 5}}, budget=2
    ... )
    >>> [each.selection.value for each in alternatives(problem, 3, differ=0.5)]
    [5.0, 5.0, 5.0]
    """
    require_problem(problem)
    require_integer("n", n, least=1, hint="Pass 1 or more.")
    if max_seconds is not None:
        MaxSeconds(max_seconds)  # refuses what is no time limit
    if not 0 < number("differ", differ) <= 1:
        raise InputError(
            f"differ is {differ!r}; it must be above 0 and at most 1.",
            hint="0.2 means that a fifth of the items differ.",
        )

    def solved(given: CoverageProblem, share: float) -> Result:
        seconds = None if max_seconds is None else share * max_seconds
        return solve(
            given,
            max_seconds=seconds,
            seed=seed,
            num_threads=num_threads,
            progress=False,
        )

    # The first selection gets twice the time of each other one.
    unit = 1.0 / (n + 1)
    found = [solved(problem, 2.0 * unit)]
    _add_others(found, n, differ, lambda given: solved(given, unit))
    return Alternatives(tuple(_with_common_bound(found)))


def _add_others(
    found: list[Result],
    n: int,
    differ: float,
    solved: Callable[[CoverageProblem], Result],
) -> None:
    """Add selections that differ from all before, until there are enough."""
    problem = found[0].selection.problem
    left_out: set[int] = set()
    while len(found) < n:
        forbidden = _items_to_replace(problem, found, differ, left_out)
        if forbidden is None:
            break
        constraints = with_decided(problem.constraints, forbidden=forbidden)
        try:
            result = solved(replace(problem, constraints=constraints))
        except NoTimeError:
            break
        except InfeasibleError:
            left_out.update(forbidden.tolist())
            continue
        if any(compare(result, each).difference < differ for each in found):
            break  # nothing is left to choose
        found.append(_as_part_of(problem, result))
        left_out.clear()


def _as_part_of(problem: CoverageProblem, result: Result) -> Result:
    """The result with the bound of all selections, not of those that differ."""
    selection = Selection(problem, result.selection.items)
    status = result.status
    if status is Status.OPTIMAL:
        status = Status.FINISHED
    return replace(result, selection=selection, status=status, upper_bound=inf)


def _with_common_bound(found: Sequence[Result]) -> list[Result]:
    """The results, best first, with the bound of the first, which holds for all."""
    bound = max(found[0].upper_bound, *(each.selection.value for each in found))
    bounded = [replace(each, upper_bound=inf).with_bound(bound) for each in found]
    first = found[0].selection.value
    is_unproved = found[0].status is not Status.OPTIMAL
    return [
        replace(each, status=found[0].status)
        if not is_unproved and each.selection.value == first
        else each
        for each in sorted(bounded, key=lambda each: -each.selection.value)
    ]


def _items_to_replace(
    problem: CoverageProblem,
    found: Sequence[Result],
    differ: float,
    left_out: set[int],
) -> Ints | None:
    """Items that the next selection must lack, enough of every former one.

    Items that many former selections contain and that are replaced most easily come
    first. None if required items leave too few.
    """
    selections = [each.selection for each in found]
    counts = np.zeros(problem.num_items, dtype=np.int64)
    for selection in selections:
        counts[selection.items] += 1
    losses = _losses(selections)
    is_required = np.zeros(problem.num_items, dtype=bool)
    if problem.constraints is not None:
        is_required[problem.constraints.required] = True
    missing = [ceil(differ * len(each) - 1e-9) for each in selections]
    members = [set(each.items.tolist()) for each in selections]
    candidates = [
        i
        for i in np.flatnonzero(counts).tolist()
        if not is_required[i] and i not in left_out
    ]
    chosen: list[int] = []
    while any(number > 0 for number in missing):
        useful = {
            i: sum(
                number > 0 and i in chosen_before
                for number, chosen_before in zip(missing, members, strict=True)
            )
            for i in candidates
        }
        candidates = [i for i in candidates if useful[i] > 0]
        if not candidates:
            return None
        best = min(candidates, key=lambda i: (losses[i] / useful[i], -useful[i], i))
        chosen.append(best)
        candidates.remove(best)
        missing = [
            number - (best in chosen_before)
            for number, chosen_before in zip(missing, members, strict=True)
        ]
    return np.array(sorted(chosen), dtype=np.int64)


def _losses(selections: Sequence[Selection]) -> Floats:
    """What each chosen item is worth more than its best replacement, at most.

    The mean over the selections that contain it.
    """
    problem = selections[0].problem
    sums, counts = np.zeros(problem.num_items), np.zeros(problem.num_items)
    for selection in selections:
        lost = selection.contributions.copy()
        # Up to this many chosen items, each one is replaced to see what that loses.
        if len(selection) <= 300 and problem.constraints is None:
            for k in range(len(selection)):
                lost[k] = selection.value - value_without(selection, k)
        sums[selection.items] += lost
        counts[selection.items] += 1
    return sums / np.maximum(counts, 1)
