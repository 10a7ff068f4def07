"""What messages say of items and elements, before it is told apart by part."""

from __future__ import annotations

from dataclasses import dataclass

from thatch.arrays import Floats


@dataclass(frozen=True)
class ScaledBeliefs:
    """What the messages say of all items and elements, scaled."""

    item_fields: Floats
    element_fields: Floats
    item_marginals: Floats
    element_marginals: Floats
    #: Terms of the Bethe ln Z, one an item and one an element.
    log_of_items: Floats
    log_of_elements: Floats
