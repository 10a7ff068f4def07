"""Writing sharded problems: costs of items in one file, elements and edges in many."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from thatch._kernels import ranks as kernel
from thatch.arrays import (
    Indices,
    Ints,
    number,
    numbers,
    require_finite_and_not_negative,
    require_finite_sum,
)
from thatch.errors import InputError
from thatch.run.progress_bar import ProgressBar, progress_bars
from thatch.scale.shards.array_files import write
from thatch.scale.shards.output_folder import FORMAT, OutputFolder, output_folder
from thatch.scale.shards.shard import Shard, exact_parts, write_shard
from thatch.scale.shards.shard_checks import checked_rows

if TYPE_CHECKING:
    from thatch.tables.table_files import Batch, TableFiles

#: Of the format.
VERSION = 3
# Their numbers have 32 bits.
_MAX_ITEMS = 2**31 - 1


@dataclass(frozen=True)
class ShardFacts:
    """What the driver knows about a shard."""

    num_items: int
    num_elements: int
    num_edges: int
    #: Numbers whose sum is the weight of all elements that an item covers.
    total_weight: tuple[float, ...]
    largest_weight: float
    #: The elements with a positive weight, and their weight.
    num_weighted: int
    positive_weight: float
    has_integer_weights: bool
    #: That of its arrays: a shard of another problem in its place is noticed.
    digest: str


class ShardWriter:
    """Writes a sharded problem, one shard after the other.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with ShardWriter.to(folder, [1.0, 2.0], budget=2) as writer:
    ...     writer.add([0, 2], [0, 1], [5.0])
    ...     writer.add([0, 1, 1], [1], [3.0, 4.0])
    >>> "problem.json" in os.listdir(folder)
    True
    """

    def __init__(
        self, output: OutputFolder, costs: ArrayLike, *, budget: float
    ) -> None:
        """Write into a folder; `to` creates one."""
        values = numbers("costs", costs)
        require_finite_and_not_negative("costs", values, "item")
        require_finite_sum("costs", values)
        if values.size > _MAX_ITEMS:
            raise InputError(
                f"there are {values.size} items; there must be at most {_MAX_ITEMS}.",
                hint="Leave out items that cover no more than another one.",
            )
        self._output = output
        #: The folder of the files.
        self.files = output.files
        self._budget = checked_budget(budget)
        self._degrees = np.zeros(values.size, dtype=np.int32)
        self._shards: list[ShardFacts] = []
        write(self.files.child("costs.npy"), values)

    @classmethod
    @contextmanager
    def to(
        cls,
        address: str | os.PathLike[str],
        costs: ArrayLike,
        *,
        budget: float,
        overwrite: bool = False,
    ) -> Iterator[ShardWriter]:
        """A writer for a ``with`` block; at its end, the problem can be opened.

        After an error, the folder is as it was before.

        Parameters
        ----------
        address
            The folder to write, at a path or an address.
        costs
            One cost per item.
        budget
            Maximum total cost.
        overwrite
            Whether shards in the folder are replaced, if there are any.
        """
        with output_folder(address, overwrite=overwrite) as output:
            writer = cls(output, costs, budget=budget)
            # They are on disk now, and need no memory while shards are written.
            del costs
            yield writer
            writer.finish()

    def add(
        self, element_start: ArrayLike, items: ArrayLike, weights: ArrayLike
    ) -> None:
        """Write a shard.

        Parameters
        ----------
        element_start
            Where the edges of each element start in `items`, and their number.
        items
            The item of each edge, by its number in the problem.
        weights
            One weight per element.
        """
        values = numbers("weights", weights)
        starts, given = checked_rows(
            element_start, items, values, num_items=self._degrees.size
        )
        own, local, degrees = _numbered(given, self._degrees.size)
        self._degrees[own] += degrees
        shard = Shard.compact(own, starts, local, values)
        write_shard(self.files.child(shard_name(len(self._shards))), shard)
        positive = values[values > 0]
        self._shards.append(
            ShardFacts(
                shard.num_items,
                shard.num_elements,
                shard.num_edges,
                tuple(exact_parts(values[np.diff(starts) > 0])),
                float(values.max(initial=0.0)),
                positive.size,
                float(positive.sum()),
                bool((values == np.rint(values)).all()),
                shard.digest,
            )
        )

    def finish(self) -> None:
        """Write what is left; the problem can be opened from now on."""
        totals = np.array([shard.positive_weight for shard in self._shards])
        require_finite_sum("weights", totals)
        write(self.files.child("degrees.npy"), self._degrees)
        fields: dict[str, Any] = {
            "format": FORMAT,
            "version": VERSION,
            "files": self.files.name,
            "num_items": self._degrees.size,
            "budget": self._budget,
            "shards": [asdict(each) for each in self._shards],
        }
        self._output.describe(json.dumps(fields, indent=1).encode())


def _numbered(given: Indices, num_items: int) -> tuple[Ints, Indices, Indices]:
    """The distinct items, ascending, the number of each edge's, and their degrees."""
    given = np.ascontiguousarray(given)
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


def shard_name(number: int) -> str:
    """The name of the folder of a shard."""
    return f"shard-{number:05}"


class WritingProgress:
    """What is read and written, shown by a bar if there is one."""

    def __init__(self, bar: ProgressBar | None) -> None:
        self._bar = bar

    def batches(self, table: TableFiles, kind: str) -> Iterator[Batch]:
        """All rows of a table of that kind, such as edges."""
        total = table.estimated_rows()
        for batch in table.batches():
            rows = f"{batch.first_row:,} of about {max(total, batch.first_row):,}"
            self._show({"rows": rows}, f"reading {kind}")
            yield batch

    def shards(self, num_shards: int) -> Iterator[int]:
        """The numbers of the shards, each when it is to be written."""
        for written in range(num_shards):
            self._show({"shards": f"{written:,} of {num_shards:,}"}, "writing")
            yield written

    def _show(self, fields: dict[str, str], step: str) -> None:
        if self._bar is not None:
            self._bar.show(fields, step=step)


@contextmanager
def writing_progress(progress: bool | None) -> Iterator[WritingProgress]:
    """The progress of writing shards; `progress` is that of `progress_bars`."""
    with progress_bars(progress) as bars:
        yield WritingProgress(bars[0] if bars else None)
