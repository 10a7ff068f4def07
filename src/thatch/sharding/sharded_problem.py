"""Sharded problems: costs of items in one file, elements and edges in many."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass, replace
from math import floor
from typing import Any

import numpy as np

from thatch._kernels import ranks as kernel
from thatch.arrays import Floats, Indices, Ints, number
from thatch.caching import cached_property
from thatch.errors import FileFormatError, InputError
from thatch.files.locations import Location
from thatch.problem.coverage_problem import CoverageProblem
from thatch.sharding.array_files import mapped, write
from thatch.sharding.item_names import (
    ItemIds,
    ItemNames,
    item_names_in,
    write_item_names,
)
from thatch.sharding.output_folder import FORMAT, INCOMPLETE, PROBLEM
from thatch.sharding.shard import Shard, opened_shard, write_shard

__all__ = ["ShardFacts", "ShardWriter", "ShardedProblem", "checked_budget"]

_VERSION = 1
# Their numbers have 32 bits.
_MAX_ITEMS = 2**31 - 1


@dataclass(frozen=True)
class ShardFacts:
    """What the driver knows about a shard."""

    num_items: int
    num_elements: int
    num_edges: int
    #: The weight of all elements that an item covers.
    total_weight: float
    largest_weight: float
    #: The elements with a positive weight, and their weight.
    num_weighted: int
    positive_weight: float
    has_integer_weights: bool


@dataclass(frozen=True, eq=False)
class ShardedProblem:
    """A coverage problem whose elements and edges are in shards, in files.

    Elements are distributed over the shards; items are not. Only the costs of the items
    are ever read as a whole.

    >>> import tempfile
    >>> from thatch.instances import toy
    >>> problem = toy.greedy_trap().problem
    >>> ShardedProblem.from_problem(problem, tempfile.mkdtemp(), num_shards=2)
    ShardedProblem(3 items, 4 elements, 6 edges, 2 shards, budget 2)
    """

    #: The folder of the files.
    location: Location
    num_items: int
    budget: float
    shards: tuple[ShardFacts, ...]

    @classmethod
    def open(cls, address: str | os.PathLike[str]) -> ShardedProblem:
        """The problem in a folder, at a path or an address."""
        location = Location.of(address)
        content = location.child(PROBLEM).content()
        if content is None and INCOMPLETE in location.names():
            raise InputError(
                f"{location.address} contains incomplete shards: the run that wrote "
                "them was killed, or is still running.",
                hint="Wait for it, or overwrite them.",
            )
        if content is None:
            raise InputError(
                f"{location.address} is not a folder of shards: it has no {PROBLEM}.",
                hint="Make one with thatch shard, or with ShardedProblem.from_problem.",
            )
        return cls._of(location, content)

    @classmethod
    def _of(cls, location: Location, content: bytes) -> ShardedProblem:
        try:
            fields = json.loads(content)
            is_ours = fields["format"] == FORMAT and fields["version"] == _VERSION
            shards = tuple(ShardFacts(**each) for each in fields["shards"])
            found = cls(location, fields["num_items"], fields["budget"], shards)
        except (ValueError, KeyError, TypeError) as error:
            is_ours = False
            raise _unreadable(location) from error
        if not is_ours:
            raise _unreadable(location)
        return found

    @classmethod
    def from_problem(
        cls,
        problem: CoverageProblem,
        address: str | os.PathLike[str],
        *,
        num_shards: int,
    ) -> ShardedProblem:
        """Write a problem in shards of about as many edges each."""
        edges = problem.edges
        writer = ShardWriter(address, problem.costs, budget=problem.budget)
        ends = np.linspace(0, edges.num_edges, num_shards + 1)[1:]
        bounds = [0, *np.searchsorted(edges.element_start[1:], ends).tolist()]
        bounds[-1] = problem.num_elements
        for k in range(num_shards):
            first, last = bounds[k], max(bounds[k], bounds[k + 1])
            starts = edges.element_start[first : last + 1]
            items = edges.element_items[starts[0] : starts[-1]]
            writer.add(starts - starts[0], items, problem.weights[first:last])
        if problem.item_names is not None:
            write_item_names(writer.location, problem.item_names)
        return writer.finish()

    @property
    def num_elements(self) -> int:
        """How many elements there are."""
        return sum(shard.num_elements for shard in self.shards)

    @property
    def num_edges(self) -> int:
        """How many edges there are."""
        return sum(shard.num_edges for shard in self.shards)

    @property
    def total_weight(self) -> float:
        """The weight of all elements that an item covers."""
        return float(sum(shard.total_weight for shard in self.shards))

    @property
    def largest_weight(self) -> float:
        """The largest weight of an element."""
        return max((shard.largest_weight for shard in self.shards), default=0.0)

    @property
    def mean_weight(self) -> float:
        """The mean of the positive weights; 1 if there are none."""
        count = sum(shard.num_weighted for shard in self.shards)
        total = sum(shard.positive_weight for shard in self.shards)
        return float(total) / count if count else 1.0

    @property
    def has_integer_weights(self) -> bool:
        """Whether all weights are integers."""
        return all(shard.has_integer_weights for shard in self.shards)

    def rounded_bound(self, bound: float) -> float:
        """Round an upper bound down to a value that a selection can have."""
        bound = min(bound, self.total_weight)
        is_integer = self.has_integer_weights and bound < 2.0**53
        return float(floor(bound)) if is_integer else bound

    @property
    def constraints(self) -> None:
        """Sharded problems have a budget and no other constraint."""
        return None

    @property
    def locations(self) -> None:
        """Sharded problems have no locations."""
        return None

    @cached_property
    def costs(self) -> Floats:
        """float64, shape (num_items,), mapped."""
        return mapped(self.location.child("costs.npy"))

    @cached_property
    def largest_item_degree(self) -> int:
        """The most elements that an item covers."""
        return int(np.max(self.item_degrees, initial=0))

    @cached_property
    def item_degrees(self) -> Indices:
        """int32, shape (num_items,), mapped: how many elements each item covers."""
        return mapped(self.location.child("degrees.npy"))

    @cached_property
    def version(self) -> str:
        """Tells the files from those that may replace them in the same folder."""
        file = self.location.child(PROBLEM)
        digest = hashlib.sha256(file.content() or b"").hexdigest()
        return f"{digest} {file.modified}"

    @cached_property
    def item_names(self) -> ItemNames | ItemIds | None:
        """Names or integer ids of the items, mapped; None if items count from 0."""
        return item_names_in(self.location)

    def item_label(self, i: int) -> str | int:
        """Name or id of item i; i itself if items have neither."""
        return i if self.item_names is None else self.item_names[i]

    def shard_folder(self, number: int) -> Location:
        """The folder of a shard."""
        return self.location.child(_shard_name(number))

    def shard(self, number: int) -> Shard:
        """A shard, mapped."""
        return opened_shard(self.shard_folder(number), self.version)

    def with_budget(self, budget: float) -> ShardedProblem:
        """Return the same problem under another budget; files do not change."""
        return replace(self, budget=checked_budget(budget))

    def __repr__(self) -> str:
        return (
            f"ShardedProblem({self.num_items} items, {self.num_elements} elements, "
            f"{self.num_edges} edges, {len(self.shards)} shards, budget "
            f"{self.budget:g})"
        )


class ShardWriter:
    """Writes a sharded problem, one shard after the other."""

    def __init__(
        self, address: str | os.PathLike[str], costs: Floats, *, budget: float
    ) -> None:
        if costs.size > _MAX_ITEMS:
            raise InputError(
                f"there are {costs.size} items; there must be at most {_MAX_ITEMS}.",
                hint="Leave out items that cover no more than another one.",
            )
        #: The folder of the files.
        self.location = Location.of(address)
        self.location.make_folder()
        self._budget = checked_budget(budget)
        self._degrees = np.zeros(costs.size, dtype=np.int32)
        self._shards: list[ShardFacts] = []
        write(self.location.child("costs.npy"), np.asarray(costs, dtype=np.float64))

    def add(self, element_start: Ints, items: Ints | Indices, weights: Floats) -> None:
        """Write a shard: where the edges of its elements start, their items, weights.

        Items have their numbers in the problem.
        """
        own, local, degrees = _numbered(items, self._degrees.size)
        self._degrees[own] += degrees
        weights = np.asarray(weights, dtype=np.float64)
        shard = Shard.compact(own, np.asarray(element_start), local, weights)
        folder = self.location.child(_shard_name(len(self._shards)))
        write_shard(folder, shard)
        reached = weights[np.diff(element_start) > 0]
        positive = weights[weights > 0]
        self._shards.append(
            ShardFacts(
                shard.num_items,
                shard.num_elements,
                shard.num_edges,
                float(reached.sum()),
                float(weights.max(initial=0.0)),
                positive.size,
                float(positive.sum()),
                bool((weights == np.rint(weights)).all()),
            )
        )

    def finish(self) -> ShardedProblem:
        """Write what is left; the problem can be opened from now on."""
        write(self.location.child("degrees.npy"), self._degrees)
        fields: dict[str, Any] = {
            "format": FORMAT,
            "version": _VERSION,
            "num_items": self._degrees.size,
            "budget": self._budget,
            "shards": [asdict(each) for each in self._shards],
        }
        with self.location.child(PROBLEM).atomic_write() as file:
            file.write(json.dumps(fields, indent=1).encode())
        return ShardedProblem.open(self.location.address)


def _numbered(items: Ints | Indices, num_items: int) -> tuple[Ints, Indices, Indices]:
    """The distinct items, ascending, the number of each edge's, and their degrees."""
    given = np.ascontiguousarray(items, dtype=np.int32)
    words = np.zeros((num_items // 64 + 1, 2), dtype=np.uint64)
    num_own = kernel.mark(given, words)
    own = np.empty(num_own, dtype=np.int64)
    local = np.empty(given.size, dtype=np.int32)
    degrees = np.zeros(num_own, dtype=np.int32)
    kernel.rank(given, words, own, local, degrees)
    return own, local, degrees


def checked_budget(budget: float) -> float:
    """The budget, which must be finite and non-negative."""
    value = number("budget", budget)
    if not (np.isfinite(value) and value >= 0):
        raise InputError(
            f"budget is {value}; it must be finite and non-negative.",
            hint="Pass a budget of 0 or more.",
        )
    return value


def _shard_name(number: int) -> str:
    return f"shard-{number:05}"


def _unreadable(location: Location) -> FileFormatError:
    return FileFormatError(
        location.child(PROBLEM).address,
        "it does not describe shards of this version.",
        hint="Make the folder again with thatch shard.",
    )
