"""Searches for covers that learn for long, and what their covers are together.

Two covers of a large sparse task differ in many places, and each place is a choice of
its own: the cheapest choices together are often cheaper than both covers. So a search
that finds nothing for a while is followed by others, which start from the greedy cover,
as long as their covers improve the best one or have had less time than the first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from thatch.arrays import Ints, exact_sum, sums_by
from thatch.solvers.covering.cover_descent import CoverDescent, greedy_cover
from thatch.solvers.covering.cover_task import CoverTask
from thatch.solvers.step_efforts import CoverEffort


class Team:
    """Searches among all items: one per large component, or one per seed.

    A component is large if it has a share of the edges. All others are one part.
    """

    def __init__(
        self,
        task: CoverTask,
        start: Ints,
        *,
        seeds: Sequence[int],
        growth: float,
        smallest_part: float,
    ) -> None:
        every, edges = np.arange(task.items.size), task.problem.edges
        parts: list[Ints] = []
        if task.slack <= 0.0:
            least = smallest_part * edges.num_edges
            components = edges.components()
            sizes = [int(edges.item_degrees[items].sum()) for items in components]
            num_small = sum(size < least for size in sizes)
            small, parts = components[:num_small], components[num_small:]
            if small:
                parts.append(np.sort(np.concatenate(small)))
        if len(parts) > 1:
            self.searches = [
                CoverDescent(
                    task, every, start, seed=seeds[0], growth=growth, part=part
                )
                for part in parts
            ]
        else:
            self.searches = [
                CoverDescent(task, every, start, seed=seed, growth=growth)
                for seed in seeds
            ]

    @property
    def covers(self) -> list[Ints]:
        """The cheapest covers that the searches found: of all parts, or one of each."""
        best = [each.best for each in self.searches]
        is_whole = self.searches[0].part is None
        return best if is_whole else [np.sort(np.concatenate(best))]

    def adopt(self, inside: Ints) -> None:
        """Go on from a cover, where it is cheaper."""
        for each in self.searches:
            each.adopt(inside)


class LongSearch:
    """A team that goes on for good, and others that start anew whenever it stalls.

    Some tasks need long searches, others many short ones, so both get the same time,
    unless other teams improve the best cover.
    """

    def __init__(
        self,
        task: CoverTask,
        start: Ints,
        *,
        seed: Callable[[int], int],
        num_seeds: int,
        effort: CoverEffort,
    ) -> None:
        self.task = task
        self._seed, self._num_seeds, self._effort = seed, num_seeds, effort
        self._num_teams = 0
        self._main = self._started(start)
        self._other: Team | None = None
        self._greedy: Ints | None = None
        # Slices of the main team, of all others, of this one, and without a gain.
        self._num_slices = self._num_other_slices = 0
        self._num_own_slices = self._num_stale = 0
        self._has_helped = False

    @property
    def team(self) -> Team:
        """The team whose turn it is."""
        return self._main if self._other is None else self._other

    def advance(self, *, has_found: bool, has_helped: bool, inside: Ints) -> None:
        """Take note of a slice of the team, and decide whose turn is next.

        Parameters
        ----------
        has_found
            Whether the team found a cheaper cover than it had.
        has_helped
            Whether that improved the best cover.
        inside
            The best cover, or no items if it has some that are not in the task.
        """
        self._num_stale = 0 if has_found else self._num_stale + 1
        self._has_helped |= has_helped
        is_stale = self._num_stale >= self._effort.slices_without_gain
        if self._other is None:
            self._num_slices += 1
            is_over = is_stale and self._num_other_slices <= self._num_slices
        else:
            self._num_other_slices += 1
            self._num_own_slices += 1
            is_over = is_stale or self._num_own_slices >= self._num_slices
        if not is_over:
            return
        if self._has_helped or self._num_other_slices <= self._num_slices:
            self._start_other()
        else:
            self._other = None
            self._main.adopt(inside)
        self._num_stale = 0

    def _start_other(self) -> None:
        if self._greedy is None:
            self._greedy = greedy_cover(self.task)
        self._other = self._started(self._greedy)
        self._num_own_slices = 0
        self._has_helped = False

    def _started(self, start: Ints) -> Team:
        first = self._num_teams * self._num_seeds + 1
        growths = self._effort.weight_growths
        growth = growths[self._num_teams % len(growths)]
        self._num_teams += 1
        return Team(
            self.task,
            start,
            seeds=[self._seed(first + k) for k in range(self._num_seeds)],
            growth=growth,
            smallest_part=self._effort.smallest_part,
        )


def crossed(task: CoverTask, one: Ints, other: Ints) -> Ints:
    """The cheapest cover that is one of two covers wherever these differ.

    Where they agree, elements are covered. Items that differ and share an element that
    is left are one place, and either cover covers the elements of the place. With
    slack, where places depend on each other, it is the cheaper cover.
    """
    costs, edges = task.problem.costs, task.problem.edges
    is_in = np.zeros((2, task.items.size), dtype=np.bool_)
    is_in[0, one] = is_in[1, other] = True
    if task.slack > 0.0:
        return min(one, other, key=lambda items: exact_sum(costs[items]))
    different = np.flatnonzero(is_in[0] ^ is_in[1])
    is_left = np.ones(edges.num_elements, dtype=np.bool_)
    agreed = np.flatnonzero(is_in[0] & is_in[1])
    is_left[edges.item_elements[edges.positions_of(agreed)]] = False
    places, _ = edges.restricted_to(different, is_left)
    place = places.component_numbers()
    # Positive where the other cover is the cheaper one.
    saved = np.where(is_in[0, different], 1.0, -1.0) * costs[different]
    is_cheaper = sums_by(place, saved, different.size) > 0.0
    replaced = different[is_cheaper[place]]
    is_in[0, replaced] = is_in[1, replaced]
    return np.flatnonzero(is_in[0])
