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
from cython.cimports.libc.math import exp, fabs, sqrt
from cython.parallel import prange, threadid

# Items and elements that one thread handles at a time.
BLOCK_SIZE = cython.declare(cython.Py_ssize_t, 4096)
# Relative tolerance of sum c_i sigma_i = K.
PRICE_TOLERANCE = cython.declare(cython.double, 1e-3)
PRICE_TRIALS = cython.declare(cython.int, 12)


@cython.cclass
class Choice:
    """How far each item is chosen at the price at which the items cost the budget."""

    c: cython.const[cython.double][::1]
    s: cython.double[::1]
    sigma: cython.double[::1]
    sums: cython.double[:, ::1]
    K: cython.double
    mu: cython.double
    num_threads: cython.int
    # The items of each group with a limit, its limit, and its price.
    group_start: cython.const[cython.longlong][::1]
    group_items: cython.const[cython.longlong][::1]
    at_most: cython.const[cython.double][::1]
    nu: cython.double[::1]

    def __init__(
        self,
        c: cython.const[cython.double][::1],
        K: cython.double,
        mu: cython.double,
        s: cython.double[::1],
        sigma: cython.double[::1],
        num_threads: cython.int,
        group_start: cython.const[cython.longlong][::1],
        group_items: cython.const[cython.longlong][::1],
        at_most: cython.const[cython.double][::1],
    ) -> None:
        """Start at the price `mu`; `s` is read, and may be reduced by group prices.

        `sigma` is 0 at first, and stays 0 for items that cost more than the budget.
        """
        self.c = c
        self.K = K
        self.mu = mu
        self.s = s
        self.sigma = sigma
        self.num_threads = num_threads
        self.group_start, self.group_items = group_start, group_items
        self.at_most = at_most
        self.nu = np.zeros(at_most.shape[0])
        self.sums = np.zeros((c.shape[0] // BLOCK_SIZE + 1, 2))

    @property
    def price(self) -> cython.double:
        """The price of the last choice."""
        return self.mu

    def choose(self, T: cython.double) -> None:
        """Set every sigma_i at the temperature T, from the present s."""
        with cython.nogil:
            self.update(T)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def update(self, T: cython.double) -> cython.void:
        """Find the prices, and so every sigma_i."""
        if self.nu.shape[0] > 0:
            self._price_groups(T)
        self._find_price(T)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _price_groups(self, T: cython.double) -> cython.void:
        """Reduce s_i by the price of its group, which solves sum sigma_i = k."""
        g: cython.Py_ssize_t
        e: cython.Py_ssize_t
        for g in range(self.nu.shape[0]):
            self._price_group(g, T)
            for e in range(self.group_start[g], self.group_start[g + 1]):
                self.s[self.group_items[e]] -= self.nu[g]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _price_group(self, g: cython.Py_ssize_t, T: cython.double) -> cython.void:
        """The price of one group, by Newton steps that bisection safeguards."""
        t: cython.Py_ssize_t
        e: cython.Py_ssize_t
        i: cython.Py_ssize_t
        x: cython.double
        y: cython.double
        sigma: cython.double
        excess: cython.double
        slope: cython.double
        nu: cython.double = self.nu[g]
        low: cython.double = 0.0
        high: cython.double = -1.0
        for t in range(PRICE_TRIALS):
            excess = -self.at_most[g]
            slope = 0.0
            for e in range(self.group_start[g], self.group_start[g + 1]):
                i = self.group_items[e]
                if self.c[i] > self.K:
                    continue
                y = self.s[i] - self.mu * self.c[i] - nu
                x = exp(-min(500.0, fabs(y) / T))
                sigma = (1.0 if y >= 0.0 else x) / (1.0 + x)
                excess += sigma
                slope += sigma * (1.0 - sigma)
            if fabs(excess) <= PRICE_TOLERANCE * self.at_most[g]:
                break
            if excess > 0.0:
                low = nu
            else:
                high = nu
                if nu <= 0.0:
                    break
            if slope > 0.0:
                nu += T * excess / slope
            if high < 0.0:
                nu = max(min(nu, 4.0 * low + 10.0 * T), 1.1 * low + 0.1 * T)
            elif not low < nu < high:
                nu = 0.0 if low <= 0.0 and t > 0 and nu <= 0.0 else 0.5 * (low + high)
        self.nu[g] = nu

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _find_price(self, T: cython.double) -> cython.void:
        """Solve sum c_i sigma_i = K by Newton steps, safeguarded by bisection."""
        t: cython.Py_ssize_t
        excess: cython.double
        slope: cython.double
        low: cython.double = 0.0
        high: cython.double = -1.0
        for t in range(PRICE_TRIALS):
            excess = self._choose(T, self.mu) - self.K
            slope = _total(self.sums, self.c.shape[0], 1)
            if fabs(excess) <= PRICE_TOLERANCE * self.K:
                return
            if excess > 0.0:
                low = self.mu
            else:
                high = self.mu
                if self.mu <= 0.0:
                    return
            if slope > 0.0:
                self.mu += T * excess / slope
            if high < 0.0:
                # No price was too high yet: increase it, at most fourfold.
                self.mu = max(min(self.mu, 4.0 * low + T), 1.1 * low + 0.1 * T)
            elif not low < self.mu < high:
                self.mu = 0.0 if low <= 1e-9 * high else 0.5 * (low + high)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _choose(self, T: cython.double, mu: cython.double) -> cython.double:
        """Set every sigma_i; return sum c_i sigma_i."""
        k: cython.Py_ssize_t
        blocks: cython.Py_ssize_t = self.c.shape[0] // BLOCK_SIZE + 1
        for k in prange(blocks, schedule="static", num_threads=self.num_threads):
            self._choose_block(T, mu, k)
        return _total(self.sums, self.c.shape[0], 0)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _choose_block(
        self, T: cython.double, mu: cython.double, k: cython.Py_ssize_t
    ) -> cython.void:
        i: cython.Py_ssize_t
        x: cython.double
        sigma: cython.double
        cost: cython.double = 0.0
        slope: cython.double = 0.0
        for i in range(k * BLOCK_SIZE, min((k + 1) * BLOCK_SIZE, self.c.shape[0])):
            if self.c[i] > self.K:
                continue
            x = exp(-min(500.0, fabs(self.s[i] - mu * self.c[i]) / T))
            sigma = (1.0 if self.s[i] >= mu * self.c[i] else x) / (1.0 + x)
            self.sigma[i] = sigma
            cost += self.c[i] * sigma
            slope += self.c[i] * self.c[i] * sigma * (1.0 - sigma)
        self.sums[k, 0] = cost
        self.sums[k, 1] = slope


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
    sums: cython.double[:, ::1]
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
        self.sums = np.zeros((w.shape[0] // BLOCK_SIZE + 1, 1))
        self.slopes = np.zeros((num_threads, 2, min(BLOCK_SIZE, w.shape[0])))

    def step(
        self,
        sigma: cython.const[cython.double][::1],
        degrees: cython.const[cython.int][::1],
        T: cython.double,
        momentum: cython.double,
    ) -> cython.double:
        """Update every multiplier; return a positive number if momentum was uphill."""
        uphill: cython.double
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
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
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
        return _total(self.sums, self.w.shape[0], 0)

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
        slope: cython.double
        curvature: cython.double
        moved: cython.double
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
        self.sums[k, 0] = uphill


@cython.cclass
class Dual:
    """Multipliers and a price, which `descend` improves."""

    item_start: cython.const[cython.longlong][::1]
    item_elements: cython.const[cython.int][::1]
    degrees: cython.const[cython.int][::1]
    chosen: Choice
    steps: Steps
    s: cython.double[::1]
    pace: cython.double
    num_threads: cython.int

    def __init__(
        self,
        c: cython.const[cython.double][::1],
        w: cython.const[cython.double][::1],
        item_start: cython.const[cython.longlong][::1],
        item_elements: cython.const[cython.int][::1],
        element_start: cython.const[cython.longlong][::1],
        element_items: cython.const[cython.int][::1],
        K: cython.double,
        mu: cython.double,
        lam: cython.double[::1],
        num_threads: cython.int,
        least_curvature: cython.double,
        group_start: cython.const[cython.longlong][::1],
        group_items: cython.const[cython.longlong][::1],
        at_most: cython.const[cython.double][::1],
    ) -> None:
        """Start from the multipliers in `lam`, which is updated in place."""
        self.item_start = item_start
        self.item_elements = item_elements
        self.degrees = np.diff(item_start).astype(np.int32)
        self.num_threads = num_threads
        self.pace = 1.0
        self.s = np.zeros(c.shape[0])
        self.chosen = Choice(
            c,
            K,
            mu,
            self.s,
            np.zeros(c.shape[0]),
            num_threads,
            group_start,
            group_items,
            at_most,
        )
        self.steps = Steps(
            w,
            element_start,
            element_items,
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
        k: cython.Py_ssize_t
        uphill: cython.double
        with cython.nogil:
            for k in range(iterations):
                self._sum_multipliers()
                self.chosen.update(T)
                uphill = self.steps.update(
                    self.chosen.sigma, self.degrees, T, momentum_at(self.pace)
                )
                self.pace = 1.0 if uphill > 0.0 else next_pace(self.pace)
                T = max(least_T, cooling * T)
        return T

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _sum_multipliers(self) -> cython.void:
        """s_i = sum of the multipliers of the elements of i."""
        i: cython.Py_ssize_t
        for i in prange(
            self.s.shape[0], schedule="static", num_threads=self.num_threads
        ):
            self.s[i] = _sum_over(
                self.steps.y,
                self.item_elements,
                self.item_start[i],
                self.item_start[i + 1],
            )


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


def sum_along(
    values: cython.const[cython.double][::1],
    element_start: cython.const[cython.longlong][::1],
    element_items: cython.const[cython.int][::1],
    s: cython.double[::1],
) -> None:
    """s_i = sum of the values of the elements of i, without edges grouped by item."""
    a: cython.Py_ssize_t
    e: cython.Py_ssize_t
    with cython.nogil:
        s[:] = 0.0
        for a in range(values.shape[0]):
            for e in range(element_start[a], element_start[a + 1]):
                s[element_items[e]] += values[a]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _total(
    sums: cython.const[cython.double][:, ::1],
    size: cython.Py_ssize_t,
    column: cython.Py_ssize_t,
) -> cython.double:
    """Sum over the blocks of that many items or elements."""
    k: cython.Py_ssize_t
    total: cython.double = 0.0
    for k in range(size // BLOCK_SIZE + 1):
        total += sums[k, column]
    return total


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _sum_over(
    values: cython.const[cython.double][::1],
    indices: cython.const[cython.int][::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> cython.double:
    e: cython.Py_ssize_t
    total: cython.double = 0.0
    for e in range(first, last):
        total = total + values[indices[e]]
    return total
