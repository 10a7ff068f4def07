"""Messages as products: no exponential and no logarithm per edge.

The paper's messages, eqs. (BP1) and (BP2), are

    h_ia     = -mu c_i + sum_{b != a} h_hat_bi
    h_hat_ai = -(1/beta) ln{1 - q_a prod_{j != i} u_ja},  q_a = 1 / (1 + e^(-beta w_a)),

with u_ia = 1 / (1 + e^(beta h_ia)) the belief that item i is out, v_ia = 1 - u_ia that
it is in. In terms of r_ai = e^(-beta h_hat_ai) and T_i = e^(beta mu c_i) prod_b r_bi,
the latter e^(-beta h_i), they are

    u_ia = T_i / (r_ai + T_i),  v_ia = r_ai / (r_ai + T_i),  r_ai = 1 - q_a prod u_ja.

Nothing is subtracted: 1 - q u_1 .. u_n is accumulated as t <- v + u t from t = 1 - q,
and 1 - u_1 .. u_n as s <- s + p v, p <- p u. So r keeps its digits however small it is.

Valid while beta w_a is below LARGEST_EXPONENT, so that two replies can be multiplied
before they underflow; beyond it `log_messages` is used. The product T_i of an item may
exceed the range of a double on a hub or at an extreme price: it is computed with a
separate exponent, and clipped at 2^-1000 and 2^1000, where u and v are 0 or 1 to far
more digits than r has.

The message of edge e is ``r[e]``, in the numbering of `thatch.problem.edges.Edges`, a
double or a single; T_i, which exceeds the range of a single, is a double for fields.

Edges are processed in stretches that fit the nearest cache, and every stretch in short
loops: those that read from all over the memory do nothing else, so that the processor
has many cache misses in flight.
"""

from __future__ import annotations

import cython
from cython.cimports.libc.math import ldexp, log, pow, sqrt
from cython.parallel import prange, threadid

#: Largest beta w for which r_ai does not underflow, as a double and as a single.
LARGEST_EXPONENT = 340.0
LARGEST_EXPONENT_OF_SINGLES = 42.0
#: Edges processed at a time; an element with more is a stretch by itself.
STRETCH = 512

_STRETCH = cython.declare(cython.Py_ssize_t, STRETCH)
LN_2 = cython.declare(cython.double, 0.6931471805599453)


