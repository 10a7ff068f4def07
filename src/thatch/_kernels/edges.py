"""Edges grouped by item or element, in linear time."""

from __future__ import annotations

import cython


def group(
    keys: cython.const[cython.int][::1],
    starts: cython.longlong[::1],
    order: cython.int[::1],
) -> None:
    """Sort positions by key; the sort is stable.

    Afterwards ``order[starts[k] : starts[k + 1]]`` are the positions with key k.
    `starts` must be zeros at first, one more than there are keys.
    """
    position: cython.Py_ssize_t
    k: cython.Py_ssize_t
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
    k: cython.Py_ssize_t
    position: cython.Py_ssize_t
    for k in range(starts.shape[0] - 1):
        for position in range(starts[k] + 1, starts[k + 1]):
            if members[position] == members[position - 1]:
                return position
    return -1


def switch(
    rows: cython.longlong[:, ::1], draws: cython.const[cython.ulonglong][:, ::1]
) -> None:
    """Switch random edges (i, a), (j, b) to (i, b), (j, a) where neither exists yet.

    ``rows[i]`` are the elements of item i; each row of `draws` is one attempt. Degrees
    do not change. The Markov chain is symmetric, so that its stationary distribution is
    uniform over the graphs of these degrees.
    """
    t: cython.Py_ssize_t
    k: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    one: cython.Py_ssize_t
    other: cython.Py_ssize_t
    a: cython.longlong
    b: cython.longlong
    is_free: cython.bint
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
