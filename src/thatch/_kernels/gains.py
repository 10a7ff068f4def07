"""Gains of single items: lazy greedy completion, and exhaustive search."""

from __future__ import annotations

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.thatch._kernels.selections import SelectionSearch
else:
    from thatch._kernels.selections import SelectionSearch

INFINITY = cython.declare(cython.double, float("inf"))

# State of an item: not tried yet, inside the selection, refused, outside.
UNTRIED = cython.declare(cython.char, 0)
INSIDE = cython.declare(cython.char, 1)
REFUSED = cython.declare(cython.char, 2)
OUTSIDE = cython.declare(cython.char, 3)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _sum_error(
    x: cython.double, y: cython.double, total: cython.double
) -> cython.double:
    """The rounding error of ``total = x + y``."""
    y_kept: cython.double = total - x
    return (x - (total - y_kept)) + (y - y_kept)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _add(
    sums: cython.double[:, ::1],
    row: cython.Py_ssize_t,
    column: cython.Py_ssize_t,
    x: cython.double,
) -> cython.void:
    """Add x to a number stored as the sum of three adjacent entries."""
    high: cython.double = sums[row, column] + x
    error: cython.double = _sum_error(sums[row, column], x, high)
    middle: cython.double = sums[row, column + 1] + error
    sums[row, column + 2] += _sum_error(sums[row, column + 1], error, middle)
    sums[row, column + 1] = middle
    sums[row, column] = high


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _copy(
    sums: cython.double[:, ::1], row: cython.Py_ssize_t, other: cython.Py_ssize_t
) -> cython.void:
    for k in range(sums.shape[1]):
        sums[other, k] = sums[row, k]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _rounded(
    sums: cython.const[cython.double][:, ::1],
    row: cython.Py_ssize_t,
    column: cython.Py_ssize_t,
) -> cython.double:
    """The sum of the three entries, rounded once, like ``math.fsum``."""
    total: cython.double = sums[row, column] + sums[row, column + 1]
    error: cython.double = _sum_error(sums[row, column], sums[row, column + 1], total)
    rest: cython.double = sums[row, column + 2]
    other: cython.double = total + 2.0 * error
    # Halfway between two doubles, the smallest entry decides.
    if error * rest > 0.0 and other - total == 2.0 * error:
        return other
    return total


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _ratio(
    i: cython.Py_ssize_t,
    divisor: cython.double,
    w: cython.const[cython.double][::1],
    item_start: cython.const[cython.longlong][::1],
    item_elements: cython.const[cython.int][::1],
    counts: cython.const[cython.int][::1],
) -> cython.double:
    """Uncovered weight of item i per divisor."""
    gain: cython.double = 0.0
    for e in range(item_start[i], item_start[i + 1]):
        if counts[item_elements[e]] == 0:
            gain += w[item_elements[e]]
    # Free items come first if they gain anything, last if they do not.
    if gain == 0.0:
        return 0.0
    if divisor == 0.0:
        return INFINITY
    # A ratio too small for a double still counts as a gain.
    return max(gain / divisor, 5e-324)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _sink(
    heap: cython.int[::1],
    size: cython.Py_ssize_t,
    position: cython.Py_ssize_t,
    ratio: cython.const[cython.double][::1],
) -> cython.void:
    """Sift an entry down a heap ordered by ratio, then by the lower index."""
    i: cython.int = heap[position]
    while True:
        child = 2 * position + 1
        if child >= size:
            break
        j = heap[child]
        if child + 1 < size:
            k = heap[child + 1]
            if ratio[k] > ratio[j] or (ratio[k] == ratio[j] and k < j):
                child += 1
                j = k
        if ratio[j] < ratio[i] or (ratio[j] == ratio[i] and j > i):
            break
        heap[position] = j
        position = child
    heap[position] = i


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _take(
    i: cython.Py_ssize_t,
    cost: cython.double,
    budget: cython.double,
    spent: cython.double[:, ::1],
    chosen: cython.char[::1],
    group: cython.const[cython.int][::1],
    room: cython.int[::1],
) -> cython.bint:
    """Choose item i if its cost fits; row 1 is scratch space."""
    _copy(spent, 0, 1)
    _add(spent, 1, 0, cost)
    if _rounded(spent, 1, 0) > budget:
        return False
    _copy(spent, 1, 0)
    chosen[i] = 1
    if group.shape[0]:
        room[group[i]] -= 1
    return True


