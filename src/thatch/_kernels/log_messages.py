"""Messages as logarithms: for any beta, for fields at the end, and for max-sum.

The same messages as in `messages`, as L_ai = ln r_ai = -beta h_hat_ai. With
S_i = beta mu c_i + sum_b L_bi = -beta h_i and X_ia = S_i - L_ai = -beta h_ia,

    ln u_ia = -softplus(-X_ia),  ln v_ia = -softplus(X_ia),
    L_ai = ln{1 - q_a prod_{j != i} u_ja}.

As there, only positive numbers are added, here with logaddexp: excluding an item by
subtracting its term from the full sum would lose all digits next to a certain item.

At zero temperature, the limit of infinite beta, they become max-sum. As beta grows,
u_ja tends to e^(-beta max(0, h_ja)) and v_ja to e^(-beta max(0, -h_ja)). In (BP2) the
larger term of 1 - q prod u = (1 - prod u) + (1 - q) prod u decides:

    h_hat_ai = min{max(0, min_{j != i} -h_ja), w_a + sum_{j != i} max(0, h_ja)}
             = min{w_a, max(0, min_{j != i} -h_ja)},

since the first term is 0 as soon as one h_ja is positive. An element offers an item
what the best other item lacks to be chosen, and never more than its weight. There,
L_ai = -h_hat_ai, S_i = mu c_i + sum_b L_bi = -h_i and X_ia = S_i - L_ai = -h_ia, all
without beta.
"""

from __future__ import annotations

from functools import partial

import cython
from cython.cimports.libc.math import exp, fabs, log1p
from cython.parallel import prange, threadid

INFINITY = cython.declare(cython.double, float("inf"))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def softplus(x: cython.double) -> cython.double:
    """ln(1 + e^x)."""
    if x > 0.0:
        return x + log1p(exp(-x))
    return log1p(exp(x))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def logaddexp(x: cython.double, y: cython.double) -> cython.double:
    """ln(e^x + e^y)."""
    if x == -INFINITY:
        return y
    if x > y:
        return x + log1p(exp(y - x))
    return y + log1p(exp(x - y))