def multiply_up(
    r: cython.const[cython.floating][::1],
    price_factor: cython.const[cython.double][::1],
    price_exponent: cython.const[cython.longlong][::1],
    item_start: cython.const[cython.longlong][::1],
    item_edges: cython.const[cython.int][::1],
    T: cython.double[::1],
    stored: cython.floating[::1],
    num_threads: cython.int,
) -> None:
    """T_i = e^(beta mu c_i) prod_b r_bi; the first factor is given as f * 2^exponent.

    `stored` gets a copy in the precision of r; if that is double, it may be T itself.
    """
    for i in prange(T.shape[0], nogil=True, schedule="static", num_threads=num_threads):
        T[i] = _product(
            r,
            price_factor[i],
            price_exponent[i],
            item_edges,
            item_start[i],
            item_start[i + 1],
        )
        if cython.floating is cython.float:
            # Clipped to the range of singles: far beyond what r can outweigh.
            stored[i] = max(2.0**-125, min(2.0**125, T[i]))
        else:
            stored[i] = T[i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _product(
    r: cython.const[cython.floating][::1],
    factor: cython.double,
    exponent: cython.longlong,
    item_edges: cython.const[cython.int][::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> cython.double:
    e: cython.Py_ssize_t = first
    if cython.floating is cython.float:
        # A product of two replies fits a single: half as many become doubles.
        while e + 1 < last:
            factor = factor * (r[item_edges[e]] * r[item_edges[e + 1]])
            if factor < 2.0**-500:
                factor = factor * 2.0**500
                exponent = exponent - 500
            e = e + 2
    while e < last:
        factor = factor * r[item_edges[e]]
        if factor < 2.0**-500:
            factor = factor * 2.0**500
            exponent = exponent - 500
        e = e + 1
    return _scaled(factor, exponent)


def log_products(
    r: cython.const[cython.floating][::1],
    element_items: cython.const[cython.int][::1],
    factor: cython.double[::1],
    exponent: cython.int[::1],
) -> None:
    """Replace every factor by ln prod_b r_bi, without the edges grouped by item.

    `factor` and `exponent` are one per item, and scratch space before that.
    """
    with cython.nogil:
        for i in range(factor.shape[0]):
            factor[i] = 1.0
            exponent[i] = 0
        for e in range(r.shape[0]):
            i = element_items[e]
            factor[i] = factor[i] * r[e]
            if factor[i] < 2.0**-500:
                factor[i] = factor[i] * 2.0**500
                exponent[i] = exponent[i] - 500
        for i in range(factor.shape[0]):
            factor[i] = log(factor[i]) + exponent[i] * LN_2


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _scaled(factor: cython.double, exponent: cython.longlong) -> cython.double:
    """Factor * 2^exponent, clipped to between 2^-1000 and 2^1000.

    The factor is at least 2^-500, and below 2 where the exponent is above 0.
    """
    if exponent > 1500:
        return 2.0**1000
    if exponent > 0:
        # In two steps, so that no intermediate result overflows.
        half = exponent // 2
        exponent = exponent - half
        factor = factor * ldexp(1.0, cython.cast(cython.int, half))
        if factor >= ldexp(1.0, cython.cast(cython.int, 1000 - exponent)):
            return 2.0**1000
    if exponent != 0:
        factor = ldexp(factor, cython.cast(cython.int, max(-3000, exponent)))
    return max(2.0**-1000, min(2.0**1000, factor))


def reply(
    r: cython.floating[::1],
    T: cython.const[cython.floating][::1],
    one_minus_q: cython.const[cython.floating][::1],
    element_start: cython.const[cython.longlong][::1],
    element_items: cython.const[cython.int][::1],
    block_start: cython.const[cython.longlong][::1],
    damping: cython.double,
    change: cython.double[::1],
    scratch: cython.floating[:, :, ::1],
    num_threads: cython.int,
) -> None:
    """Replace every r_ai by r_old^damping r_new^(1 - damping): h_hat is damped.

    Elements are updated in blocks, one thread per block; ``change[k]`` is the largest
    beta |h_hat_new - h_hat_old| of block k, before damping. `scratch` has three rows
    per thread, as long as the longest stretch.
    """
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
            scratch[threadid()],
        )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _reply_in_block(
    r: cython.floating[::1],
    T: cython.const[cython.floating][::1],
    one_minus_q: cython.const[cython.floating][::1],
    element_start: cython.const[cython.longlong][::1],
    element_items: cython.const[cython.int][::1],
    a: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    damping: cython.double,
    scratch: cython.floating[:, ::1],
) -> cython.double:
    largest: cython.double = 1.0
    # For every edge of a stretch: u, v and the new r.
    u: cython.floating[::1] = scratch[0]
    v: cython.floating[::1] = scratch[1]
    fresh: cython.floating[::1] = scratch[2]
    while a < last:
        b = a + 1
        while b < last and element_start[b + 1] - element_start[a] <= _STRETCH:
            b = b + 1
        _believe(r, T, element_items, element_start[a], element_start[b], u, v)
        _leave_one_out(one_minus_q, element_start, a, b, u, v, fresh)
        largest = _damp(r, element_start[a], element_start[b], damping, largest, fresh)
        a = b
    return log(largest)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _believe(
    r: cython.const[cython.floating][::1],
    T: cython.const[cython.floating][::1],
    element_items: cython.const[cython.int][::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    u: cython.floating[::1],
    v: cython.floating[::1],
) -> cython.void:
    """Set u and v of every edge."""
    one: cython.floating = 1.0
    for k in range(last - first):
        u[k] = T[element_items[first + k]]
    for k in range(last - first):
        scale = one / (r[first + k] + u[k])
        v[k] = r[first + k] * scale
        u[k] = u[k] * scale


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _leave_one_out(
    one_minus_q: cython.const[cython.floating][::1],
    element_start: cython.const[cython.longlong][::1],
    first_element: cython.Py_ssize_t,
    last_element: cython.Py_ssize_t,
    u: cython.const[cython.floating][::1],
    v: cython.const[cython.floating][::1],
    fresh: cython.floating[::1],
) -> cython.void:
    """Compute every new r from u and v."""
    start: cython.Py_ssize_t = element_start[first_element]
    s: cython.floating
    for a in range(first_element, last_element):
        first = element_start[a] - start
        last = element_start[a + 1] - start
        t = one_minus_q[a]
        # Most elements have few items: unrolled.
        if last - first == 1:
            fresh[first] = t
        elif last - first == 2:
            fresh[first] = v[first + 1] + u[first + 1] * t
            fresh[first + 1] = v[first] + u[first] * t
        elif last - first == 3:
            s = v[first + 2] + u[first + 2] * t
            fresh[first] = v[first + 1] + u[first + 1] * s
            fresh[first + 1] = v[first] + u[first] * s
            s = v[first + 1] + u[first + 1] * t
            fresh[first + 2] = v[first] + u[first] * s
        else:
            _leave_one_out_of_many(t, first, last, u, v, fresh)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _leave_one_out_of_many(
    t: cython.floating,
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    u: cython.const[cython.floating][::1],
    v: cython.const[cython.floating][::1],
    fresh: cython.floating[::1],
) -> cython.void:
    """The same for the edges of one element, from t = 1 - q."""
    p: cython.floating = 1.0  # all items before k are out
    s: cython.floating = 0.0  # some item before k is in
    for k in range(last - 1, first - 1, -1):
        fresh[k] = t  # 1 - q prod of u over the items after k
        t = v[k] + u[k] * t
    for k in range(first, last):
        fresh[k] = s + p * fresh[k]
        s = s + p * v[k]
        p = p * u[k]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _damp(
    r: cython.floating[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    damping: cython.double,
    largest: cython.double,
    fresh: cython.const[cython.floating][::1],
) -> cython.double:
    """Damp every r toward its new value; return the largest ratio of new and old.

    A reply that changes no more than the largest so far needs no division.
    """
    new: cython.floating
    one: cython.floating = 1.0
    most: cython.floating = largest
    is_larger: cython.int = 0
    for k in range(last - first):
        is_larger |= fresh[k] > most * r[first + k]
        is_larger |= r[first + k] > most * fresh[k]
    if is_larger:
        for k in range(last - first):
            if fresh[k] > most * r[first + k]:
                most = fresh[k] / r[first + k]
            elif r[first + k] > most * fresh[k]:
                most = r[first + k] / fresh[k]
    if damping == 0.5:
        for k in range(last - first):
            new = sqrt(r[first + k] * fresh[k])
            r[first + k] = new if new < one else one
    elif damping == 0.0:
        for k in range(last - first):
            r[first + k] = min(one, fresh[k])
    else:
        for k in range(last - first):
            new = r[first + k] * pow(fresh[k] / r[first + k], 1.0 - damping)
            r[first + k] = min(one, new)
    return most