def complete_greedily(
    c: cython.const[cython.double][::1],
    divisors: cython.const[cython.double][::1],
    budget: cython.double,
    w: cython.const[cython.double][::1],
    item_start: cython.const[cython.longlong][::1],
    item_elements: cython.const[cython.int][::1],
    element_start: cython.const[cython.longlong][::1],
    element_items: cython.const[cython.int][::1],
    counts: cython.int[::1],
    chosen: cython.char[::1],
    group: cython.const[cython.int][::1],
    room: cython.int[::1],
) -> None:
    """Repeatedly add the item of largest gain per divisor that fits.

    Algorithm 1 of the paper: ``k = argmax gain_i / c_i``, added if its cost fits,
    deleted in any case. Divisors are the costs there, and ones for plain greedy. Items
    marked in `chosen` are inside already, with their covers in `counts`; items that
    gain nothing stay outside; of equal ratios the lower index is taken. Gains only
    fall, so an old ratio is an upper bound: the top of the heap is final unless stale.
    If items have groups, `room` is how many more of each fit.
    """
    size: cython.Py_ssize_t = 0
    heap: cython.int[::1] = np.empty(c.shape[0] + 1, dtype=np.int32)
    ratio: cython.double[::1] = np.zeros(c.shape[0])
    stale: cython.char[::1] = np.zeros(c.shape[0], dtype=np.int8)
    # Rows: the cost so far, and the cost with one more item.
    spent: cython.double[:, ::1] = np.zeros((2, 3))
    with cython.nogil:
        for i in range(c.shape[0]):
            if chosen[i]:
                _add(spent, 0, 0, c[i])
            elif c[i] <= budget:
                ratio[i] = _ratio(i, divisors[i], w, item_start, item_elements, counts)
                if ratio[i] > 0.0:
                    heap[size] = i
                    size += 1
        for i in range(size // 2 - 1, -1, -1):
            _sink(heap, size, i, ratio)
        while size > 0:
            i = heap[0]
            if stale[i]:
                stale[i] = 0
                ratio[i] = _ratio(i, divisors[i], w, item_start, item_elements, counts)
                if ratio[i] > 0.0:
                    _sink(heap, size, 0, ratio)
                    continue
            size -= 1
            heap[0] = heap[size]
            _sink(heap, size, 0, ratio)
            if ratio[i] == 0.0 or (group.shape[0] and room[group[i]] <= 0):
                continue
            if _take(i, c[i], budget, spent, chosen, group, room):
                for e in range(item_start[i], item_start[i + 1]):
                    a = item_elements[e]
                    counts[a] += 1
                    if counts[a] == 1:
                        for f in range(element_start[a], element_start[a + 1]):
                            stale[element_items[f]] = 1


def add_in_order(
    order: cython.const[cython.longlong][::1],
    c: cython.const[cython.double][::1],
    budget: cython.double,
    chosen: cython.char[::1],
    group: cython.const[cython.int][::1],
    room: cython.int[::1],
) -> None:
    """Add every item that still fits, in the given order."""
    spent: cython.double[:, ::1] = np.zeros((2, 3))
    for k in range(order.shape[0]):
        i = order[k]
        if group.shape[0] and room[group[i]] <= 0:
            continue
        _take(i, c[i], budget, spent, chosen, group, room)


@cython.final
@cython.cclass
class Enumeration(SelectionSearch):
    """Every selection, tried in turn; it can be paused.

    Depth d decides item ``order[d]``: first inside, then outside. A branch is pruned if
    it cannot exceed the best with ``reach[d]``, the weight that items from depth d on
    cover.
    """

    order: cython.const[cython.longlong][::1]
    reach: cython.const[cython.double][::1]
    taken: cython.char[::1]
    # Row d is the value and the cost before depth d, three doubles each; the last row,
    # the best value.
    sums: cython.double[:, ::1]
    budget: cython.double
    # Depth to continue at; -1 at the end.
    depth: cython.Py_ssize_t

    def __init__(
        self,
        *searched: object,
        budget: cython.double,
        order: cython.const[cython.longlong][::1],
        reach: cython.const[cython.double][::1],
    ) -> None:
        """Start from nothing; see `SelectionSearch`."""
        SelectionSearch.__init__(self, *searched)
        self.budget, self.order, self.reach = budget, order, reach
        num_items = self.c.shape[0]
        self.taken = np.zeros(num_items + 1, dtype=np.int8)
        self.sums = np.zeros((num_items + 2, 6))
        self.sums[num_items + 1, 0] = -1.0
        self.depth = 0

    def search(self, max_steps: cython.longlong) -> bool:
        """Search on for some steps; return whether every selection was tried."""
        d: cython.Py_ssize_t = self.depth
        n: cython.Py_ssize_t = self.order.shape[0]
        with cython.nogil:
            while d >= 0 and max_steps > 0:
                max_steps -= 1
                if d == n:
                    self._keep_if_better()
                    d -= 1
                elif self.taken[d] == UNTRIED:
                    # The factor allows for the rounding error of `reach`.
                    if (self.sums[d, 0] + self.reach[d]) * (1.0 + 1e-12) < (
                        self.sums[n + 1, 0]
                    ):
                        d -= 1
                        continue
                    self.taken[d] = REFUSED
                    if self._enters(d):
                        self.taken[d] = INSIDE
                        d += 1
                        self.taken[d] = UNTRIED
                elif self.taken[d] == OUTSIDE:
                    d -= 1
                else:
                    if self.taken[d] == INSIDE:
                        self._leave(self.order[d])
                    self.taken[d] = OUTSIDE
                    _copy(self.sums, d, d + 1)
                    d += 1
                    self.taken[d] = UNTRIED
        self.depth = d
        return d < 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _keep_if_better(self) -> cython.void:
        """Mark the present selection as the best one if its value is larger."""
        n: cython.Py_ssize_t = self.order.shape[0]
        if (self.sums[n, 0] - self.sums[n + 1, 0]) + (
            (self.sums[n, 1] - self.sums[n + 1, 1])
            + (self.sums[n, 2] - self.sums[n + 1, 2])
        ) > 0.0:
            _copy(self.sums, n, n + 1)
            for k in range(n):
                self.best[self.order[k]] = self.taken[k] == INSIDE

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _enters(self, d: cython.Py_ssize_t) -> cython.bint:
        """Put the item at depth d inside if it fits; return whether it does."""
        i: cython.Py_ssize_t = self.order[d]
        _copy(self.sums, d, d + 1)
        _add(self.sums, d + 1, 3, self.c[i])
        if self.group.shape[0] and self.room[self.group[i]] <= 0:
            return False
        if _rounded(self.sums, d + 1, 3) > self.budget:
            return False
        for e in range(self.item_start[i], self.item_start[i + 1]):
            a = self.item_elements[e]
            if self.counts[a] == 0:
                _add(self.sums, d + 1, 0, self.w[a])
            self.counts[a] += 1
        if self.group.shape[0]:
            self.room[self.group[i]] -= 1
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _leave(self, i: cython.Py_ssize_t) -> cython.void:
        """Take item i out again."""
        for e in range(self.item_start[i], self.item_start[i + 1]):
            self.counts[self.item_elements[e]] -= 1
        if self.group.shape[0]:
            self.room[self.group[i]] += 1
