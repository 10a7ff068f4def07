"""Connected components of a graph, and the selections within each."""

from __future__ import annotations

import cython
import numpy as np

# State of an item in `try_all`: not tried yet, inside the selection, outside.
UNTRIED = cython.declare(cython.char, 0)
INSIDE = cython.declare(cython.char, 1)
OUTSIDE = cython.declare(cython.char, 2)


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
    first: cython.Py_ssize_t
    k: cython.Py_ssize_t = 0
    e: cython.Py_ssize_t
    f: cython.Py_ssize_t
    a: cython.Py_ssize_t
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
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _enter(
    i: cython.Py_ssize_t,
    w: cython.const[cython.double][::1],
    item_start: cython.const[cython.longlong][::1],
    item_elements: cython.const[cython.int][::1],
    counts: cython.int[::1],
) -> cython.double:
    """Count the covers of item i; return the newly covered weight."""
    e: cython.Py_ssize_t
    gain: cython.double = 0.0
    for e in range(item_start[i], item_start[i + 1]):
        if counts[item_elements[e]] == 0:
            gain += w[item_elements[e]]
        counts[item_elements[e]] += 1
    return gain


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _leave(
    i: cython.Py_ssize_t,
    item_start: cython.const[cython.longlong][::1],
    item_elements: cython.const[cython.int][::1],
    counts: cython.int[::1],
) -> cython.void:
    e: cython.Py_ssize_t
    for e in range(item_start[i], item_start[i + 1]):
        counts[item_elements[e]] -= 1


def try_all(
    members: cython.const[cython.longlong][::1],
    component_start: cython.const[cython.longlong][::1],
    c: cython.const[cython.double][::1],
    budget: cython.double,
    w: cython.const[cython.double][::1],
    item_start: cython.const[cython.longlong][::1],
    item_elements: cython.const[cython.int][::1],
    costs: cython.double[::1],
    values: cython.double[::1],
    choices: cython.int[::1],
    point_start: cython.longlong[::1],
) -> None:
    """Cost and value of every useful selection within each component.

    Bit k of a choice is the k-th member of the component. Selections that exceed the
    budget are skipped, as are those in which an item adds nothing to the ones before.
    """
    p: cython.Py_ssize_t
    d: cython.Py_ssize_t
    i: cython.Py_ssize_t
    end: cython.Py_ssize_t = 0
    gain: cython.double
    counts: cython.int[::1] = np.zeros(w.shape[0], dtype=np.int32)
    cost: cython.double[::1] = np.zeros(32)
    value: cython.double[::1] = np.zeros(32)
    choice: cython.int[::1] = np.zeros(32, dtype=np.int32)
    state: cython.char[::1] = np.zeros(32, dtype=np.int8)
    for p in range(component_start.shape[0] - 1):
        point_start[p] = end
        d = 0
        state[0] = UNTRIED
        while d >= 0:
            if component_start[p] + d == component_start[p + 1]:
                costs[end] = cost[d]
                values[end] = value[d]
                choices[end] = choice[d]
                end += 1
                state[d] = OUTSIDE
            if state[d] == OUTSIDE:
                d -= 1
                continue
            i = members[component_start[p] + d]
            gain = 0.0
            if state[d] == UNTRIED and cost[d] + c[i] <= budget:
                gain = _enter(i, w, item_start, item_elements, counts)
                state[d] = INSIDE
            if gain > 0.0:
                cost[d + 1] = cost[d] + c[i]
                choice[d + 1] = choice[d] | (1 << d)
            else:
                if state[d] == INSIDE:
                    _leave(i, item_start, item_elements, counts)
                state[d] = OUTSIDE
                cost[d + 1] = cost[d]
                choice[d + 1] = choice[d]
            value[d + 1] = value[d] + gain
            d += 1
            state[d] = UNTRIED
    point_start[component_start.shape[0] - 1] = end


def mark_frontier(
    point_start: cython.const[cython.longlong][::1],
    costs: cython.const[cython.double][::1],
    values: cython.const[cython.double][::1],
    is_efficient: cython.char[::1],
    is_corner: cython.char[::1],
) -> None:
    """Mark the efficient points of each component, and the corners of their hull.

    Points are sorted by cost, the best first among equals. Corners are the points that
    are best at some price; both marks must be 0 at first.
    """
    p: cython.Py_ssize_t
    k: cython.Py_ssize_t
    one: cython.Py_ssize_t
    two: cython.Py_ssize_t
    num_corners: cython.Py_ssize_t
    best: cython.double
    corners: cython.longlong[::1] = np.zeros(costs.shape[0] + 1, dtype=np.int64)
    for p in range(point_start.shape[0] - 1):
        best = -1.0
        num_corners = 0
        for k in range(point_start[p], point_start[p + 1]):
            if values[k] <= best:
                continue
            best = values[k]
            is_efficient[k] = 1
            while num_corners >= 2:
                one = corners[num_corners - 2]
                two = corners[num_corners - 1]
                # Keep the last corner if it is above the line from the one before.
                if (values[k] - values[two]) * (costs[two] - costs[one]) < (
                    values[two] - values[one]
                ) * (costs[k] - costs[two]):
                    break
                num_corners -= 1
            corners[num_corners] = k
            num_corners += 1
        for k in range(num_corners):
            is_corner[corners[k]] = 1
