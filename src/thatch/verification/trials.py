"""All selections of some items, tried side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from thatch.verification.rows import Flags, Ints, NotProvedError
from thatch.verification.states import State

# Selections that are tried side by side, and how many in all.
_MOST_AT_ONCE, _MOST_IN_ALL = 20_000, 50_000_000
# States that agree in all elements still to be decided are merged from this number on;
# a key has one bit per element.
_LEAST_TO_MERGE, _KEY_BITS = 256, 62


class Trial:
    """All selections of the open items, those aside whose bound is too low.

    With the prices of a state, a selection is below the state's bound by what each
    decision loses: the profit of an item that is left out, or less than nothing of one
    that is taken; the price of an element for each item beyond those it needs, and what
    is left of its weight once it cannot count. Losses only grow, item by item.
    """

    def __init__(
        self, state: State, order: Sequence[int], *, can_merge: bool = True
    ) -> None:
        assert state.priced is not None
        self.state, self.claim, self.priced = state, state.claim, state.priced
        place = {i: k for k, i in enumerate(state.items.tolist())}
        self.places = [place[i] for i in dict.fromkeys(order) if i in place]
        if len(self.places) < len(place):
            raise NotProvedError("it does not try all items that are open")
        self.slack = self.priced.bound - state.target
        self.num_tried = 0
        #: Whether states are merged, which takes one limit and one cover per element.
        self.can_merge = can_merge and len(self.claim.rows) == 1
        self.can_merge &= bool((self.claim.demands == 1).all())
        self.has_merged = False
        self._plan_elements()
        self._plan_rows()

    def _plan_elements(self) -> None:
        """At each depth: the elements of the item, and those that are decided there."""
        state = self.state
        self.elements: list[list[int]] = []
        last: dict[int, int] = {}
        for depth, k in enumerate(self.places):
            found = state.elements[state.start[k] : state.start[k + 1]].tolist()
            self.elements.append(found)
            last.update(dict.fromkeys(found, depth))
        self.ending: list[set[int]] = [set() for _ in self.places]
        for element, depth in last.items():
            self.ending[depth].add(element)

    def _plan_rows(self) -> None:
        """Rows of the open items, and what later items can take off them."""
        state, claim = self.state, self.claim
        order = state.items[self.places]
        size = len(self.places)
        rows, limits = [], []
        for row in claim.rows:
            values, limit = row.counted
            dense = np.zeros(claim.num_items, dtype=np.int64)
            dense[row.items] = values
            rows.append(dense[order])
            limits.append(limit - int(dense[state.is_taken].sum()))
        self.values = np.array(rows, dtype=np.int64).reshape(len(rows), size).T
        lowest = np.minimum(self.values, 0)[::-1].cumsum(axis=0)[::-1]
        ahead = np.vstack([lowest, np.zeros((1, len(rows)), dtype=np.int64)])
        #: What the items chosen before a depth may add up to.
        self.room = np.array(limits, dtype=np.int64) - ahead
        charges = self.priced.charges[self.places]
        most = np.maximum(charges, 0)[::-1].cumsum()[::-1]
        self.charge_ahead = [*most.tolist(), 0]
        self.charges = charges.tolist()

    def run(self) -> None:
        """Try everything; raise an error if the claim may be false."""
        waiting = [Nodes.first(self)]
        while waiting:
            self.claim.require_time()
            nodes = waiting.pop()
            if nodes.size == 0:
                continue
            if nodes.depth == len(self.places):
                self._compare(nodes)
            elif nodes.size > _MOST_AT_ONCE:
                half = nodes.size // 2
                waiting += [
                    nodes.kept(slice(half, None)),
                    nodes.kept(slice(None, half)),
                ]
            else:
                self.num_tried += nodes.size
                if self.num_tried > _MOST_IN_ALL:
                    raise NotProvedError("there are too many selections to try")
                waiting.append(nodes.next(self))

    def _compare(self, nodes: Nodes) -> None:
        if self.has_merged:
            raise NotMergedError
        taken = np.flatnonzero(self.state.is_taken)
        order = self.state.items[self.places]
        for bits in nodes.chosen:
            marks = np.unpackbits(bits, count=order.size).astype(bool)
            items = np.sort(np.append(taken, order[marks]))
            if self.claim.contradicts(items):
                raise NotProvedError(f"items {items.tolist()} contradict it")


class NotMergedError(Exception):
    """Merged states came too close to the target to decide."""


@dataclass(frozen=True, eq=False)
class Nodes:
    """Selections of the items before a depth, one per row of each array."""

    depth: int
    lost: Ints
    charged: Ints
    #: What they use of each row.
    used: Ints
    #: How often they cover each element in `columns`, at most as often as it needs.
    counts: NDArray[np.int32]
    columns: tuple[int, ...]
    #: One bit per item.
    chosen: NDArray[np.uint8]

    @classmethod
    def first(cls, trial: Trial) -> Nodes:
        one = np.zeros(1, dtype=np.int64)
        return cls(
            0,
            one,
            one,
            np.zeros((1, len(trial.claim.rows)), dtype=np.int64),
            np.zeros((1, 0), dtype=np.int32),
            (),
            np.zeros((1, (len(trial.places) + 7) // 8), dtype=np.uint8),
        )

    @property
    def size(self) -> int:
        return self.lost.size

    def kept(self, which: slice | Ints | Flags) -> Nodes:
        return replace(
            self,
            lost=self.lost[which],
            charged=self.charged[which],
            used=self.used[which],
            counts=self.counts[which],
            chosen=self.chosen[which],
        )

    def next(self, trial: Trial) -> Nodes:
        """The nodes with the next item left out, and with it taken."""
        depth = self.depth
        new = [a for a in trial.elements[depth] if a not in self.columns]
        columns = (*self.columns, *new)
        grown = np.hstack([self.counts, np.zeros((self.size, len(new)), np.int32)])
        nodes = replace(self, counts=grown, columns=columns)
        parts = [nodes.left_out(trial), nodes.taken(trial)]
        both = [part.with_decided_elements(trial).within(trial) for part in parts]
        joined = replace(
            both[0],
            lost=np.concatenate([part.lost for part in both]),
            charged=np.concatenate([part.charged for part in both]),
            used=np.concatenate([part.used for part in both]),
            counts=np.concatenate([part.counts for part in both]),
            chosen=np.concatenate([part.chosen for part in both]),
        )
        return joined.merged(trial)

    def left_out(self, trial: Trial) -> Nodes:
        """The nodes with the next item left out."""
        profit = int(trial.priced.profits[trial.places[self.depth]])
        return replace(self, depth=self.depth + 1, lost=self.lost + max(profit, 0))

    def taken(self, trial: Trial) -> Nodes:
        """The nodes with the next item taken, where it fits."""
        depth, priced, left = self.depth, trial.priced, trial.state.left
        profit = int(priced.profits[trial.places[depth]])
        nodes = self.kept(
            (self.used + trial.values[depth] <= trial.room[depth + 1]).all(axis=1)
        )
        lost = nodes.lost + max(-profit, 0)
        counts = nodes.counts.copy()
        weights = trial.claim.counted_weights
        for a in trial.elements[depth]:
            column = nodes.columns.index(a)
            n, needed, price = counts[:, column], int(left[a]), int(priced.prices[a])
            excess = int(priced.rest[a]) + needed * price - int(weights[a])
            lost += np.where(n >= needed, price, 0)
            lost += np.where(n == needed - 1, excess, 0)
            counts[:, column] = np.minimum(n + 1, needed)
        chosen = nodes.chosen.copy()
        chosen[:, depth // 8] |= np.uint8(128 >> depth % 8)
        return replace(
            nodes,
            depth=depth + 1,
            lost=lost,
            charged=nodes.charged + trial.charges[depth],
            used=nodes.used + trial.values[depth],
            counts=counts,
            chosen=chosen,
        )

    def with_decided_elements(self, trial: Trial) -> Nodes:
        """What is lost by elements that no later item covers; they are dropped."""
        ending = trial.ending[self.depth - 1]
        if not ending:
            return self
        lost = self.lost.copy()
        priced, left = trial.priced, trial.state.left
        for a in ending:
            n = self.counts[:, self.columns.index(a)].astype(np.int64)
            missed = int(priced.rest[a]) + n * int(priced.prices[a])
            lost += np.where(n < left[a], missed, 0)
        stay = [k for k, a in enumerate(self.columns) if a not in ending]
        columns = tuple(self.columns[k] for k in stay)
        return replace(self, lost=lost, counts=self.counts[:, stay], columns=columns)

    def within(self, trial: Trial) -> Nodes:
        """The nodes that may still reach the target, and keep all rows."""
        ahead = trial.charge_ahead[self.depth]
        unused = trial.priced.allowed - self.charged - ahead
        is_open = self.lost + np.maximum(unused, 0) <= trial.slack
        is_open &= (self.used <= trial.room[self.depth]).all(axis=1)
        return self.kept(is_open)

    def merged(self, trial: Trial) -> Nodes:
        """The nodes that no other one makes superfluous, by losses and limits."""
        is_small = self.size < _LEAST_TO_MERGE
        if is_small or not trial.can_merge or len(self.columns) > _KEY_BITS:
            return self
        bits = self.counts.astype(np.int64) << np.arange(len(self.columns))
        keys = bits.sum(axis=1)
        # What is charged is not lost in the end.
        lost = self.lost - self.charged
        lost -= lost.min()
        order = np.lexsort((lost, self.used[:, 0], keys))
        keys, lost = keys[order], lost[order]
        is_first = np.append(True, keys[1:] != keys[:-1])
        # Within a key, ascending by cost: only what loses less than all before stays.
        group = np.cumsum(is_first)
        span = int(lost.max()) + 1
        if int(group[-1]) * span >= 2**_KEY_BITS:
            return self
        lowest = np.minimum.accumulate(lost - group * span)
        is_kept = is_first.copy()
        is_kept[1:] |= (lost - group * span)[1:] < lowest[:-1]
        if not is_kept.all():
            trial.has_merged = True
        return self.kept(order[is_kept])


def try_all(state: State, order: Sequence[int]) -> None:
    """Try all selections, at first with merged states, which may not decide."""
    try:
        Trial(state, order).run()
    except NotMergedError:
        Trial(state, order, can_merge=False).run()
