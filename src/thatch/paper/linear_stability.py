"""Fixed points of the messages on one graph, and the fate of small perturbations.

A perturbation x of all h_hat becomes J x by one undamped update, with

    J = dh_hat_ai / dh_hat_bj
      = -p / (1 - p) / (1 + exp(-beta h_ja))    for j != i in a, b != a in j,
    p = q_a / prod_{k in a, k != i} (1 + exp(beta h_ka)),
    q_a = 1 / (1 + exp(-beta w_a)),

and [d + (1 - d) J] x by an update with damping d. No entry of J is positive, so the
eigenvalue of largest modulus is real and negative (Perron and Frobenius): without
damping, what grows first is an oscillation of period two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array, eye_array
from scipy.sparse.linalg import eigs
from scipy.special import expit

from thatch.arrays import Floats, Ints, sums_by
from thatch.machine.caching import cached_property
from thatch.problem.coverage_problem import CoverageProblem


@dataclass(frozen=True)
class UpdateMap:
    """One parallel update of all messages h_hat, and its derivative.

    Messages are float64, shape (num_edges,), in the order of the items.
    """

    problem: CoverageProblem
    inverse_temperature: float
    price: float

    @property
    def num_edges(self) -> int:
        """Number of messages."""
        return self.problem.num_edges

    def __call__(self, h_hat: Floats) -> Floats:
        """The undamped update, eqs. (BP1) and (BP2)."""
        log_p = self._log_p(self._up(h_hat))
        reply: Floats = -np.log(-np.expm1(log_p)) / self.inverse_temperature
        return reply

    def jacobian(self, h_hat: Floats) -> Any:
        """The derivative J of the undamped update: a sparse array."""
        h = self._up(h_hat)
        odds = 1.0 / np.expm1(-self._log_p(h))
        is_on = expit(self.inverse_temperature * h)
        replies = diags_array(-odds) @ self._same_element @ diags_array(is_on)
        return csr_array(replies @ self._same_item)

    def fixed_point(self, start: Floats) -> Floats | None:
        """The fixed point that Newton's method finds from there, stable or not."""
        h_hat, identity = start, np.eye(self.num_edges)
        # A step that is too long leads to numbers that are not finite.
        with np.errstate(all="ignore"):
            max_newton_steps = 40
            for _ in range(max_newton_steps):
                excess = h_hat - self(h_hat)
                tolerance = 1e-10
                if abs(excess).max() < tolerance:
                    return h_hat
                slope = identity - self.jacobian(h_hat).toarray()
                if not (np.isfinite(slope).all() and np.isfinite(excess).all()):
                    return None
                # Replies are never negative.
                h_hat = np.maximum(h_hat - np.linalg.solve(slope, excess), 0.0)
        return None

    def _up(self, h_hat: Floats) -> Floats:
        """The messages h, eq. (BP1)."""
        sums = sums_by(self._item, h_hat, self.problem.num_items)
        return (sums - self.price * self.problem.costs)[self._item] - h_hat

    def _log_p(self, h: Floats) -> Floats:
        """Logarithm of p, for each edge."""
        beta, element = self.inverse_temperature, self._element
        logs = np.logaddexp(0.0, beta * h)
        others = sums_by(element, logs, self.problem.num_elements)[element] - logs
        log_q = -np.logaddexp(0.0, -beta * self.problem.weights)
        log_p: Floats = log_q[element] - others
        return log_p

    @cached_property
    def _item(self) -> Ints:
        edges = self.problem.edges
        return np.repeat(np.arange(edges.num_items), edges.item_degrees)

    @cached_property
    def _element(self) -> Ints:
        return self.problem.edges.item_elements.astype(np.int64)

    @cached_property
    def _same_item(self) -> Any:
        return _pairs(self._item)

    @cached_property
    def _same_element(self) -> Any:
        return _pairs(self._element)


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues of J that decide which updates converge."""

    #: The largest modulus. Above 1, undamped updates oscillate with period two.
    radius: float
    #: The largest real part. Above 1, updates diverge from here at any damping.
    largest_real_part: float
    #: The largest modulus of 1/2 + J/2: above 1, updates with damping 0.5 diverge.
    damped_radius: float

    @property
    def is_stable(self) -> float:
        """1 if updates with damping 0.5 return to the fixed point, 0 if not, or NaN."""
        return np.nan if np.isnan(self.damped_radius) else float(self.damped_radius < 1)

    @property
    def is_incurable(self) -> float:
        """1 if updates diverge at any damping, 0 if not, or NaN."""
        part = self.largest_real_part
        return np.nan if np.isnan(part) else float(part > 1)

    @classmethod
    def of(cls, jacobian: Any) -> Spectrum:
        """Compute the three with ARPACK."""
        damped = 0.5 * (eye_array(jacobian.shape[0]) + jacobian)
        return cls(
            radius=abs(_extreme(jacobian, "LM")),
            largest_real_part=_extreme(jacobian, "LR").real,
            damped_radius=abs(_extreme(damped, "LM")),
        )


def _extreme(matrix: Any, which: str) -> complex:
    # A fixed start gives the same digits in every run.
    start = np.random.default_rng(0).standard_normal(matrix.shape[0])
    # Vectors that ARPACK keeps; with its default of 20, clustered eigenvalues take
    # long.
    found = eigs(
        csr_array(matrix), k=1, which=which, ncv=60, v0=start, return_eigenvectors=False
    )
    return complex(found[0])


def _pairs(labels: Ints) -> Any:
    """A sparse array with 1 where two different edges have the same label."""
    count = labels.size
    member = csr_array((np.ones(count), (np.arange(count), labels)))
    return csr_array(member @ member.T - eye_array(count))
