"""A graph: grouped edges, sums over them, components, dominated items."""

from __future__ import annotations

import cython
import numpy as np
from cython.parallel import prange


def group(
    keys: cython.const[cython.int][::1],
    starts: cython.longlong[::1],
    order: cython.int[::1],
) -> None:
    """Sort positions by key; the sort is stable.

    Afterwards ``order[starts[k] : starts[k + 1]]`` are the positions with key k.
    `starts` must be zeros at first, one more than there are keys.
    """
    num_keys: cython.Py_ssize_t = starts.shape[0] - 1
    for position in range(keys.shape[0]):
        starts[keys[position] + 1] += 1
    for k in range(num_keys):
        starts[k + 1] += starts[k]
    # Placing advances each start to its group's end; the shift below undoes that.
    for position in range(keys.shape[0]):
        k = keys[position]
        order[starts[k]] = position
        starts[k] += 1
    for k in range(num_keys, 0, -1):
        starts[k] = starts[k - 1]
    if num_keys >= 0:
        starts[0] = 0


def first_repeat(
    starts: cython.const[cython.longlong][::1], members: cython.const[cython.int][::1]
) -> cython.longlong:
    """Position of the first member equal to the one before it in its group, or -1."""
    for k in range(starts.shape[0] - 1):
        for position in range(starts[k] + 1, starts[k + 1]):
            if members[position] == members[position - 1]:
                return position
    return -1


def count_covers(
    items: cython.const[cython.longlong][::1],
    item_start: cython.const[cython.longlong][::1],
    item_elements: cython.const[cython.int][::1],
    counts: cython.int[::1],
) -> None:
    """Count how many of the items cover each element."""
    for k in range(items.shape[0]):
        for e in range(item_start[items[k]], item_start[items[k] + 1]):
            counts[item_elements[e]] += 1


def drop_redundant(
    items: cython.const[cython.longlong][::1],
    item_start: cython.const[cython.longlong][::1],
    item_elements: cython.const[cython.int][::1],
    is_needed_at: cython.const[cython.int][::1],
    counts: cython.int[::1],
    is_kept: cython.char[::1],
) -> None:
    """Drop items, last first, that no element needs at its present count.

    Dropping one only makes others more needed, so one pass is enough.
    """
    for k in range(items.shape[0] - 1, -1, -1):
        i = items[k]
        is_kept[k] = 0
        for e in range(item_start[i], item_start[i + 1]):
            if counts[item_elements[e]] == is_needed_at[item_elements[e]]:
                is_kept[k] = 1
                break
        if not is_kept[k]:
            for e in range(item_start[i], item_start[i + 1]):
                counts[item_elements[e]] -= 1


def sum_over_elements(
    values: cython.const[cython.double][::1],
    item_start: cython.const[cython.longlong][::1],
    item_elements: cython.const[cython.int][::1],
    sums: cython.double[::1],
    num_threads: cython.int = 1,
) -> None:
    """Sum of the values of the elements of each item."""
    for i in prange(
        sums.shape[0], nogil=True, schedule="static", num_threads=num_threads
    ):
        total = 0.0
        for e in range(item_start[i], item_start[i + 1]):
            total = total + values[item_elements[e]]
        sums[i] = total


def switch(
    rows: cython.longlong[:, ::1], draws: cython.const[cython.ulonglong][:, ::1]
) -> None:
    """Switch random edges (i, a), (j, b) to (i, b), (j, a) where neither exists yet.

    ``rows[i]`` are the elements of item i; each row of `draws` is one attempt. Degrees
    do not change. The Markov chain is symmetric, so that its stationary distribution is
    uniform over the graphs of these degrees.
    """
    one: cython.Py_ssize_t
    other: cython.Py_ssize_t
    num_items: cython.ulonglong = rows.shape[0]
    degree: cython.ulonglong = rows.shape[1]
    for t in range(draws.shape[0]):
        one = draws[t, 0] % (num_items * degree)
        other = draws[t, 1] % (num_items * degree)
        i = one // rows.shape[1]
        j = other // rows.shape[1]
        a = rows[i, one % rows.shape[1]]
        b = rows[j, other % rows.shape[1]]
        is_free = True
        for k in range(rows.shape[1]):
            if rows[i, k] == b or rows[j, k] == a:
                is_free = False
                break
        if is_free:
            rows[i, one % rows.shape[1]] = b
            rows[j, other % rows.shape[1]] = a


