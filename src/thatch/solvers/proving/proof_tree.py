"""Branch and bound whose nodes are closed in integer arithmetic.

Each node has some items decided. A linear program suggests prices; what they say is
computed in integers, as a verification does. Prices close the node, or decide items.
What is left is branched on, or tried if only a few items are open. A better selection
only makes it easier to close nodes, so that steps taken before stay right.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import inf, ldexp

import numpy as np

from thatch.arrays import Ints
from thatch.problem.selection import Selection
from thatch.run.certificates import Branch, Prices, Split, Step, TryAll
from thatch.solvers.proving.branching import cluster_to_split, item_to_branch_on
from thatch.solvers.proving.claims import Case, Claim
from thatch.solvers.proving.coverage_cuts import relaxation_of
from thatch.solvers.proving.item_model import Basis, ItemModel, Relaxed
from thatch.solvers.proving.nodes import Node, RootStep, after_all, after_step, state_of
from thatch.solvers.proving.open_items import OpenItems, Point
from thatch.solvers.proving.rounding import rounded
from thatch.solvers.proving.trials import selections_to_compare

# Up to these numbers of open items all selections are tried: at once at the root, and
# where prices did not close a node. A trial takes longer to verify than prices do.
_MAX_TO_TRY_FIRST, _MAX_TO_TRY = 12, 8
# Rounds of cuts for elements with demands, at the root; a verification accepts prices
# of edges up to the second.
_MAX_CUT_ROUNDS, _MAX_DEMAND_TO_CUT = 20, 16
# HiGHS takes this long to start, on a slow core, per item, element and edge.
_SECONDS_PER_NUMBER = 1.5e-6
# A certificate has at most this many prices: they take 2 GB.
_MOST_NUMBERS = 250_000_000
# Shares are rounded item by item at the first nodes, and then now and again.
_ALWAYS_ROUNDED, _NODES_PER_ROUNDING = 20, 10


class ProofTree:
    """A search for selections against a claim, and a proof that there are none."""

    def __init__(
        self,
        claim: Claim,
        *,
        should_stop: Callable[[], bool],
        improved: Callable[[Selection], Claim | None],
        seconds_left: Callable[[], float] = lambda: inf,
        polished: Callable[[Selection], Selection] = lambda found: found,
    ) -> None:
        """Start with all that is open.

        Parameters
        ----------
        claim
            What is to be proved.
        should_stop
            Whether the search must stop now.
        improved
            Called with a selection that shows that the claim is false; returns the
            claim to go on with, or None to stop.
        seconds_left
            How long the search may go on: HiGHS cannot stop at once.
        polished
            Returns a better selection near a rounded one, or the same.
        """
        self.claim = claim
        self._should_stop = should_stop
        self._seconds_left = seconds_left
        self._improved = improved
        self._polished = polished
        #: The steps of the certificate: what has been proved so far.
        self.steps: list[Step] = []
        self.num_nodes = 0
        # How many numbers the prices of the certificate have.
        self._numbers = 0
        self._last_point: Point | None = None
        self._number = 0
        self._is_ended = False
        self._root = OpenItems.of(claim)
        self._relaxation: ItemModel | None = None
        self._cuts_left = 0
        highest = int(claim.demands.max(initial=1))
        self._has_demands = 1 < highest <= _MAX_DEMAND_TO_CUT
        # What is done at the root: it decides more items once the claim is better.
        self._root_steps: list[RootStep] = []
        # What the first steps leave open whatever a cover may cost, and their number.
        self._first = self._root, 0
        self._has_root_point = False
        none = np.zeros(0, dtype=np.int64)
        first = Node(-self._root.most, 0, none, none, self.steps, None)
        self._waiting = [first]
        self._followed_now: Node | None = None

    @property
    def is_proved(self) -> bool:
        """Whether no node is left."""
        return self.bound < self.claim.target and not self._is_ended

    @property
    def bound(self) -> int:
        """What no selection exceeds, in units, if some nodes are left."""
        keys = [self.claim.target - 1]
        keys += [-node.key for node in (*self._waiting[:1], self._followed_now) if node]
        return max(keys)

    @property
    def root(self) -> OpenItems:
        """What is open at the root."""
        if self._root.claim is not self.claim:
            self._root = self._rooted(self.claim)
        return self._root

    def begin(self, steps: Sequence[RootStep]) -> None:
        """Take steps at the root, before the tree grows."""
        (root,) = self._waiting
        for step in steps:
            self._root, point = after_step(self._root, step)
            self.steps.append(step)
            self._root_steps.append(step)
            if point is not None:
                self._set_bound(root, self._root, point)

    def begin_at_once(self, steps: Sequence[RootStep]) -> bool:
        """Take the first steps of all in one go, if that is possible."""
        found = None if self._root_steps else after_all(self._root, steps)
        if found is None:
            return False
        self._root = found
        self.steps += steps
        self._root_steps += steps
        self._first = found, len(steps)
        return True

    def close(self, step: Step) -> None:
        """End with a step that leaves nothing open at the root."""
        self.steps.append(step)
        self._waiting.clear()

    def _rooted(self, claim: Claim) -> OpenItems:
        """What the steps at the root leave open of a claim."""
        first, count = self._first
        none = np.zeros(0, dtype=np.int64)
        root = replace(first, claim=claim).after(none, none)
        for step in self._root_steps[count:]:
            root, _ = after_step(root, step)
        return root

    def excesses(self, claim: Claim) -> Iterator[tuple[float, float]]:
        """How far bounds of nodes that are left reach above the target, in units.

        And by how much they fall with the budget, per unit of cost. The claim may be
        another one, of a lower cost: nodes that it closes are left out.
        """
        root = self._rooted(claim)
        if root.is_beaten:
            return
        for node in self._waiting:
            state = state_of(node, root)
            if state.is_beaten:
                continue
            point = None if node.point is None else node.point.at(state.claim)
            if point is None:
                yield inf, 0.0
                continue
            excess = state.evaluated(point).bound - claim.target
            if excess >= 0:
                price = float(point.prices.rows[0])
                yield float(excess), ldexp(price, claim.unit)

    def finish(self) -> None:
        """Add to the steps what bounds the nodes that are left."""
        for node in self._waiting:
            if node.point is not None:
                node.steps.append(node.point.prices)

    def grow(self, *, max_nodes: float = inf, smallest_gap: float = 0.0) -> None:
        """Close nodes until none is left, the run must stop, or there are too many.

        It also ends once the gap is a certain share of the bound.
        """
        while not (self.is_proved or self._is_ended):
            if self.num_nodes >= max_nodes or self._should_stop():
                return
            if self._numbers > _MOST_NUMBERS:
                return
            if self.bound - self.claim.target < smallest_gap * self.bound:
                return
            self._followed_now = heapq.heappop(self._waiting)
            while self._followed_now is not None:
                self._followed_now = self._followed(self._followed_now)

    def _followed(self, node: Node) -> Node | None:
        """Close a node, or branch; return the child to go on with."""
        self.num_nodes += 1
        state = self._state(node)
        if state.is_beaten:
            return None
        if node.point is not None:
            node.point = node.point.at(state.claim)
        if node.point is not None:
            state = self._at(state, node.point, node.steps)
            if self._is_closed_at(state, node.point):
                return None
        if state.items.size <= _MAX_TO_TRY_FIRST and (
            node.point is None or state.items.size <= _MAX_TO_TRY
        ):
            self._try_all(state, node)
            return None
        if not self._has_time_to_relax():
            self._is_ended = True
            self._put_back(node, state, node.point)
            return None
        relaxed = self._relaxed(state, node.basis)
        point = self._point(relaxed, state.claim)
        if not (self._has_root_point or relaxed.is_infeasible or point is None):
            self._has_root_point = True
            self._root_steps.append(point.prices)
        if point is not None:
            state = self._at(state, point, node.steps)
            if self._is_closed_at(state, point):
                return None
        if not relaxed.is_infeasible:
            self._round(state, relaxed)
            if self._is_ended:
                self._put_back(node, state, point)
                return None
        if self._should_stop():
            self._put_back(node, state, point)
            return None
        if state.items.size <= _MAX_TO_TRY:
            self._try_all(state, node)
            return None
        return self._branched(node, state, relaxed, point)

    def _state(self, node: Node) -> OpenItems:
        return self.root if self.root.is_beaten else state_of(node, self.root)

    def _at(self, state: OpenItems, point: Point, steps: list[Step]) -> OpenItems:
        """What is open after what a point decides; the point is a step of the proof."""
        steps.append(point.prices)
        if point is not self._last_point:
            self._last_point = point
            self._numbers += point.prices.elements.size + point.prices.rows.size
        return state.fixed_by(point)

    def _is_closed_at(self, state: OpenItems, point: Point) -> bool:
        if state.is_beaten:
            return True
        return not point.is_of_rows and (
            state.evaluated(point).bound < self.claim.target
        )

    def _has_time_to_relax(self) -> bool:
        """Whether there is time for the first steps of a model."""
        if self._relaxation is not None:
            return True
        size = self._root.items.size + self._root.left.size + self._root.elements.size
        return _SECONDS_PER_NUMBER * size < self._seconds_left()

    def _relaxed(self, state: OpenItems, basis: Basis | None) -> Relaxed:
        if self._relaxation is None or self._relaxation.is_too_large(self._root):
            self._relaxation = relaxation_of(self._root)
            self._cuts_left = _MAX_CUT_ROUNDS
        relaxed = self._relaxation.solve(
            state, should_stop=self._should_stop, basis=basis
        )
        while self._cuts_left and not (relaxed.is_infeasible or self._should_stop()):
            self._cuts_left -= 1
            if not self._has_demands or not self._relaxation.cut(relaxed):
                self._cuts_left = 0
                break
            self._round(state, relaxed)
            relaxed = self._relaxation.solve(state, should_stop=self._should_stop)
        return relaxed

    def _point(self, relaxed: Relaxed, claim: Claim) -> Point | None:
        if relaxed.elements.size == 0:
            return Point.of_rows(claim, relaxed.rows)
        return Point.of(claim, relaxed.elements, relaxed.rows, relaxed.edges)

    def _round(self, state: OpenItems, relaxed: Relaxed) -> None:
        """Offer selections that are near to the relaxation."""
        items = np.flatnonzero(state.is_taken | (relaxed.shares > 0.5))
        has_found = self.offer(Selection(self.claim.problem, items))
        number = self.num_nodes
        is_due = number <= _ALWAYS_ROUNDED or number % _NODES_PER_ROUNDING == 0
        if is_due and not has_found and self.claim.most_covered is not None:
            self.offer(self._polished(rounded(state, relaxed.shares)))

    def offer(self, selection: Selection) -> bool:
        """Go on with a better claim if a selection shows that this one is false."""
        if not self.claim.is_contradicted_by(selection):
            return False
        claim = self._improved(selection)
        if claim is None:
            self._is_ended = True
            return True
        self.claim = claim
        return True

    def _try_all(self, state: OpenItems, node: Node) -> None:
        for selection in selections_to_compare(state):
            if self.offer(selection) and self._is_ended:
                self._put_back(node, state, node.point)
                return
        prices = Prices(np.zeros(self.claim.weights.size), np.zeros(0))
        point = node.point
        if point is not None and not point.is_of_rows:
            prices = point.prices
        node.steps.append(TryAll(state.items, prices))

    def _put_back(self, node: Node, state: OpenItems, point: Point | None) -> None:
        """Keep a node for later, with the best bound that is known."""
        self._set_bound(node, state, point)
        heapq.heappush(self._waiting, node)

    def _set_bound(self, node: Node, state: OpenItems, point: Point | None) -> None:
        """Keep the better one of two points of a node, and the bound that it shows."""
        points = [each for each in (node.point, point) if each is not None]
        bounds = [
            (state.evaluated(each).bound, each)
            for each in points
            if not each.is_of_rows
        ]
        node.point_bound, node.point = min(
            bounds, key=lambda found: found[0], default=(0, None)
        )
        node.key = -state.most
        if node.point is not None:
            node.key = max(node.key, -node.point_bound)

    def _branched(
        self,
        node: Node,
        state: OpenItems,
        relaxed: Relaxed,
        point: Point | None,
    ) -> Node | None:
        """Two nodes, of which one waits, or both do."""
        assert self._relaxation is not None
        split = cluster_to_split(state, relaxed, self._relaxation)
        self._set_bound(node, state, point)
        root_taken, root_out = self._root.is_taken, self._root.left_out
        taken = np.flatnonzero(state.is_taken & ~root_taken)
        out = np.setdiff1d(state.left_out, root_out)
        if split is not None:
            basis = self._relaxation.basis()
            parent = replace(node, taken=taken, left_out=out, basis=basis)
            self._push_cases(parent, *split)
            return None
        item = item_to_branch_on(state, relaxed)
        children = []
        for chosen, left_out in (
            (taken, np.append(out, item)),
            (np.append(taken, item), out),
        ):
            self._number += 1
            child = replace(
                node,
                number=-self._number,
                taken=chosen,
                left_out=left_out,
                basis=None,
                steps=[],
            )
            children.append(child)
        without, with_item = children
        node.steps.append(Branch(item, without.steps, with_item.steps))
        next_, other = with_item, without
        if relaxed.shares[item] < 0.5:
            next_, other = without, with_item
        heapq.heappush(self._waiting, other)
        return next_

    def _push_cases(self, node: Node, items: Ints, most: int) -> None:
        """Let both cases of a split wait: the worse one comes first."""
        children = []
        for is_more in (False, True):
            self._number += 1
            cases = (*node.cases, Case(items, most, is_more))
            child = replace(node, number=-self._number, cases=cases, steps=[])
            heapq.heappush(self._waiting, child)
            children.append(child)
        at_most, more = children
        node.steps.append(Split(items, most, at_most.steps, more.steps))
