"""The tables of a problem: its edges, and, if they are given, costs and weights."""

from __future__ import annotations

import os
from dataclasses import dataclass

from thatch.caching import cached_property
from thatch.errors import InputError
from thatch.files.locations import Location
from thatch.sharding.table_files import TableFiles
from thatch.sharding.table_formats import IdKind
from thatch.sharding.table_values import id_kind

__all__ = ["COST", "WEIGHT", "EdgeTables"]

#: Names of the columns of costs and of weights.
COST, WEIGHT = "cost", "weight"

Address = str | os.PathLike[str]


@dataclass(frozen=True)
class EdgeTables:
    """The tables, and the names of their columns of ids."""

    edges: TableFiles
    costs: TableFiles | None
    weights: TableFiles | None
    item: str
    element: str

    @classmethod
    def at(
        cls,
        edges: Address,
        costs: Address | None,
        weights: Address | None,
        *,
        item: str,
        element: str,
    ) -> EdgeTables:
        """The tables at some addresses, which must have their columns."""
        return cls(
            TableFiles(edges, [item, element]),
            None if costs is None else TableFiles(costs, [item, COST]),
            None if weights is None else TableFiles(weights, [element, WEIGHT]),
            item,
            element,
        )

    @cached_property
    def item_kind(self) -> IdKind:
        """What the ids of items are."""
        return id_kind(self._given, self.item)

    @cached_property
    def element_kind(self) -> IdKind:
        """What the ids of elements are."""
        return id_kind(self._given, self.element)

    @property
    def estimated_rows(self) -> int:
        """About how many rows the longer of the tables that are divided has."""
        divided = [self.edges, *([] if self.weights is None else [self.weights])]
        return max(table.estimated_rows() for table in divided)

    def require_outside(self, target: Location) -> None:
        """Require that the output is apart from the input."""
        for table in self._given:
            source = table.source
            if source == target or target.contains(source) or source.contains(target):
                raise InputError(
                    f"the output {target.address} and the input {source.address} "
                    "overlap.",
                    hint="Choose another folder for the output.",
                )

    @property
    def _given(self) -> list[TableFiles]:
        tables = (self.edges, self.costs, self.weights)
        return [table for table in tables if table is not None]