def shuffle(order: cython.int[::1], draws: cython.const[cython.ulonglong][::1]) -> None:
    """Put numbers into random order, by Fisher and Yates; one draw per number."""
    j: cython.Py_ssize_t
    for k in range(order.shape[0] - 1, 0, -1):
        j = ((draws[k] >> 32) * cython.cast(cython.ulonglong, k + 1)) >> 32
        kept = order[k]
        order[k] = order[j]
        order[j] = kept


def find_components(
    item_start: cython.const[cython.longlong][::1],
    item_elements: cython.const[cython.int][::1],
    element_start: cython.const[cython.longlong][::1],
    element_items: cython.const[cython.int][::1],
    max_items: cython.Py_ssize_t,
    members: cython.longlong[::1],
    component_start: cython.longlong[::1],
) -> cython.Py_ssize_t:
    """List the items component by component; return the number of components.

    Component p is ``members[component_start[p] : component_start[p + 1]]``. Returns -1
    as soon as a component has more than `max_items` items.
    """
    k: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t = 0
    num_components: cython.Py_ssize_t = 0
    is_placed: cython.char[::1] = np.zeros(item_start.shape[0], dtype=np.int8)
    is_reached: cython.char[::1] = np.zeros(element_start.shape[0], dtype=np.int8)
    for first in range(item_start.shape[0] - 1):
        if is_placed[first]:
            continue
        component_start[num_components] = end
        members[end] = first
        is_placed[first] = 1
        end += 1
        while k < end:
            for e in range(item_start[members[k]], item_start[members[k] + 1]):
                a = item_elements[e]
                if is_reached[a]:
                    continue
                is_reached[a] = 1
                for f in range(element_start[a], element_start[a + 1]):
                    if not is_placed[element_items[f]]:
                        is_placed[element_items[f]] = 1
                        members[end] = element_items[f]
                        end += 1
            k += 1
            if end - component_start[num_components] > max_items:
                return -1
        num_components += 1
    component_start[num_components] = end
    return num_components


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_subset(
    j: cython.Py_ssize_t,
    i: cython.Py_ssize_t,
    item_start: cython.const[cython.longlong][::1],
    item_elements: cython.const[cython.int][::1],
    steps: cython.longlong[::1],
) -> cython.bint:
    """Whether item i covers all elements of item j; both lists are sorted."""
    e: cython.longlong = item_start[j]
    f: cython.longlong = item_start[i]
    end_of_j: cython.longlong = item_start[j + 1]
    end_of_i: cython.longlong = item_start[i + 1]
    is_subset: cython.bint = True
    while e < end_of_j:
        # The rest of i must be at least as long as the rest of j.
        if end_of_i - f < end_of_j - e or item_elements[f] > item_elements[e]:
            is_subset = False
            break
        if item_elements[f] == item_elements[e]:
            e += 1
        f += 1
    steps[0] += f - item_start[i]
    return is_subset


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _rarest_element(
    j: cython.Py_ssize_t,
    item_start: cython.const[cython.longlong][::1],
    item_elements: cython.const[cython.int][::1],
    element_start: cython.const[cython.longlong][::1],
) -> cython.Py_ssize_t:
    """The element of item j that the fewest items cover."""
    rarest: cython.Py_ssize_t = item_elements[item_start[j]]
    lowest: cython.longlong = element_start[rarest + 1] - element_start[rarest]
    for e in range(item_start[j] + 1, item_start[j + 1]):
        a = item_elements[e]
        degree = element_start[a + 1] - element_start[a]
        if degree < lowest:
            lowest = degree
            rarest = a
    return rarest


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _may_dominate(
    i: cython.Py_ssize_t,
    j: cython.Py_ssize_t,
    c: cython.const[cython.double][::1],
    item_start: cython.const[cython.longlong][::1],
) -> cython.bint:
    """Whether i costs no more than j and covers as many; of equals, the lower index."""
    excess: cython.longlong = (item_start[i + 1] - item_start[i]) - (
        item_start[j + 1] - item_start[j]
    )
    if excess < 0 or c[i] > c[j]:
        return False
    return excess > 0 or c[i] < c[j] or i < j


