"""Steps of the multipliers of a cover: see `thatch.solvers.covering.lagrangian`.

The bound sum_a u_a - sum_i max(0, s_i - c_i), with s_i = sum of u_a over the elements
of item i, has the subgradient

    g_a = 1 - |{i of a : s_i > c_i}|.

The direction d is g plus a share of the direction before, and u goes along it, but
never below 0.
"""

from __future__ import annotations

import cython


def lower_slopes(
    u: cython.const[cython.double][::1],
    c: cython.const[cython.double][::1],
    item_start: cython.const[cython.longlong][::1],
    item_elements: cython.const[cython.int][::1],
    g: cython.double[::1],
) -> cython.double:
    """Lower g by 1 per item that earns more than it costs; return the sum of s - c."""
    e: cython.Py_ssize_t
    excess: cython.double = 0.0
    with cython.nogil:
        for i in range(c.shape[0]):
            s: cython.double = 0.0
            for e in range(item_start[i], item_start[i + 1]):
                s += u[item_elements[e]]
            if s > c[i]:
                excess += s - c[i]
                for e in range(item_start[i], item_start[i + 1]):
                    g[item_elements[e]] -= 1.0
    return excess


def turn(
    u: cython.const[cython.double][::1],
    g: cython.const[cython.double][::1],
    d: cython.double[::1],
    momentum: cython.double,
) -> cython.double:
    """Turn d toward g, but not below a u of 0; return the square of its length."""
    square: cython.double = 0.0
    with cython.nogil:
        for a in range(u.shape[0]):
            d[a] *= momentum
            if u[a] > 0.0 or g[a] > 0.0:
                d[a] += g[a]
            square += d[a] * d[a]
    return square


def move(
    u: cython.double[::1],
    d: cython.const[cython.double][::1],
    step: cython.double,
) -> None:
    """Take a step along d, as far as no multiplier falls below 0."""
    with cython.nogil:
        for a in range(u.shape[0]):
            u[a] = max(0.0, u[a] + step * d[a])
