"""How far items are chosen, and at which prices: the items of the dual descent."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.math import exp, fabs
from cython.parallel import prange

# Items that one thread handles at a time.
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
            for g in range(self.nu.shape[0]):
                self._price_group(g, T)
            self._find_price(T)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _price_group(self, g: cython.Py_ssize_t, T: cython.double) -> cython.void:
        """Reduce s_i by the price of the group, which solves sum sigma_i = k.

        It is found by Newton steps that bisection safeguards.
        """
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
        for e in range(self.group_start[g], self.group_start[g + 1]):
            self.s[self.group_items[e]] -= nu

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _find_price(self, T: cython.double) -> cython.void:
        """Solve sum c_i sigma_i = K by Newton steps, safeguarded by bisection."""
        t: cython.Py_ssize_t
        low: cython.double = 0.0
        high: cython.double = -1.0
        for t in range(PRICE_TRIALS):
            for k in prange(
                self.sums.shape[0], schedule="static", num_threads=self.num_threads
            ):
                self._choose_block(T, k)
            excess = _total(self.sums, 0) - self.K
            slope = _total(self.sums, 1)
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
    def _choose_block(self, T: cython.double, k: cython.Py_ssize_t) -> cython.void:
        """Set every sigma_i of a block, and add up c_i sigma_i."""
        mu: cython.double = self.mu
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _total(
    sums: cython.const[cython.double][:, ::1], column: cython.Py_ssize_t
) -> cython.double:
    """Sum over the blocks."""
    total: cython.double = 0.0
    for k in range(sums.shape[0]):
        total += sums[k, column]
    return total
