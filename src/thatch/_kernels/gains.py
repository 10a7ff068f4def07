"""Weight covered, gained and lost by single items; adaptive greedy with a lazy heap."""

from __future__ import annotations

import cython

INFINITY = cython.declare(cython.double, float("inf"))


def count_covers(
    items: cython.const[cython.longlong][::1],
    item_start: cython.const[cython.longlong][::1],
    item_elements: cython.const[cython.int][::1],
    counts: cython.int[::1],
) -> None:
    """Add 1 to the count of every element, once for each item that covers it."""
    k: cython.Py_ssize_t
    e: cython.Py_ssize_t
    for k in range(items.shape[0]):
        for e in range(item_start[items[k]], item_start[items[k] + 1]):
            counts[item_elements[e]] += 1


def sum_over_elements(
    values: cython.const[cython.double][::1],
    item_start: cython.const[cython.longlong][::1],
    item_elements: cython.const[cython.int][::1],
    sums: cython.double[::1],
) -> None:
    """Sum of the values of the elements of each item."""
    i: cython.Py_ssize_t
    e: cython.Py_ssize_t
    total: cython.double
    for i in range(sums.shape[0]):
        total = 0.0
        for e in range(item_start[i], item_start[i + 1]):
            total += values[item_elements[e]]
        sums[i] = total


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _gain(
    i: cython.Py_ssize_t,
    w: cython.const[cython.double][::1],
    item_start: cython.const[cython.longlong][::1],
    item_elements: cython.const[cython.int][::1],
    counts: cython.const[cython.int][::1],
) -> cython.double:
    e: cython.Py_ssize_t
    gain: cython.double = 0.0
    for e in range(item_start[i], item_start[i + 1]):
        if counts[item_elements[e]] == 0:
            gain += w[item_elements[e]]
    return gain


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _sum_error(
    x: cython.double, y: cython.double, total: cython.double
) -> cython.double:
    """What rounding took from ``total = x + y``."""
    y_kept: cython.double = total - x
    return (x - (total - y_kept)) + (y - y_kept)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _ratio(gain: cython.double, divisor: cython.double) -> cython.double:
    # Free items come first if they gain anything, last if they do not.
    if gain <= 0.0:
        return 0.0
    if divisor == 0.0:
        return INFINITY
    return gain / divisor


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
    """Move an entry down a heap ordered by ratio, then by the lower item number."""
    child: cython.Py_ssize_t
    i: cython.int = heap[position]
    j: cython.int
    k: cython.int
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


