"""Population dynamics: the cavity equations of an ensemble, solved by sampling.

In a large random graph, the messages that arrive at an item come from distant parts of
it: they are independent, and drawn from one law. A population of messages stands for
that law. Every sweep joins the ends of all edges again, draws costs and weights, and
updates messages as belief propagation does; so a message meets different ones each
time, as on an infinite tree. Only a share of the messages is updated at a time: the law
moves gradually, which damps its oscillations without changing where it ends. If it
oscillates all the same, the share is halved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from thatch.arrays import Flags, Floats
from thatch.errors import InputError, InputTypeError
from thatch.machine.devices import require_threads
from thatch.options import require_integer
from thatch.paper.ensembles.ensemble import Ensemble, Sample
from thatch.problem.instances.randomness import Randomness
from thatch.run.beliefs import one_of
from thatch.solvers.belief_propagation.disjoint_union import product
from thatch.solvers.belief_propagation.priced_problem import (
    require_temperature_and_price,
)
from thatch.solvers.belief_propagation.representations import (
    LARGEST_IN_PRODUCTS,
    Logarithms,
    Products,
    Representation,
    Work,
)

# Size of a perturbation of messages times the inverse temperature: far above the
# rounding error, and far below what the second derivative would change.
_PERTURBATION = 1e-6


@dataclass(frozen=True)
class Snapshot:
    """What one population says, per item."""

    #: Weight of the covered elements.
    covered_weight: float
    #: Weight of the claimed elements.
    claimed_weight: float
    cost: float
    free_energy: float
    #: In nats.
    entropy: float
    #: Weight of the elements that Algorithm 2 covers; NaN without a budget.
    rounded_weight: float


class Population:
    """Messages of an ensemble, one per edge of a graph that is drawn in each sweep.

    >>> population = Population(
    ...     Ensemble(), inverse_temperature=0.3, price=5.0, num_items=1000
    ... )
    >>> for _ in range(20):
    ...     _ = population.sweep()
    >>> 0.8 < population.measure().cost < 1.1
    True
    """

    def __init__(
        self,
        ensemble: Ensemble,
        *,
        inverse_temperature: float | None = None,
        price: float | None = None,
        num_items: int = 20_000,
        seed: int = 0,
        num_threads: int = 1,
        beta: float | None = None,
        mu: float | None = None,
    ) -> None:
        _require_ensemble(ensemble)
        require_threads(num_threads)
        self.inverse_temperature: float = _given(
            "inverse_temperature", inverse_temperature, "beta", beta
        )
        self.price: float = _given("price", price, "mu", mu)
        require_temperature_and_price(self.inverse_temperature, self.price)
        if np.isinf(self.inverse_temperature):
            raise InputError(
                "inverse_temperature is inf; a population needs a finite one.",
                hint="Pass a large number, such as 30 divided by the mean weight.",
            )
        self._ensemble = ensemble
        self._sample: Sample = ensemble.sample(num_items)
        self._randomness = Randomness(seed)
        self._num_threads = num_threads
        self._updates_per_sweep = 1
        self._last_costs: list[float] = []
        self._costs = self._weights = np.zeros(0)
        self._messages: Representation = self._drawn(None)

    @property
    def num_items(self) -> int:
        """Items of the graph."""
        return self._sample.num_items

    def sweep(self) -> float:
        """Draw a graph, and update the messages of a random half of its elements.

        If the messages oscillate, several graphs are drawn, and fewer elements of each
        are updated. Returns the expected cost per item before the last update.
        """
        cost = 0.0
        for _ in range(self._updates_per_sweep):
            spent = self._update()
            cost = float(spent.mean())
            error = float(spent.std()) / self.num_items**0.5
            self._slow_down_if_oscillating(cost, error)
        return cost

    def _update(self) -> Floats:
        """Update some messages; return the expected costs of items before that."""
        self._messages = self._drawn(self._messages)
        self._messages.gather()
        self._messages.reply_on(self._some_edges())
        return np.asarray(self._costs * self._messages.item_marginals())

    def _slow_down_if_oscillating(self, cost: float, error: float) -> None:
        self._last_costs.append(cost)
        # The law oscillates if the median of the second differences of the last costs
        # is more than five statistical errors of a cost. Chance gives 1.7 of them, and
        # the median ignores the first steps from the start.
        if len(self._last_costs) < 12:
            return
        second_differences = np.diff(self._last_costs, n=2)
        self._last_costs.clear()
        if np.median(np.abs(second_differences)) > 5.0 * error:
            # More would only slow down what does not oscillate.
            self._updates_per_sweep = min(2 * self._updates_per_sweep, 64)

    def growth(self, num_sweeps: int, *, is_uniform: bool = False) -> Estimate:
        """Factor by which a small perturbation of all messages grows per update.

        A random perturbation differs from message to message. If it grows, the messages
        of a large graph have no stable fixed point, and the assumption of one law for
        all of them fails. A uniform one has the same sign for all messages, and every
        update reverses it. If it grows, messages oscillate together; damping prevents
        that.

        Parameters
        ----------
        num_sweeps
            Sweeps to average over, after a quarter as many.
        is_uniform
            Whether the perturbation is uniform; else its signs are random.
        """
        require_integer("num_sweeps", num_sweeps, least=1, hint="Pass 40, for example.")
        num_edges = int(self._sample.item_degrees.sum())
        perturbation = np.full(num_edges, _PERTURBATION)
        factors, first = [], num_sweeps // 4
        for _ in range((first + num_sweeps) * self._updates_per_sweep):
            if not is_uniform:
                signs = self._randomness.integers(0, 1, size=num_edges)
                perturbation = perturbation * (2.0 * signs - 1.0)
            is_updated = self._some_edges()
            after = self._perturbed(perturbation, is_updated)
            factor = _size(after, is_uniform) / _size(perturbation, is_uniform)
            if factor == 0.0:
                # All messages are at their limits: nothing is passed on.
                return Estimate(0.0, 0.0)
            factors.append(factor)
            # What was not updated has grown less often; it must not count for less.
            perturbation = np.where(is_updated, after, factor * perturbation)
            perturbation *= _PERTURBATION / _size(perturbation, is_uniform)
        return Estimate.of_factors(factors[first * self._updates_per_sweep :])

    def _perturbed(self, perturbation: Floats, is_updated: Flags) -> Floats:
        """The perturbation after an update of all messages, of which some are kept."""
        self._messages = self._drawn(self._messages)
        fresh = []
        for shift in (0.0, perturbation):
            copy = Logarithms(self._work, self._scaled_weights)
            copy.start_from(self._messages.log_replies() + shift)
            copy.set_prices(self._scaled_prices)
            copy.gather()
            fresh.append(copy.fresh_replies())
        self._messages.gather()
        self._messages.reply_on(is_updated)
        # Every update reverses the sign: reversed again, all stay positive.
        return fresh[0] - fresh[1]

    def _some_edges(self) -> Flags:
        degrees = self._sample.element_degrees
        # Share of the elements whose messages are replaced in a sweep.
        share = 0.5 / self._updates_per_sweep
        chosen = self._randomness.reals(degrees.size) < share
        return np.repeat(chosen, degrees)

    def measure(self, *, budget: float | None = None) -> Snapshot:
        """Averages over the items and elements of a new graph.

        With a budget per item, also the weight that Algorithm 2 covers within it.
        """
        self._messages = messages = self._drawn(self._messages)
        beta, count = self.inverse_temperature, self.num_items
        messages.gather()
        item_fields = messages.item_fields()
        # What items hear from elsewhere, and with it what they hear from an element.
        heard = item_fields[self._edges.element_items] + messages.log_replies()
        fields = heard - messages.fresh_replies()
        read = messages.read(self._scaled_prices)
        cost = float(self._costs @ read.item_marginals) / count
        claimed = self._weights * read.element_marginals
        # Covered elements may stay unclaimed: with odds of 1 to e^(beta w).
        covered = float(claimed @ (1.0 + np.exp(-beta * self._weights))) / count
        log_partition = read.log_of_items.sum() + read.log_of_elements.sum()
        # The entropies of all elements and of their items less what is counted twice.
        # Unlike that of the energy less the free energy, their error is small.
        of_elements = read.log_of_elements.sum() - beta * claimed.sum()
        of_elements -= Logarithms.logistic(fields) @ heard
        shares = 1.0 - self._sample.item_degrees
        of_items = read.log_of_items - shares * read.item_marginals * item_fields
        return Snapshot(
            covered_weight=covered,
            claimed_weight=float(claimed.sum()) / count,
            cost=cost,
            free_energy=-float(log_partition) / (beta * count),
            entropy=float(of_elements + of_items.sum()) / count,
            rounded_weight=(
                nan if budget is None else self._rounded_weight(fields, budget)
            ),
        )

    def _rounded_weight(self, fields: Floats, budget: float) -> float:
        """Weight that Algorithm 2 covers per item.

        It chooses the items of highest field per cost. In a large graph that is a
        threshold; it is found by the fields of the items, and applied to those of
        an element.
        """
        ratios = self._messages.item_fields() / self._costs
        order = np.argsort(-ratios, kind="stable")
        spent = np.cumsum(self._costs[order])
        last = int(np.searchsorted(spent, budget * self.num_items))
        threshold = ratios[order[min(last, order.size - 1)]]
        items = self._edges.element_items
        is_covered = self._any(fields / self._costs[items] >= threshold)
        return float(self._weights @ is_covered) / self.num_items

    def _any(self, flags: Flags) -> Flags:
        """Whether any edge of each element has a flag."""
        counts = np.append(0, np.cumsum(flags))
        starts = self._edges.element_start
        return np.asarray(counts[starts[1:]] > counts[starts[:-1]])

    def _drawn(self, messages: Representation | None) -> Representation:
        """The messages on a new graph, with new costs and weights."""
        sample, randomness = self._sample, self._randomness
        self._edges = sample.joined(randomness)
        self._costs = self._ensemble.costs(randomness, sample.item_degrees)
        self._weights = self._ensemble.weights(randomness, sample.element_degrees)
        beta = self.inverse_temperature
        self._scaled_weights = scaled_weights = product(self._weights, beta)
        offsets = np.array([0, sample.num_elements])
        self._work = work = Work(self._edges, offsets, num_threads=self._num_threads)
        if messages is None:
            # Weights drawn later may be larger.
            is_small = 2.0 * scaled_weights.max(initial=0.0) <= LARGEST_IN_PRODUCTS
            representation = Products if is_small else Logarithms
            messages = representation(work, scaled_weights)
        else:
            messages = messages.carried_to(work, scaled_weights)
        self._scaled_prices: Floats = product(beta * self.price, self._costs)
        messages.set_prices(self._scaled_prices)
        return messages


def _require_ensemble(ensemble: object) -> None:
    if not isinstance(ensemble, Ensemble):
        raise InputTypeError(
            f"ensemble is {ensemble!r}; it must be an Ensemble.",
            hint="Write Ensemble(item_degrees=9, element_degrees=3).",
        )


def _given(name: str, value: float | None, symbol: str, same: float | None) -> float:
    found = one_of(name, value, symbol, same)
    if found is None:
        raise InputTypeError(
            f"{name} is not given.", hint=f"Pass {name}=3.0, or {symbol}=3.0."
        )
    return found


def _size(perturbation: Floats, is_uniform: bool) -> float:
    """The mean of a uniform perturbation, the root mean square of a random one."""
    if is_uniform:
        return float(np.mean(perturbation))
    return float(np.sqrt(np.mean(perturbation**2)))


@dataclass(frozen=True)
class Estimate:
    """A mean and its standard error.

    >>> print(Estimate(1.25, 0.004))
    1.2500 ± 0.0040
    """

    mean: float
    error: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Estimate:
        """The mean of correlated values in the order in which they were found."""
        # Snapshots of successive sweeps are correlated; means of this many blocks are
        # not.
        blocks = np.array_split(np.asarray(values), min(10, len(values)))
        means = np.array([block.mean() for block in blocks])
        if means.size < 2:
            return cls(float(means.mean()), nan)
        error = means.std(ddof=1) / np.sqrt(means.size)
        return cls(float(np.mean(values)), float(error))

    @classmethod
    def of_factors(cls, factors: Sequence[float]) -> Estimate:
        """The geometric mean of correlated factors.

        >>> Estimate.of_factors([2.0, 8.0]).mean
        4.0
        """
        of_logarithms = cls.of(np.log(np.asarray(factors)).tolist())
        mean = float(np.exp(of_logarithms.mean))
        return cls(mean, mean * of_logarithms.error)

    def __str__(self) -> str:
        return f"{self.mean:.4f} ± {self.error:.4f}"
