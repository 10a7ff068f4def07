"""Beliefs: what belief propagation says about items and elements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thatch.arrays import Floats
from thatch.notebook import Table, as_html
from thatch.run.symbols import Symbols

# A notebook shows this many of the likeliest items.
_MAX_ROWS = 10


@dataclass(frozen=True, eq=False)
class Beliefs(Symbols):
    """Fields and marginals at one inverse temperature and price.

    The marginals follow the paper's partition function, in which a covered element may
    also stay unclaimed (y_a = 0): an item marginal is the probability that the item is
    chosen, an element marginal the probability that the element is claimed.

    >>> from thatch import PricedProblem, propagate
    >>> from thatch.instances import toy
    >>> (beliefs,) = propagate([PricedProblem(toy.star(4).problem, price=9.0)])
    >>> round(beliefs.expected_cost, 3)
    1.0
    """

    inverse_temperature: float
    price: float
    #: float64, shape (num_items,): the field h_i of the paper's eq. (BP3).
    item_fields: Floats
    #: float64, shape (num_items,): the sum of the messages h_hat to the item, which is
    #: its field without the price. Per cost, it orders items as fields do, and without
    #: their rounding error at high prices.
    item_replies: Floats
    #: float64, shape (num_elements,): the field eta_a of eq. (BP4), as printed.
    element_fields: Floats
    #: float64, shape (num_items,): probability that the item is chosen.
    item_marginals: Floats
    #: float64, shape (num_elements,): probability that the element is claimed.
    element_marginals: Floats
    #: Cost times marginal, summed over the items.
    expected_cost: float
    #: Bethe free energy, -ln(Z) / inverse temperature; exact on trees.
    free_energy: float
    #: Bethe entropy in nats; exact on trees. NaN at zero temperature, where max-sum
    #: does not count the optimal selections.
    entropy: float
    #: The largest change of any message in the last iteration.
    largest_change: float

    def _repr_html_(self) -> str:
        facts: dict[str, str | float] = {
            "inverse temperature": self.inverse_temperature,
            "price": self.price,
            "expected cost": self.expected_cost,
            "free energy": self.free_energy,
            "entropy": self.entropy,
            "largest change": self.largest_change,
        }
        likeliest = np.argsort(-self.item_marginals, kind="stable")[:_MAX_ROWS].tolist()
        rows = [(str(i), float(self.item_marginals[i])) for i in likeliest]
        num_left_out = self.item_marginals.size - len(rows)
        table = Table(("item", "marginal"), rows, num_left_out)
        return as_html("Beliefs", facts, table)
