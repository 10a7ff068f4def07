"""Scaled beliefs of a disjoint union, before they are split by problem."""

from __future__ import annotations

from dataclasses import dataclass

from thatch.arrays import Floats


@dataclass(frozen=True)
class ScaledBeliefs:
    """Scaled fields and marginals of all items and elements of a union."""

    item_fields: Floats
    #: The fields without the price.
    item_replies: Floats
    element_fields: Floats
    item_marginals: Floats
    element_marginals: Floats
    #: Terms of the Bethe ln Z, one per item and one per element.
    log_of_items: Floats
    log_of_elements: Floats
