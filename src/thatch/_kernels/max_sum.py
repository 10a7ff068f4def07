"""Belief propagation at zero temperature: max-sum, the limit of infinite beta.

As beta grows, u_ja tends to e^(-beta max(0, h_ja)) and v_ja to e^(-beta max(0, -h_ja)).
In (BP2) the larger term of 1 - q prod u = (1 - prod u) + (1 - q) prod u decides:

    h_hat_ai = min{max(0, min_{j != i} -h_ja), w_a + sum_{j != i} max(0, h_ja)}
             = min{w_a, max(0, min_{j != i} -h_ja)},

since the first term is 0 as soon as one h_ja is positive. An element offers an item
what the best other item lacks to be chosen, and never more than its weight.

As in `log_messages`, L_ai = -h_hat_ai, S_i = mu c_i + sum_b L_bi = -h_i, and
X_ia = S_i - L_ai = -h_ia, all without beta. `log_messages.add_up` forms S.
"""

from __future__ import annotations

import cython
from cython.cimports.libc.math import fabs
from cython.parallel import prange

INFINITY = cython.declare(cython.double, float("inf"))


def reply(
    L: cython.double[::1],
    S: cython.const[cython.double][::1],
    minus_w: cython.const[cython.double][::1],
    element_start: cython.const[cython.longlong][::1],
    element_items: cython.const[cython.int][::1],
    block_start: cython.const[cython.longlong][::1],
    damping: cython.double,
    change: cython.double[::1],
    scratch: cython.double[:, :, ::1],
    num_threads: cython.int,
) -> None:
    """Replace L_ai by damping L_old + (1 - damping) L_new; see `messages.reply`.

    It uses no scratch; all representations are called in the same way.
    """
    k: cython.Py_ssize_t
    for k in prange(
        change.shape[0], nogil=True, schedule="static", num_threads=num_threads
    ):
        change[k] = _reply_in_block(
            L,
            S,
            minus_w,
            element_start,
            element_items,
            block_start[k],
            block_start[k + 1],
            damping,
        )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _reply_in_block(
    L: cython.double[::1],
    S: cython.const[cython.double][::1],
    minus_w: cython.const[cython.double][::1],
    element_start: cython.const[cython.longlong][::1],
    element_items: cython.const[cython.int][::1],
    first_element: cython.Py_ssize_t,
    last_element: cython.Py_ssize_t,
    damping: cython.double,
) -> cython.double:
    a: cython.Py_ssize_t
    e: cython.Py_ssize_t
    nearest: cython.Py_ssize_t  # the edge whose item lacks the least to be chosen
    X: cython.double
    least: cython.double
    second: cython.double
    fresh: cython.double
    largest: cython.double = 0.0
    for a in range(first_element, last_element):
        nearest = -1
        least = INFINITY
        second = INFINITY
        for e in range(element_start[a], element_start[a + 1]):
            X = S[element_items[e]] - L[e]
            if X < least:
                second = least
                least = X
                nearest = e
            elif X < second:
                second = X
        for e in range(element_start[a], element_start[a + 1]):
            fresh = max(minus_w[a], min(0.0, -(second if e == nearest else least)))
            largest = max(largest, fabs(fresh - L[e]))
            L[e] = damping * L[e] + (1.0 - damping) * fresh
    return largest


def read_elements(
    L: cython.const[cython.double][::1],
    S: cython.const[cython.double][::1],
    minus_w: cython.const[cython.double][::1],
    element_start: cython.const[cython.longlong][::1],
    element_items: cython.const[cython.int][::1],
    log_out: cython.double[::1],
    log_in: cython.double[::1],
    field: cython.double[::1],
) -> None:
    """The limits of the results of `log_messages.read_elements`, divided by beta.

    -sum_j max(0, h_ja) (all out), -max(0, min_j -h_ja) (some in), and eta_a.
    """
    a: cython.Py_ssize_t
    e: cython.Py_ssize_t
    X: cython.double
    least: cython.double
    total: cython.double
    for a in range(field.shape[0]):
        least = INFINITY
        total = 0.0
        for e in range(element_start[a], element_start[a + 1]):
            X = S[element_items[e]] - L[e]
            least = min(least, X)
            total = total + min(0.0, X)
        log_out[a] = total
        log_in[a] = min(0.0, -least)
        field[a] = min(-minus_w[a], max(0.0, least))