def find_dominated_items(
    c: cython.const[cython.double][::1],
    item_start: cython.const[cython.longlong][::1],
    item_elements: cython.const[cython.int][::1],
    element_start: cython.const[cython.longlong][::1],
    element_items: cython.const[cython.int][::1],
    max_steps: cython.longlong,
    dominator: cython.int[::1],
) -> cython.longlong:
    """Write into ``dominator[j]`` an item that covers all of j at no higher cost.

    A dominator of j covers the rarest element of j too, so that only the items of that
    element are compared. `dominator` must be 0, 1, 2, ... at first; a dominator may be
    dominated itself, never in a cycle. After `max_steps` the remaining items are
    skipped. Returns the number of items that were compared.
    """
    n: cython.Py_ssize_t = c.shape[0]
    # One bit for each of 61 groups of elements: they exclude most pairs at once.
    bits: cython.longlong[::1] = 2 ** np.arange(61, dtype=np.int64)
    groups: cython.longlong[::1] = np.zeros(n, dtype=np.int64)
    steps: cython.longlong[::1] = np.zeros(1, dtype=np.int64)
    for j in range(n):
        for e in range(item_start[j], item_start[j + 1]):
            groups[j] |= bits[item_elements[e] % 61]
    for j in range(n):
        if steps[0] >= max_steps:
            return j
        if item_start[j] == item_start[j + 1]:
            continue
        a = _rarest_element(j, item_start, item_elements, element_start)
        steps[0] += element_start[a + 1] - element_start[a]
        for e in range(element_start[a], element_start[a + 1]):
            i = element_items[e]
            # A dominator of i covers this element too, and is compared by itself.
            if i == j or dominator[i] != i or groups[j] & ~groups[i]:
                continue
            if _may_dominate(i, j, c, item_start) and _is_subset(
                j, i, item_start, item_elements, steps
            ):
                dominator[j] = i
                break
    return n


def group_elements(
    items: cython.const[cython.longlong][::1],
    item_start: cython.const[cython.longlong][::1],
    item_elements: cython.const[cython.int][::1],
    group: cython.int[::1],
) -> cython.Py_ssize_t:
    """Number the elements so that those with the same items get the same number.

    Only the given items count; an element of none of them gets -1. All elements start
    in one group, and every item splits each group into the elements that it covers and
    the others: exact, in one step per edge. Groups are numbered by their first element.
    Returns the number of groups.
    """
    num_elements: cython.Py_ssize_t = group.shape[0]
    num_groups: cython.int = 1
    num_spare: cython.Py_ssize_t = 0
    sizes: cython.int[::1] = np.zeros(num_elements + 2, dtype=np.int32)
    split_by: cython.longlong[::1] = np.full(num_elements + 2, -1, dtype=np.int64)
    split_into: cython.int[::1] = np.zeros(num_elements + 2, dtype=np.int32)
    spare: cython.int[::1] = np.zeros(num_elements + 2, dtype=np.int32)
    group[:] = 0
    # One more than there are, so that the group of uncovered elements never vanishes.
    sizes[0] = num_elements + 1
    for k in range(items.shape[0]):
        for e in range(item_start[items[k]], item_start[items[k] + 1]):
            a = item_elements[e]
            old = group[a]
            if split_by[old] != k:
                split_by[old] = k
                if num_spare > 0:
                    num_spare -= 1
                    split_into[old] = spare[num_spare]
                else:
                    split_into[old] = num_groups
                    num_groups += 1
            group[a] = split_into[old]
            sizes[split_into[old]] += 1
            sizes[old] -= 1
            # Its number can be reused at once: an item has no element twice.
            if sizes[old] == 0:
                spare[num_spare] = old
                num_spare += 1
    return _renumber(group, split_into)


@cython.cfunc
def _renumber(group: cython.int[::1], number: cython.int[::1]) -> cython.Py_ssize_t:
    """Number groups by their first element; group 0 becomes -1."""
    num_groups: cython.int = 0
    number[:] = -1
    for a in range(group.shape[0]):
        if group[a] > 0 and number[group[a]] < 0:
            number[group[a]] = num_groups
            num_groups += 1
        group[a] = number[group[a]]
    return num_groups
