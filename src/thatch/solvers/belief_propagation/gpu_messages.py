"""Messages on a GPU: the same as `Messages`, with all arrays on the device."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, NamedTuple

import cupy
import numpy as np

from thatch._kernels import gpu_messages as kernel
from thatch._kernels.gpu import Graph, uploaded
from thatch.arrays import Floats, Ints
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.edges import Edges
from thatch.run.beliefs import Beliefs
from thatch.solvers.belief_propagation.disjoint_union import (
    LARGEST_PRODUCT,
    DisjointUnion,
    quotient,
)
from thatch.solvers.belief_propagation.priced_problem import PricedProblem
from thatch.solvers.belief_propagation.scaled_beliefs import ScaledBeliefs
from thatch.solvers.belief_propagation.schedule import Precision, price_step

# Largest scaled weight x for which e^-x is a normal single, or double.
_LARGEST_IN_SINGLES, _LARGEST_IN_DOUBLES = 80.0, 690.0


class GpuRepresentation(NamedTuple):
    """The number type and the algebra of messages on a GPU."""

    real: type
    algebra: str

    @classmethod
    def suitable_for(
        cls, priced: PricedProblem, precision: Precision
    ) -> GpuRepresentation:
        """The fastest representation whose range suffices."""
        if np.isinf(priced.used_inverse_temperature):
            return cls(np.float64, "TROPICAL")
        may_be_single = precision is Precision.SINGLE and priced.fits_singles
        return cls.up_to(priced.largest_scaled_weight, may_be_single=may_be_single)

    @classmethod
    def up_to(
        cls, largest_scaled_weight: float, *, may_be_single: bool
    ) -> GpuRepresentation:
        """The fastest representation for scaled weights up to that."""
        if may_be_single and largest_scaled_weight <= _LARGEST_IN_SINGLES:
            return cls(np.float32, "LINEAR")
        is_linear = largest_scaled_weight <= _LARGEST_IN_DOUBLES
        return cls(np.float64, "LINEAR" if is_linear else "LOGS")


class GpuMessages:
    """All messages of a union of priced problems, on a GPU."""

    def __init__(
        self,
        priced_problems: Sequence[PricedProblem],
        *,
        representation: GpuRepresentation,
        graph: Graph | None = None,
    ) -> None:
        """Copy the problems to the device, unless their graph is there already."""
        self._union = union = DisjointUnion(priced_problems)
        self._representation = representation
        #: The edges of all problems, on the device.
        self.graph = graph or _joined([priced.problem for priced in priced_problems])
        is_single = len(priced_problems) == 1
        self._problem_of_item = None if is_single else _places(union.items)
        self._problem_of_element = None if is_single else _places(union.elements)
        self._costs = uploaded(union.costs)
        scales = self._of_elements(cupy.asarray(union.scales))
        self._weights = self.graph.in_order(union.weights)
        self._scaled_weights = cupy.minimum(LARGEST_PRODUCT, self._weights * scales)
        unclaimed = self._log_unclaimed()
        if representation.algebra == "LINEAR":
            unclaimed = cupy.exp(unclaimed)
        self._unclaimed = unclaimed.astype(representation.real)
        self._messages = kernel.Messages(
            self.graph, real=representation.real, algebra=representation.algebra
        )
        self._prices = kernel.Prices(
            union.items,
            budgets=union.budgets,
            scales=union.scales,
            is_free=union.is_free,
            first=self._first_prices(),
        )
        self._changes = cupy.full(len(priced_problems), inf)
        self._share = 0.0
        # As in `Messages`: infinite before the first iteration.
        self._undamped_share = inf

    def _first_prices(self) -> Any:
        """As in `PricedProblem`; that of a large problem is found on the device."""
        union = self._union
        if len(union.priced_problems) > 1 or not union.priced_problems[0].is_static:
            return union.first_prices
        merits = self.graph.sums_of_elements(self._weights)
        ratios = cupy.where(merits > 0, merits / self._costs, 0.0)
        order = cupy.argsort(-ratios)
        spent = cupy.cumsum(self._costs[order])
        budgets = cupy.asarray(union.budgets)
        place = int(cupy.searchsorted(spent, budgets, side="right")[0])
        price = float(ratios[order[place]]) if place < order.size else 0.0
        return np.array([price if price < inf else 0.0])

    def _of_elements(self, values: Any) -> Any:
        if self._problem_of_element is None:
            return values[0]
        return values[self._problem_of_element]

    def _log_unclaimed(self) -> Any:
        """ln(1 - q_a) = -ln(1 + e^(beta w_a)), or its limit."""
        x = self._scaled_weights
        if self._representation.algebra == "TROPICAL":
            return -cupy.maximum(0.0, x)
        return -cupy.logaddexp(0.0, x)

    @property
    def prices(self) -> Floats:
        """The present prices, one per problem."""
        prices: Floats = self._prices.prices.get()
        return prices

    @property
    def largest_changes(self) -> Floats:
        """The largest change of a message in the last iteration, one per problem."""
        if self._undamped_share == inf:
            return np.full(len(self._union.priced_problems), inf)
        return quotient(self._undamped_share * self._changes.get(), self._union.scales)

    @property
    def largest_scaled_change(self) -> float:
        """The largest scaled change of any message."""
        return float(self._undamped_share * self._changes.max())

    def adapt_prices(self, t: int) -> None:
        """Adapt prices that are not given toward those that spend the budget."""
        if self._union.is_free.any():
            self._prices.adapt(self._messages, self._costs, price_step(t))

    def reinforce(self, share: float) -> None:
        """Add that share of its last field to every item, for one iteration."""
        self._share = share

    def iterate(self, damping: float) -> None:
        """Update every message once: all h by (BP1), then all h_hat by (BP2)."""
        self._gather(self._messages, self._share, costs=self._costs)
        self._messages.reply(
            self._unclaimed, self._problem_of_element, damping, self._changes
        )
        self._share = 0.0
        self._undamped_share = 1.0 - damping

    def _gather(self, messages: kernel.Gathering, share: float, *, costs: Any) -> None:
        messages.gather(costs, self._problem_of_item, self._prices.dues, share)

    def item_fields(self) -> Any:
        """Scaled fields at the start of the last iteration, on the device."""
        return self._messages.fields()

    def item_replies(self) -> Any:
        """Scaled sums of the present messages to each item, on the device."""
        return self._replies_of(self._reader())

    def _reader(self) -> kernel.Reader:
        is_cold = self._representation.algebra == "TROPICAL"
        return kernel.Reader(self._messages, algebra="TROPICAL" if is_cold else "LOGS")

    def _replies_of(self, reader: kernel.Reader) -> Any:
        self._gather(reader, 0.0, costs=cupy.zeros_like(self._costs))
        return reader.fields()

    def beliefs(self) -> list[Beliefs]:
        """Fields, marginals and thermodynamics of the present messages."""
        return self._union.beliefs(self._read(), self.prices, self.largest_changes)

    def _read(self) -> ScaledBeliefs:
        """The scaled beliefs of the messages, computed in logarithms of doubles."""
        is_cold = self._representation.algebra == "TROPICAL"
        reader = self._reader()
        replies = self._replies_of(reader).get()
        self._gather(reader, 0.0, costs=self._costs)
        log_unclaimed = self._log_unclaimed()
        log_out, log_in, element_fields = reader.read_elements(log_unclaimed)
        fields = reader.fields()
        restored = self.graph.restored
        shares = (1 - cupy.diff(self.graph.item_start)).astype(np.float64)
        softplus = cupy.maximum if is_cold else cupy.logaddexp
        return ScaledBeliefs(
            item_fields=fields.get(),
            item_replies=replies,
            element_fields=restored(element_fields).get(),
            item_marginals=_logistic(fields, is_cold).get(),
            element_marginals=restored(
                _logistic(self._scaled_weights + log_in, is_cold)
            ).get(),
            log_of_items=(shares * softplus(0.0, fields)).get(),
            log_of_elements=restored(-log_unclaimed - log_out - element_fields).get(),
        )


def _logistic(x: Any, is_cold: bool) -> Any:
    """1 / (1 + e^-x), or its limit."""
    if is_cold:
        return 0.5 * (1.0 + cupy.sign(x))
    small = cupy.exp(-cupy.abs(x))
    return cupy.where(x >= 0, 1.0, small) / (1.0 + small)


def _places(offsets: Ints) -> Any:
    """The problem of each position: int32, on the device."""
    ends = cupy.asarray(offsets[1:])
    positions = cupy.arange(int(offsets[-1]))
    return cupy.searchsorted(ends, positions, side="right").astype(np.int32)


def _joined(problems: Sequence[CoverageProblem]) -> Graph:
    """All graphs as one on the device; repeated problems are copied there."""
    numbers: dict[int, int] = {}
    distinct: list[Edges] = []
    for problem in problems:
        if id(problem) not in numbers:
            numbers[id(problem)] = len(distinct)
            distinct.append(problem.edges)
    edges = distinct[0] if len(distinct) == 1 else Edges.union(distinct)
    # The elements of a union stay grouped by problem.
    graph = Graph.of(edges, may_reorder=len(problems) == 1)
    if len(distinct) == len(problems):
        return graph
    sizes = np.array(
        [[each.num_items, each.num_elements, each.num_edges] for each in distinct]
    )
    return graph.repeated(sizes, np.array([numbers[id(each)] for each in problems]))