def add_up(
    L: cython.const[cython.double][::1],
    log_price_factor: cython.const[cython.double][::1],
    item_start: cython.const[cython.longlong][::1],
    item_edges: cython.const[cython.int][::1],
    S: cython.double[::1],
    num_threads: cython.int,
) -> None:
    """S_i = beta mu c_i + sum_b L_bi = -beta h_i, eq. (BP3)."""
    for i in prange(S.shape[0], nogil=True, schedule="static", num_threads=num_threads):
        S[i] = log_price_factor[i] + _sum(
            L, item_edges, item_start[i], item_start[i + 1]
        )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sum(
    L: cython.const[cython.double][::1],
    item_edges: cython.const[cython.int][::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> cython.double:
    """Compensated sum: hubs add 10^5 terms."""
    total: cython.double = 0.0
    rest: cython.double = 0.0
    for e in range(first, last):
        fresh = total + L[item_edges[e]]
        kept = fresh - total
        rest = rest + ((total - (fresh - kept)) + (L[item_edges[e]] - kept))
        total = fresh
    return total + rest


def reply(
    L: cython.double[::1],
    S: cython.const[cython.double][::1],
    unclaimed: cython.const[cython.double][::1],
    element_start: cython.const[cython.longlong][::1],
    element_items: cython.const[cython.int][::1],
    block_start: cython.const[cython.longlong][::1],
    damping: cython.double,
    change: cython.double[::1],
    scratch: cython.double[:, :, ::1],
    num_threads: cython.int,
    is_max_sum: cython.bint = False,
) -> None:
    """Replace L_ai by damping L_old + (1 - damping) L_new; see `messages.reply`.

    `unclaimed` is ln(1 - q_a) of every element; in max-sum, -w_a.
    """
    for k in prange(
        change.shape[0], nogil=True, schedule="static", num_threads=num_threads
    ):
        change[k] = _reply_in_block(
            L,
            S,
            unclaimed,
            element_start,
            element_items,
            block_start[k],
            block_start[k + 1],
            damping,
            scratch[threadid()],
            is_max_sum,
        )


reply_by_max_sum = partial(reply, is_max_sum=True)


def reply_in_order(
    L: cython.double[::1],
    S: cython.double[::1],
    unclaimed: cython.const[cython.double][::1],
    element_start: cython.const[cython.longlong][::1],
    element_items: cython.const[cython.int][::1],
    order: cython.const[cython.longlong][::1],
    damping: cython.double,
    is_max_sum: cython.bint,
    scratch: cython.double[:, ::1],
) -> cython.double:
    """Replace all L_ai of one element after the other; return the largest change.

    After each element, S_i of its items follows: the next element sees new messages.
    """
    largest: cython.double = 0.0
    with cython.nogil:
        for k in range(order.shape[0]):
            a = order[k]
            first = element_start[a]
            last = element_start[a + 1]
            for e in range(first, last):
                scratch[1, e - first] = L[e]
            if is_max_sum:
                change = _reply_of_max_sum(
                    L, S, unclaimed[a], element_items, first, last, damping
                )
            else:
                change = _reply_of_sum(
                    L, S, unclaimed[a], element_items, first, last, damping, scratch
                )
            largest = max(largest, change)
            for e in range(first, last):
                S[element_items[e]] += L[e] - scratch[1, e - first]
    return largest


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _reply_in_block(
    L: cython.double[::1],
    S: cython.const[cython.double][::1],
    unclaimed: cython.const[cython.double][::1],
    element_start: cython.const[cython.longlong][::1],
    element_items: cython.const[cython.int][::1],
    first_element: cython.Py_ssize_t,
    last_element: cython.Py_ssize_t,
    damping: cython.double,
    scratch: cython.double[:, ::1],
    is_max_sum: cython.bint,
) -> cython.double:
    largest: cython.double = 0.0
    for a in range(first_element, last_element):
        first = element_start[a]
        last = element_start[a + 1]
        if is_max_sum:
            change = _reply_of_max_sum(
                L, S, unclaimed[a], element_items, first, last, damping
            )
        else:
            change = _reply_of_sum(
                L, S, unclaimed[a], element_items, first, last, damping, scratch
            )
        largest = max(largest, change)
    return largest


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _reply_of_sum(
    L: cython.double[::1],
    S: cython.const[cython.double][::1],
    t: cython.double,  # ln{1 - q prod of u over the items after e}
    element_items: cython.const[cython.int][::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    damping: cython.double,
    scratch: cython.double[:, ::1],
) -> cython.double:
    p: cython.double = 0.0  # ln: all items before e are out
    s: cython.double = -INFINITY  # ln: some item before e is in
    largest: cython.double = 0.0
    for e in range(last - 1, first - 1, -1):
        scratch[0, e - first] = t
        X = S[element_items[e]] - L[e]
        t = logaddexp(-softplus(X), t - softplus(-X))
    for e in range(first, last):
        X = S[element_items[e]] - L[e]
        fresh = min(0.0, logaddexp(s, p + scratch[0, e - first]))
        s = logaddexp(s, p - softplus(X))
        p = p - softplus(-X)
        largest = max(largest, fabs(fresh - L[e]))
        L[e] = damping * L[e] + (1.0 - damping) * fresh
    return largest


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _reply_of_max_sum(
    L: cython.double[::1],
    S: cython.const[cython.double][::1],
    minus_w: cython.double,
    element_items: cython.const[cython.int][::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    damping: cython.double,
) -> cython.double:
    nearest: cython.Py_ssize_t = -1  # the edge whose item lacks the least to be chosen
    least: cython.double = INFINITY
    second: cython.double = INFINITY
    largest: cython.double = 0.0
    for e in range(first, last):
        X = S[element_items[e]] - L[e]
        if X < least:
            second = least
            least = X
            nearest = e
        elif X < second:
            second = X
    for e in range(first, last):
        fresh = max(minus_w, min(0.0, -(second if e == nearest else least)))
        largest = max(largest, fabs(fresh - L[e]))
        L[e] = damping * L[e] + (1.0 - damping) * fresh
    return largest


def read_elements(
    L: cython.const[cython.double][::1],
    S: cython.const[cython.double][::1],
    unclaimed: cython.const[cython.double][::1],
    element_start: cython.const[cython.longlong][::1],
    element_items: cython.const[cython.int][::1],
    log_out: cython.double[::1],
    log_in: cython.double[::1],
    field: cython.double[::1],
    is_max_sum: cython.bint = False,
) -> None:
    """For every element: ln prod u (all out), ln{1 - prod u} (some in), beta eta_a.

    beta eta_a = -ln{1 - q_a prod_{j in a} u_ja},  eq. (BP4)

    In max-sum, their limits divided by beta: -sum_j max(0, h_ja), -max(0, min_j -h_ja)
    and eta_a.
    """
    for a in range(field.shape[0]):
        p = 0.0
        s = -INFINITY
        least = INFINITY
        if is_max_sum:
            for e in range(element_start[a], element_start[a + 1]):
                X = S[element_items[e]] - L[e]
                least = min(least, X)
                p = p + min(0.0, X)
            s = min(0.0, -least)
            field[a] = min(-unclaimed[a], max(0.0, least))
        else:
            for e in range(element_start[a], element_start[a + 1]):
                X = S[element_items[e]] - L[e]
                s = logaddexp(s, p - softplus(X))
                p = p - softplus(-X)
            field[a] = -min(0.0, logaddexp(s, p + unclaimed[a]))
        log_out[a] = p
        log_in[a] = s


read_elements_by_max_sum = partial(read_elements, is_max_sum=True)
