"""`alternatives`: near-optimal selections that differ from each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, inf

import numpy as np

from thatch.arrays import Flags, Floats, Ints, number
from thatch.errors import InfeasibleError, InputError, NoTimeError
from thatch.options import require_integer
from thatch.planning.comparison import compare
from thatch.planning.item_importance import value_without
from thatch.problem.constraints import with_decided
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.result import Result, Results, Status
from thatch.run.run import Run
from thatch.run.stopping import MaxSeconds
from thatch.solvers.base import require_problem
from thatch.solvers.solving import solve

# What it takes on a slow core to choose the items that the next selection must lack,
# and at most to find any selection without them.
_SECONDS_PER_CHOSEN_ITEM, _SECONDS_PER_EDGE = 3e-6, 2e-7


@dataclass(frozen=True, eq=False)
class Alternatives(Results):
    """Selections that differ, the best one first, each with its gap to the optimum."""

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
        How many selections. There are fewer if the constraints or the time limit allow
        no more.
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
    if not 0 < number("differ", differ) <= 1:
        raise InputError(
            f"differ is {differ!r}; it must be above 0 and at most 1.",
            hint="0.2 means that a fifth of the items differ.",
        )

    limits = [] if max_seconds is None else [MaxSeconds(max_seconds)]
    search = _Search(
        problem, n, differ, Run(stop=limits, seed=seed), threads=num_threads
    )
    return Alternatives(tuple(_with_common_bound(search.found())))


class _Search:
    """The selections so far, and the search for more, within one time limit."""

    def __init__(
        self,
        problem: CoverageProblem,
        n: int,
        differ: float,
        run: Run,
        *,
        threads: int | None,
    ) -> None:
        self._problem = problem
        self._n = n
        self._differ = differ
        self._run = run
        self._threads = threads
        self._found: list[Result] = []
        #: Of each selection, what its items are worth more than their replacements.
        self._losses: list[Floats] = []

    def found(self) -> list[Result]:
        """The best selection, and others that differ from all before."""
        # It gets twice the time of each other one.
        self._add(self._solved(self._problem, 2.0 / (self._n + 1)))
        left_out: set[int] = set()
        while len(self._found) < self._n and self._has_time():
            forbidden = self._items_to_replace(left_out)
            if forbidden is None:
                break
            constraints = with_decided(self._problem.constraints, forbidden=forbidden)
            given = replace(self._problem, constraints=constraints)
            try:
                result = self._solved(given, 1.0 / (self._n - len(self._found)))
            except NoTimeError:
                break
            except InfeasibleError:
                left_out.update(forbidden.tolist())
                continue
            if any(
                compare(result, each).difference < self._differ for each in self._found
            ):
                break  # nothing is left to choose
            self._add(_as_part_of(self._problem, result))
            left_out.clear()
        return self._found

    def _has_time(self) -> bool:
        """Whether there is time to choose what to replace, and for a short search."""
        num_chosen = sum(len(each.selection) for each in self._found)
        seconds = _SECONDS_PER_EDGE * self._problem.num_edges
        seconds = min(seconds, self._found[-1].seconds)
        return self._run.seconds_left > seconds + _SECONDS_PER_CHOSEN_ITEM * num_chosen

    def _solved(self, problem: CoverageProblem, share: float) -> Result:
        """Solve it in a share of the time left."""
        seconds = self._run.seconds_left
        return solve(
            problem,
            max_seconds=None if seconds == inf else share * seconds,
            seed=self._run.seed,
            num_threads=self._threads,
            progress=False,
        )

    def _add(self, result: Result) -> None:
        self._found.append(result)
        if len(self._found) < self._n:
            # It takes a fifth of what is left for each of the other selections.
            share = 0.2 / (self._n - len(self._found))
            self._losses.append(
                _losses(result.selection, self._run.with_time_share(share))
            )

    def _items_to_replace(self, left_out: set[int]) -> Ints | None:
        """Items that the next selection must lack, enough of every former one.

        Items that many former selections contain and that are replaced most easily come
        first. None if required items leave too few.
        """
        selections = [each.selection for each in self._found]
        may_go = np.ones(self._problem.num_items, dtype=bool)
        may_go[list(left_out)] = False
        if self._problem.constraints is not None:
            may_go[self._problem.constraints.required] = False
        missing = [ceil(self._differ * len(each) - 1e-9) for each in selections]
        queues = _queues(selections, self._losses, may_go)
        chosen: list[int] = []
        while any(number > 0 for number in missing):
            best = min(
                (
                    key
                    for pattern, queue in queues.items()
                    if (key := _key(pattern, queue, missing)) is not None
                ),
                default=None,
            )
            if best is None:
                return None
            *_, item, pattern = best
            queues[pattern].pop()
            chosen.append(item)
            missing = [number - (k in pattern) for k, number in enumerate(missing)]
        return np.array(sorted(chosen), dtype=np.int64)


# The selections that contain an item, by their numbers.
_Pattern = tuple[int, ...]


def _queues(
    selections: Sequence[Selection], losses: Sequence[Floats], may_go: Flags
) -> dict[_Pattern, list[tuple[float, int]]]:
    """Loss and number of the items in the same selections, the least loss last."""
    patterns: dict[int, _Pattern] = {}
    total: dict[int, float] = {}
    for k, (selection, lost) in enumerate(zip(selections, losses, strict=True)):
        for i, each in zip(selection.items.tolist(), lost.tolist(), strict=True):
            if may_go[i]:
                patterns[i] = (*patterns.get(i, ()), k)
                total[i] = total.get(i, 0.0) + each
    queues: dict[_Pattern, list[tuple[float, int]]] = {}
    for i, pattern in patterns.items():
        queues.setdefault(pattern, []).append((total[i] / len(pattern), i))
    for queue in queues.values():
        queue.sort(reverse=True)
    return queues


def _key(
    pattern: _Pattern, queue: Sequence[tuple[float, int]], missing: Sequence[int]
) -> tuple[float, int, int, _Pattern] | None:
    """How much the next item of a queue is in the way; None if it is of no use."""
    useful = sum(missing[k] > 0 for k in pattern)
    if not (queue and useful):
        return None
    loss, item = queue[-1]
    return loss / useful, -useful, item, pattern


def _as_part_of(problem: CoverageProblem, result: Result) -> Result:
    """The result with the bound of all selections, not of those that differ."""
    selection = Selection(problem, result.selection.items)
    status = result.status
    if status is Status.OPTIMAL:
        status = Status.FINISHED
    return replace(
        result, selection=selection, status=status, upper_bound=inf, certificate=None
    )


def _with_common_bound(found: Sequence[Result]) -> list[Result]:
    """The results, best first, with the bound of the first, which holds for all."""
    first, *others = found
    bound = max(first.upper_bound, *(each.selection.bound for each in found))
    bounded = [
        replace(each, upper_bound=inf).with_bound(bound, first.certificate)
        for each in others
    ]
    if bound > first.upper_bound:
        first = replace(first, upper_bound=inf).with_bound(bound, first.certificate)
    if first.status is Status.OPTIMAL:
        # As good as the best is optimal as well.
        bounded = [
            each
            if first.selection.is_better_than(each.selection)
            else replace(each, status=Status.OPTIMAL)
            for each in bounded
        ]
    return sorted([first, *bounded], key=lambda each: -each.selection.value)


def _losses(selection: Selection, run: Run) -> Floats:
    """What each chosen item is worth more than its best replacement, at most."""
    lost = selection.contributions.copy()
    # Up to this many chosen items, each one is replaced to see what that loses.
    if len(selection) <= 300 and selection.problem.constraints is None:
        for k in range(len(selection)):
            if run.must_stop:
                break
            lost[k] = selection.value - value_without(selection, k)
    return lost
