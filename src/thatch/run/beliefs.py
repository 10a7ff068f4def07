"""Beliefs: what belief propagation says about items and elements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from thatch.arrays import Floats
from thatch.errors import InputTypeError
from thatch.problem.notebook import Table, as_html

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)


class _Priced(Protocol[_T_co]):
    @property
    def inverse_temperature(self) -> _T_co: ...

    @property
    def price(self) -> _T_co: ...


class Symbols:
    """What has an inverse temperature and a price also has `beta` and `mu`."""

    @property
    def beta(self: _Priced[_T]) -> _T:
        """The inverse temperature."""
        return self.inverse_temperature

    @property
    def mu(self: _Priced[_T]) -> _T:
        """The price."""
        return self.price


def one_of(name: str, value: _T | None, symbol: str, same: _T | None) -> _T | None:
    """The value of an argument that has two names.

    Parameters
    ----------
    name, value
        The argument, None if it is not given.
    symbol, same
        The same argument by its symbol.

    Raises
    ------
    InputTypeError
        If it is given by both names.

    >>> one_of("price", None, "mu", 5.0)
    5.0
    """
    if value is not None and same is not None:
        raise InputTypeError(
            f"{name} is {value!r} and {symbol} is {same!r}; they are two names for "
            "the same argument.",
            hint=f"Pass {name} or {symbol}.",
        )
    return value if same is None else same


@dataclass(frozen=True, eq=False)
class Beliefs(Symbols):
    """Fields and marginals at one inverse temperature and price.

    The marginals follow the paper's partition function, in which a covered element may
    also stay unclaimed (y_a = 0): an item marginal is the probability that the item is
    chosen, an element marginal the probability that the element is claimed.

    >>> from thatch import PricedProblem, propagate
    >>> from thatch.problem.instances import toy
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
        # A notebook shows this many of the likeliest items.
        likeliest = np.argsort(-self.item_marginals, kind="stable")[:10].tolist()
        rows = [(str(i), float(self.item_marginals[i])) for i in likeliest]
        num_left_out = self.item_marginals.size - len(rows)
        table = Table(("item", "marginal"), rows, num_left_out)
        return as_html("Beliefs", facts, table)
