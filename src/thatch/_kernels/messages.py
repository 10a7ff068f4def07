"""Belief propagation in products: no exponential and no logarithm on an edge.

The paper's messages, eqs. (BP1) and (BP2), are

    h_ia     = -mu c_i + sum_{b != a} h_hat_bi
    h_hat_ai = -(1/beta) ln{1 - q_a prod_{j != i} u_ja},  q_a = 1 / (1 + e^(-beta w_a)),

with u_ia = 1 / (1 + e^(beta h_ia)) the belief that item i is out, v_ia = 1 - u_ia that
it is in. In terms of r_ai = e^(-beta h_hat_ai) and T_i = e^(beta mu c_i) prod_b r_bi,
the latter e^(-beta h_i), they are

    u_ia = T_i / (r_ai + T_i),  v_ia = r_ai / (r_ai + T_i),  r_ai = 1 - q_a prod u_ja.

Nothing is subtracted: 1 - q u_1 .. u_n is built up as t <- v + u t from t = 1 - q, and
1 - u_1 .. u_n as s <- s + p v, p <- p u. So r keeps its digits however small it gets.

Valid while beta w_a stays below LARGEST_EXPONENT, so that an item's product can be
rescaled before it underflows; `log_messages` takes over beyond. That product, T_i, may
leave the range of a double on a hub or at an extreme price: it is multiplied up with an
exponent beside it, and cut off at 2^-1000 and 2^1000, where u and v are 0 or 1 to far
more digits than r has.

The messages of edge e live at ``r[e]``, in the numbering of `thatch.edges.Edges`.
"""

from __future__ import annotations

import cython
from cython.cimports.libc.math import fabs, ldexp, log, pow, sqrt
from cython.parallel import prange, threadid

#: Largest beta w for which r_ai is safe as it is.
LARGEST_EXPONENT = 340.0


def multiply_up(
    r: cython.const[cython.double][::1],
    price_factor: cython.const[cython.double][::1],
    price_exponent: cython.const[cython.longlong][::1],
    item_start: cython.const[cython.longlong][::1],
    item_edges: cython.const[cython.int][::1],
    T: cython.double[::1],
    num_threads: cython.int,
) -> None:
    """T_i = e^(beta mu c_i) prod_b r_bi; the first factor comes as f * 2^exponent."""
    i: cython.Py_ssize_t
    for i in prange(T.shape[0], nogil=True, schedule="static", num_threads=num_threads):
        T[i] = _product(
            r,
            price_factor[i],
            price_exponent[i],
            item_edges,
            item_start[i],
            item_start[i + 1],
        )


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _product(
    r: cython.const[cython.double][::1],
    factor: cython.double,
    exponent: cython.longlong,
    item_edges: cython.const[cython.int][::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> cython.double:
    e: cython.Py_ssize_t
    for e in range(first, last):
        factor = factor * r[item_edges[e]]
        if factor < 2.0**-500:
            factor = factor * 2.0**500
            exponent = exponent - 500
    return _scaled(factor, exponent)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _scaled(factor: cython.double, exponent: cython.longlong) -> cython.double:
    """Factor * 2^exponent, cut to between 2^-1000 and 2^1000.

    The factor is at least 2^-500, and below 2 where the exponent is above 0.
    """
    half: cython.longlong
    if exponent > 1500:
        return 2.0**1000
    if exponent > 0:
        # In two steps, so that nothing overflows on the way.
        half = exponent // 2
        exponent = exponent - half
        factor = factor * ldexp(1.0, cython.cast(cython.int, half))
        if factor >= ldexp(1.0, cython.cast(cython.int, 1000 - exponent)):
            return 2.0**1000
    if exponent != 0:
        factor = ldexp(factor, cython.cast(cython.int, max(-3000, exponent)))
    return max(2.0**-1000, min(2.0**1000, factor))


def reply(
    r: cython.double[::1],
    T: cython.const[cython.double][::1],
    one_minus_q: cython.const[cython.double][::1],
    element_start: cython.const[cython.longlong][::1],
    element_items: cython.const[cython.int][::1],
    block_start: cython.const[cython.longlong][::1],
    damping: cython.double,
    change: cython.double[::1],
    scratch: cython.double[:, ::1],
    num_threads: cython.int,
) -> None:
    """Replace every r_ai by r_old^damping r_new^(1 - damping): h_hat is damped.

    Elements are updated in blocks, one thread a block; ``change[k]`` is the largest
    beta |h_hat_new - h_hat_old| of block k, before damping. `scratch` has a row a
    thread, twice as long as the most items that any element has.
    """
    k: cython.Py_ssize_t
    for k in prange(
        change.shape[0], nogil=True, schedule="static", num_threads=num_threads
    ):
        change[k] = _reply_in_block(
            r,
            T,
            one_minus_q,
            element_start,
            element_items,
            block_start[k],
            block_start[k + 1],
            damping,
            scratch,
            threadid(),
        )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _reply_in_block(
    r: cython.double[::1],
    T: cython.const[cython.double][::1],
    one_minus_q: cython.const[cython.double][::1],
    element_start: cython.const[cython.longlong][::1],
    element_items: cython.const[cython.int][::1],
    first_element: cython.Py_ssize_t,
    last_element: cython.Py_ssize_t,
    damping: cython.double,
    scratch: cython.double[:, ::1],
    row: cython.Py_ssize_t,
) -> cython.double:
    a: cython.Py_ssize_t
    e: cython.Py_ssize_t
    first: cython.Py_ssize_t
    last: cython.Py_ssize_t
    p: cython.double  # all items before e are out
    s: cython.double  # some item before e is in
    t: cython.double  # 1 - q prod of u over the items after e
    scale: cython.double
    total: cython.double
    ratio: cython.double
    largest: cython.double = 1.0
    smallest: cython.double = 1.0
    is_half: cython.bint = damping == 0.5
    is_free: cython.bint = damping == 0.0
    for a in range(first_element, last_element):
        first = element_start[a]
        last = element_start[a + 1]
        t = one_minus_q[a]
        for e in range(last - 1, first - 1, -1):
            total = T[element_items[e]]
            scale = 1.0 / (r[e] + total)
            scratch[row, 2 * (e - first)] = t
            scratch[row, 2 * (e - first) + 1] = scale
            t = (r[e] + total * t) * scale
        p = 1.0
        s = 0.0
        for e in range(first, last):
            scale = scratch[row, 2 * (e - first) + 1]
            ratio = (s + p * scratch[row, 2 * (e - first)]) / r[e]
            s = s + p * (r[e] * scale)
            p = p * (T[element_items[e]] * scale)
            largest = max(largest, ratio)
            smallest = min(smallest, ratio)
            if is_half:
                r[e] = min(1.0, r[e] * sqrt(ratio))
            elif is_free:
                r[e] = min(1.0, r[e] * ratio)
            else:
                r[e] = min(1.0, r[e] * pow(ratio, 1.0 - damping))
    return max(fabs(log(largest)), fabs(log(smallest)))
