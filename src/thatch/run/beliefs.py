"""What message passing believes about items and elements."""

from __future__ import annotations

from dataclasses import dataclass

from thatch.arrays import Floats


@dataclass(frozen=True, eq=False)
class Beliefs:
    """Fields and marginals at one inverse temperature and price.

    The marginals follow the paper's partition function, in which a covered element
    may also stay unclaimed: an item is chosen with the item marginal, an element is
    claimed with the element marginal.

    >>> from thatch import PricedProblem, propagate
    >>> from thatch.instances import toy
    >>> (beliefs,) = propagate([PricedProblem(toy.star(4).problem, price=9.0)])
    >>> round(beliefs.expected_cost, 3)
    1.0
    """

    inverse_temperature: float
    price: float
    #: float64, one an item: the field h_i of the paper's eq. (BP3).
    item_fields: Floats
    #: float64, one an element: the field eta_a of eq. (BP4), as printed.
    element_fields: Floats
    #: float64, one an item: probability that it is chosen.
    item_marginals: Floats
    #: float64, one an element: probability that it is claimed, y_a = 1.
    element_marginals: Floats
    #: Cost times marginal, summed over the items.
    expected_cost: float
    #: Bethe free energy, -ln(Z) / inverse temperature; exact on trees.
    free_energy: float
    #: Bethe entropy in nats; exact on trees. NaN at zero temperature: max-sum knows the
    #: best selections, not how many there are.
    entropy: float
    #: The most that any message moved in the last iteration.
    largest_change: float
