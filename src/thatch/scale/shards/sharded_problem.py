"""Sharded problems: costs of items in one file, elements and edges in many."""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import floor, fsum
from typing import Any, ClassVar, overload

import numpy as np
from numpy.typing import NDArray

from thatch.arrays import Floats, Indices, Ints, sum_rounded_up
from thatch.errors import FileFormatError, InputError
from thatch.files.locations import Location
from thatch.machine.caching import cached_property
from thatch.options import require_integer
from thatch.problem.coverage_problem import CoverageProblem
from thatch.scale.shards.array_files import mapped, write
from thatch.scale.shards.output_folder import FORMAT, PROBLEM, has_incomplete_files
from thatch.scale.shards.shard import Shard, opened_shard
from thatch.scale.shards.shard_checks import damaged
from thatch.scale.shards.shard_writer import (
    VERSION,
    ShardFacts,
    ShardWriter,
    checked_budget,
    shard_name,
)


@dataclass(frozen=True, eq=False)
class ShardedProblem:
    """A coverage problem whose elements and edges are in shards, in files.

    Elements are distributed over the shards; items are not. Only the costs of the items
    are ever read as a whole.

    >>> import tempfile
    >>> from thatch.problem.instances import toy
    >>> problem = toy.greedy_trap().problem
    >>> ShardedProblem.from_problem(problem, tempfile.mkdtemp(), num_shards=2)
    ShardedProblem(3 items, 4 elements, 6 edges, 2 shards, budget 2)
    """

    #: Where `solve` finds the solver of problems in shards.
    solver_of_kind: ClassVar[str] = "thatch.scale.running.sharded_solver:solver_like"
    #: There is a budget and no other constraint.
    constraints: ClassVar[None] = None
    locations: ClassVar[None] = None

    #: The folder of the problem.
    location: Location
    #: The subfolder of its files.
    files: Location
    num_items: int
    budget: float
    shards: tuple[ShardFacts, ...]

    @classmethod
    def open(cls, address: str | os.PathLike[str]) -> ShardedProblem:
        """The problem in a folder, at a path or an address."""
        location = Location.of(address)
        content = location.child(PROBLEM).content()
        if content is None and has_incomplete_files(location):
            raise InputError(
                f"{location.address} contains incomplete shards: the command that "
                "wrote them was killed, or is still running.",
                hint="If it is still running, wait. Otherwise, overwrite the shards.",
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
            if fields["format"] != FORMAT or fields["version"] != VERSION:
                raise _unreadable(location)
            return cls(
                location,
                location.child(str(fields["files"])),
                operator.index(fields["num_items"]),
                checked_budget(fields["budget"]),
                tuple(ShardFacts(**each) for each in fields["shards"]),
            )
        except (ValueError, KeyError, TypeError) as error:
            raise _unreadable(location) from error

    @classmethod
    def from_problem(
        cls,
        problem: CoverageProblem,
        address: str | os.PathLike[str],
        *,
        num_shards: int,
        overwrite: bool = False,
    ) -> ShardedProblem:
        """Write a problem in shards of about as many edges each.

        Parameters
        ----------
        problem
            A problem with a budget and no other constraints.
        address
            The folder to write, at a path or an address.
        num_shards
            Number of shards.
        overwrite
            Whether shards in the folder are replaced, if there are any.
        """
        require_integer("num_shards", num_shards, least=1, hint="Pass 1 or more.")
        if problem.constraints is not None:
            raise InputError(
                "the problem has constraints besides its budget; problems in shards "
                "cannot have any.",
                hint="Solve it in memory, or remove its constraints.",
            )
        edges = problem.edges
        ends = np.linspace(0, edges.num_edges, num_shards + 1)[1:]
        bounds = [0, *np.searchsorted(edges.element_start[1:], ends).tolist()]
        bounds[-1] = problem.num_elements
        with ShardWriter.to(
            address, problem.costs, budget=problem.budget, overwrite=overwrite
        ) as writer:
            for k in range(num_shards):
                first, last = bounds[k], max(bounds[k], bounds[k + 1])
                starts = edges.element_start[first : last + 1]
                items = edges.element_items[starts[0] : starts[-1]]
                writer.add(starts - starts[0], items, problem.weights[first:last])
            if problem.item_names is not None:
                write_item_names(writer.files, problem.item_names)
        return cls.open(address)

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
        return fsum(part for shard in self.shards for part in shard.total_weight)

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
        parts = [part for shard in self.shards for part in shard.total_weight]
        bound = min(bound, sum_rounded_up(parts))
        is_integer = self.has_integer_weights and bound < 2.0**53
        return float(floor(bound)) if is_integer else bound

    @cached_property
    def costs(self) -> Floats:
        """float64, shape (num_items,), mapped."""
        return self._of_items("costs")

    @cached_property
    def largest_item_degree(self) -> int:
        """The most elements that an item covers."""
        return int(np.max(self.item_degrees, initial=0))

    @cached_property
    def item_degrees(self) -> Indices:
        """int32, shape (num_items,), mapped: how many elements each item covers."""
        return self._of_items("degrees")

    def _of_items(self, name: str) -> NDArray[Any]:
        file = self.files.child(f"{name}.npy")
        values = mapped(file)
        if values.shape != (self.num_items,):
            raise damaged(file)
        return values

    def require_current(self) -> None:
        """Require that the problem was not replaced since it was opened."""
        if ShardedProblem.open(self.location.address).files != self.files:
            raise InputError(
                f"the shards in {self.location.address} have been replaced since "
                "they were opened.",
                hint="Open them again.",
            )

    @cached_property
    def item_names(self) -> ItemNames | ItemIds | None:
        """Names or integer ids of the items, mapped; None if items count from 0."""
        return item_names_in(self.files)

    def item_label(self, i: int) -> str | int:
        """Name or id of item i; i itself if items have neither."""
        return i if self.item_names is None else self.item_names[i]

    def shard_folder(self, number: int) -> Location:
        """The folder of a shard."""
        return self.files.child(shard_name(number))

    def shard(self, number: int) -> Shard:
        """A shard, mapped."""
        return opened_shard(self.shard_folder(number), self.shards[number].digest)

    def with_budget(self, budget: float) -> ShardedProblem:
        """Return the same problem under another budget; files do not change."""
        return replace(self, budget=checked_budget(budget))

    def __repr__(self) -> str:
        plural = "shard" if len(self.shards) == 1 else "shards"
        return (
            f"ShardedProblem({self.num_items} items, {self.num_elements} elements, "
            f"{self.num_edges} edges, {len(self.shards)} {plural}, budget "
            f"{self.budget:g})"
        )


def _unreadable(location: Location) -> FileFormatError:
    return FileFormatError(
        location.child(PROBLEM).address,
        "it does not describe shards that this version can read.",
        hint="Make the folder again with thatch shard.",
    )


_IDS = "item_ids.npy"
_TEXTS, _ENDS = "item_names.npy", "item_name_ends.npy"


class ItemNames(Sequence[str]):
    """The names of items, each of which is read when it is needed.

    >>> ItemNames(np.frombuffer(b"eastwest", dtype=np.uint8), np.array([4, 8]))[1]
    'west'
    """

    def __init__(self, content: NDArray[np.uint8], ends: Ints) -> None:
        self._content = content
        self._ends = ends

    def __len__(self) -> int:
        return self._ends.size

    @overload
    def __getitem__(self, position: int) -> str: ...
    @overload
    def __getitem__(self, position: slice) -> Sequence[str]: ...
    def __getitem__(self, position: int | slice) -> str | Sequence[str]:
        if isinstance(position, slice):
            return [self[i] for i in range(*position.indices(len(self)))]
        i = range(len(self))[position]
        start = int(self._ends[i - 1]) if i else 0
        return self._content[start : int(self._ends[i])].tobytes().decode()


class ItemIds(Sequence[int]):
    """The integer ids of items."""

    def __init__(self, ids: Ints) -> None:
        self._ids = ids

    def __len__(self) -> int:
        return self._ids.size

    @overload
    def __getitem__(self, position: int) -> int: ...
    @overload
    def __getitem__(self, position: slice) -> Sequence[int]: ...
    def __getitem__(self, position: int | slice) -> int | Sequence[int]:
        found: int | list[int] = self._ids[position].tolist()
        return found


def write_item_ids(folder: Location, ids: Ints) -> None:
    """Write ids beside a problem, unless they count from 0."""
    if ids.size and (ids[0] != 0 or ids[-1] != ids.size - 1):
        write(folder.child(_IDS), ids)


def write_item_names(folder: Location, names: Iterable[str]) -> None:
    """Write names beside a problem."""
    content = bytearray()
    ends = []
    for name in names:
        content += name.encode()
        ends.append(len(content))
    write(folder.child(_TEXTS), np.frombuffer(content, dtype=np.uint8))
    write(folder.child(_ENDS), np.array(ends, dtype=np.int64))


def item_names_in(folder: Location) -> ItemNames | ItemIds | None:
    """The names or ids of the items; None if they count from 0."""
    if folder.child(_IDS).exists:
        return ItemIds(mapped(folder.child(_IDS)))
    if folder.child(_TEXTS).exists:
        return ItemNames(mapped(folder.child(_TEXTS)), mapped(folder.child(_ENDS)))
    return None