def fill_greedily(
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
    heap: cython.int[::1],
    ratio: cython.double[::1],
    stale: cython.char[::1],
) -> None:
    """Add, again and again, the item of largest gain per divisor that fits.

    Algorithm 1 of the paper: ``k = argmax gain_i / c_i``, added if its cost fits,
    deleted in any case. Divisors are the costs there, and ones for plain greedy.
    Items marked in `chosen` are in already, with their covers in `counts`. Items that
    gain nothing are left out. Equal ratios go to the lower number.

    Gains only fall, so an old ratio is an upper bound: the top of the heap is final
    once it is fresh. A ratio is stale after an element of its item got covered.

    `heap`, `ratio` and `stale` are room to work in, one entry an item.
    """
    i: cython.Py_ssize_t
    e: cython.Py_ssize_t
    f: cython.Py_ssize_t
    a: cython.Py_ssize_t
    size: cython.Py_ssize_t = 0
    # The cost spent is a sum of two doubles: rounded once, as Selection.cost is.
    spent: cython.double = 0.0
    spent_rest: cython.double = 0.0
    total: cython.double
    rest: cython.double
    with cython.nogil:
        for i in range(c.shape[0]):
            if chosen[i]:
                total = spent + c[i]
                spent_rest += _sum_error(spent, c[i], total)
                spent = total
            else:
                ratio[i] = _ratio(
                    _gain(i, w, item_start, item_elements, counts), divisors[i]
                )
                stale[i] = 0
                if ratio[i] > 0.0 and c[i] <= budget:
                    heap[size] = i
                    size += 1
        for e in range(size // 2 - 1, -1, -1):
            _sink(heap, size, e, ratio)
        while size > 0:
            i = heap[0]
            if stale[i]:
                ratio[i] = _ratio(
                    _gain(i, w, item_start, item_elements, counts), divisors[i]
                )
                stale[i] = 0
                if ratio[i] > 0.0:
                    _sink(heap, size, 0, ratio)
                    continue
            size -= 1
            heap[0] = heap[size]
            _sink(heap, size, 0, ratio)
            if ratio[i] <= 0.0:
                continue
            total = spent + c[i]
            rest = spent_rest + _sum_error(spent, c[i], total)
            if total + rest > budget:
                continue
            spent = total
            spent_rest = rest
            chosen[i] = 1
            for e in range(item_start[i], item_start[i + 1]):
                a = item_elements[e]
                counts[a] += 1
                if counts[a] == 1:
                    for f in range(element_start[a], element_start[a + 1]):
                        stale[element_items[f]] = 1


def fill_in_order(
    order: cython.const[cython.longlong][::1],
    c: cython.const[cython.double][::1],
    budget: cython.double,
    chosen: cython.char[::1],
) -> None:
    """Add every item that still fits, in the order given."""
    k: cython.Py_ssize_t
    i: cython.Py_ssize_t
    spent: cython.double = 0.0
    spent_rest: cython.double = 0.0
    total: cython.double
    rest: cython.double
    for k in range(order.shape[0]):
        i = order[k]
        total = spent + c[i]
        rest = spent_rest + _sum_error(spent, c[i], total)
        if total + rest <= budget:
            spent = total
            spent_rest = rest
            chosen[i] = 1


def best_of_all(
    order: cython.const[cython.longlong][::1],
    c: cython.const[cython.double][::1],
    budget: cython.double,
    w: cython.const[cython.double][::1],
    item_start: cython.const[cython.longlong][::1],
    item_elements: cython.const[cython.int][::1],
    reach: cython.const[cython.double][::1],
    counts: cython.int[::1],
    sums: cython.double[:, ::1],
    taken: cython.char[::1],
    best: cython.char[::1],
) -> None:
    """Mark in `best` the selection of largest value, by trying every one.

    Depth d decides item ``order[d]``: first in, then out. ``reach[d]`` is the weight
    that items from depth d on cover together; a branch that cannot pass the best with
    it is cut. Row d of `sums` holds value and cost before depth d, each as two doubles.
    `counts`, `sums` and `taken` come in as zeros, the last two one longer than `order`.
    """
    d: cython.Py_ssize_t = 0
    e: cython.Py_ssize_t
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    n: cython.Py_ssize_t = order.shape[0]
    largest: cython.double = -1.0
    largest_rest: cython.double = 0.0
    total: cython.double
    rest: cython.double
    untried: cython.char = 0
    inside: cython.char = 1
    refused: cython.char = 2
    outside: cython.char = 3
    with cython.nogil:
        while d >= 0:
            if d == n:
                if sums[d, 0] - largest + (sums[d, 1] - largest_rest) > 0.0:
                    largest = sums[d, 0]
                    largest_rest = sums[d, 1]
                    for k in range(n):
                        best[order[k]] = taken[k] == inside
                d -= 1
                continue
            i = order[d]
            if taken[d] == untried:
                # The slack keeps rounding in `reach` from cutting the optimum.
                if (sums[d, 0] + reach[d]) * (1.0 + 1e-12) < largest:
                    d -= 1
                    continue
                total = sums[d, 2] + c[i]
                rest = sums[d, 3] + _sum_error(sums[d, 2], c[i], total)
                taken[d] = refused if total + rest > budget else inside
                if taken[d] == inside:
                    sums[d + 1, 0] = sums[d, 0]
                    sums[d + 1, 1] = sums[d, 1]
                    sums[d + 1, 2] = total
                    sums[d + 1, 3] = rest
                    for e in range(item_start[i], item_start[i + 1]):
                        if counts[item_elements[e]] == 0:
                            total = sums[d + 1, 0] + w[item_elements[e]]
                            sums[d + 1, 1] += _sum_error(
                                sums[d + 1, 0], w[item_elements[e]], total
                            )
                            sums[d + 1, 0] = total
                        counts[item_elements[e]] += 1
                    d += 1
                    taken[d] = untried
            elif taken[d] == outside:
                d -= 1
            else:
                if taken[d] == inside:
                    for e in range(item_start[i], item_start[i + 1]):
                        counts[item_elements[e]] -= 1
                taken[d] = outside
                for k in range(4):
                    sums[d + 1, k] = sums[d, k]
                d += 1
                taken[d] = untried
