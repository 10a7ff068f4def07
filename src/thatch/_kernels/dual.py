"""Multipliers of a low dual bound, by accelerated descent on a smoothed bound.

With multipliers lam_a between 0 and w_a, the bound

    sum_a (w_a - lam_a) + mu K + sum_i max(0, s_i - mu c_i),  s_i = sum of lam_a of i,

is not differentiable where an item just earns its price. Smoothing max(0, x) to
T ln(1 + e^(x/T)) gives the gradient

    d/d lam_a = sum_{i of a} sigma_i - 1,  sigma_i = 1 / (1 + e^(-(s_i - mu c_i)/T)),

and at the best price the items cost sum c_i sigma_i = K. Every multiplier takes a step
against its gradient, divided by its own curvature, with Nesterov's momentum, which
restarts whenever it points uphill; T falls from one iteration to the next.

A group of which at most k items may be chosen has a price nu of its own, by which s_i
is reduced: at the best one, sum sigma_i = k over the group, or nu = 0.

Costs and weights are scaled to moderate numbers. Each thread has whole items or whole
elements, and sums are added block by block, so that the number of threads does not
change the result.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.math import sqrt
from cython.parallel import prange, threadid

from thatch._kernels.dual_choice import Choice

# Elements that one thread handles at a time.
BLOCK_SIZE = cython.declare(cython.Py_ssize_t, 4096)


@cython.cclass
class Steps:
    """The multipliers of some elements, and their steps."""

    w: cython.const[cython.double][::1]
    element_start: cython.const[cython.longlong][::1]
    element_items: cython.const[cython.int][::1]
    lam: cython.double[::1]
    y: cython.double[::1]
    # sigma_i, and T times the curvature that item i adds to that of its elements.
    choice: cython.double[:, ::1]
    sums: cython.double[::1]
    # Gradient and curvature of the elements of a block, for every thread.
    slopes: cython.double[:, :, ::1]
    num_threads: cython.int
    # The smallest T times curvature of an item: one far from its price has none now,
    # but may have soon.
    least_curvature: cython.double

    def __init__(
        self,
        w: cython.const[cython.double][::1],
        element_start: cython.const[cython.longlong][::1],
        element_items: cython.const[cython.int][::1],
        num_items: cython.Py_ssize_t,
        lam: cython.double[::1],
        y: cython.double[::1],
        num_threads: cython.int,
        least_curvature: cython.double,
    ) -> None:
        """Start from multipliers and extrapolated ones, both updated in place."""
        self.w = w
        self.element_start = element_start
        self.element_items = element_items
        self.lam = lam
        self.y = y
        self.num_threads = num_threads
        self.least_curvature = least_curvature
        self.choice = np.zeros((num_items, 2))
        self.sums = np.zeros(w.shape[0] // BLOCK_SIZE + 1)
        self.slopes = np.zeros((num_threads, 2, min(BLOCK_SIZE, w.shape[0])))

    def step(
        self,
        sigma: cython.const[cython.double][::1],
        degrees: cython.const[cython.int][::1],
        T: cython.double,
        momentum: cython.double,
    ) -> cython.double:
        """Update every multiplier; return a positive number if momentum was uphill."""
        with cython.nogil:
            uphill = self.update(sigma, degrees, T, momentum)
        return uphill

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def update(
        self,
        sigma: cython.const[cython.double][::1],
        degrees: cython.const[cython.int][::1],
        T: cython.double,
        momentum: cython.double,
    ) -> cython.double:
        """Do what `step` does."""
        blocks: cython.Py_ssize_t = self.w.shape[0] // BLOCK_SIZE + 1
        for i in prange(
            sigma.shape[0], schedule="static", num_threads=self.num_threads
        ):
            self.choice[i, 0] = sigma[i]
            self.choice[i, 1] = degrees[i] * max(
                self.least_curvature, sigma[i] * (1.0 - sigma[i])
            )
        for k in prange(blocks, schedule="static", num_threads=self.num_threads):
            self._step_block(T, momentum, k, self.slopes[threadid()])
        uphill: cython.double = 0.0
        for k in range(blocks):
            uphill += self.sums[k]
        return uphill

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _step_block(
        self,
        T: cython.double,
        momentum: cython.double,
        k: cython.Py_ssize_t,
        slopes: cython.double[:, ::1],
    ) -> cython.void:
        a: cython.Py_ssize_t
        e: cython.Py_ssize_t
        uphill: cython.double = 0.0
        first: cython.Py_ssize_t = k * BLOCK_SIZE
        last: cython.Py_ssize_t = min(first + BLOCK_SIZE, self.w.shape[0])
        # A loop that only reads keeps many cache misses in flight.
        for a in range(first, last):
            slope = -1.0
            curvature = 0.0
            for e in range(self.element_start[a], self.element_start[a + 1]):
                slope = slope + self.choice[self.element_items[e], 0]
                curvature = curvature + self.choice[self.element_items[e], 1]
            slopes[0, a - first] = slope
            slopes[1, a - first] = curvature
        for a in range(first, last):
            slope = slopes[0, a - first]
            curvature = slopes[1, a - first]
            if curvature == 0.0:
                continue
            moved = self.y[a] - T / curvature * slope
            moved = max(0.0, min(self.w[a], moved))
            uphill += (self.y[a] - moved) * curvature * (moved - self.lam[a])
            self.y[a] = moved + momentum * (moved - self.lam[a])
            self.lam[a] = moved
        self.sums[k] = uphill


@cython.cclass
class Dual:
    """Multipliers and a price, which `descend` improves."""

    item_start: cython.const[cython.longlong][::1]
    item_elements: cython.const[cython.int][::1]
    degrees: cython.const[cython.int][::1]
    choice: object
    steps: Steps
    s: cython.double[::1]
    sigma: cython.double[::1]
    pace: cython.double
    num_threads: cython.int

    def __init__(
        self,
        c: cython.const[cython.double][::1],
        w: cython.const[cython.double][::1],
        edges: object,
        K: cython.double,
        mu: cython.double,
        lam: cython.double[::1],
        num_threads: cython.int,
        least_curvature: cython.double,
        groups: tuple,
    ) -> None:
        """Start from the multipliers in `lam`, which is updated in place.

        The groups are the last three arguments of `Choice`.
        """
        self.item_start, self.item_elements = edges.item_start, edges.item_elements
        self.degrees = np.diff(self.item_start).astype(np.int32)
        self.num_threads = num_threads
        self.pace = 1.0
        s, sigma = np.zeros(c.shape[0]), np.zeros(c.shape[0])
        self.s, self.sigma = s, sigma
        self.choice = Choice(c, K, mu, s, sigma, num_threads, *groups)
        self.steps = Steps(
            w,
            edges.element_start,
            edges.element_items,
            c.shape[0],
            lam,
            np.array(lam),
            num_threads,
            least_curvature,
        )

    def multipliers(self) -> np.ndarray:
        """The present multipliers, one per element."""
        return np.asarray(self.steps.lam)

    def descend(
        self,
        iterations: cython.Py_ssize_t,
        T: cython.double,
        cooling: cython.double,
        least_T: cython.double,
    ) -> cython.double:
        """Take some steps while T falls by the factor `cooling`; return the last T."""
        for k in range(iterations):
            with cython.nogil:
                self._sum_multipliers()
            self.choice.choose(T)
            with cython.nogil:
                uphill = self.steps.update(
                    self.sigma, self.degrees, T, momentum_at(self.pace)
                )
                self.pace = 1.0 if uphill > 0.0 else next_pace(self.pace)
                T = max(least_T, cooling * T)
        return T

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _sum_multipliers(self) -> cython.void:
        """s_i = sum of the multipliers of the elements of i."""
        total: cython.double
        y: cython.const[cython.double][::1] = self.steps.y
        for i in prange(
            self.s.shape[0], schedule="static", num_threads=self.num_threads
        ):
            total = 0.0
            for e in range(self.item_start[i], self.item_start[i + 1]):
                total = total + y[self.item_elements[e]]
            self.s[i] = total


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def next_pace(pace: cython.double) -> cython.double:
    """The pace of Nesterov's momentum after one more step."""
    return 0.5 * (1.0 + sqrt(1.0 + 4.0 * pace * pace))


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def momentum_at(pace: cython.double) -> cython.double:
    """The share of the last step that is added to the next one."""
    return (pace - 1.0) / next_pace(pace)
