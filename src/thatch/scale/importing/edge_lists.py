"""Sharded problems from lists of edges that no memory holds.

Rows are first divided among buckets on disk, by the hash of their element. Then each
bucket is read, sorted and written as one shard. In memory are the ids and costs of the
items, and one bucket.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np

from thatch.arrays import Floats, require_finite_sum
from thatch.errors import InputError
from thatch.files.locations import Location
from thatch.options import require_integer
from thatch.scale.importing.bucket_sorting import MAX_BUCKETS, Buckets, sorted_buckets
from thatch.scale.importing.edge_tables import (
    COST,
    WEIGHT,
    EdgeTables,
    ids_in,
    numbers_in,
)
from thatch.scale.importing.item_numbers import IntegerItems, NamedItems, in_order
from thatch.scale.shards.output_folder import OutputFolder, output_folder
from thatch.scale.shards.shard_writer import (
    ShardWriter,
    WritingProgress,
    checked_budget,
    writing_progress,
)
from thatch.scale.shards.sharded_problem import ShardedProblem
from thatch.tables.columns import IdKind

_EDGES_PER_SHARD = 5_000_000


def shard_edges(
    edges: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    budget: float,
    costs: str | os.PathLike[str] | None = None,
    weights: str | os.PathLike[str] | None = None,
    item: str = "item",
    element: str = "element",
    num_shards: int | None = None,
    overwrite: bool = False,
    progress: bool | None = None,
) -> ShardedProblem:
    r"""Write the shards of a problem whose edges are in files of any size.

    Every table is a Parquet, CSV or TSV file, or a folder of them, at a path or an
    address. Only the ids and costs of the items and one shard are in memory. Ids are
    integers from 0 on, or text.

    Parameters
    ----------
    edges
        A table with one row per edge: the columns of items and of elements.
    out
        The folder to write, at a path or an address.
    budget
        Maximum total cost.
    costs
        A table of all items, with their ids and a column ``cost``; default: 1 each.
    weights
        A table of all elements, with their ids and a column ``weight``; default: 1
        each.
    item, element
        Names of the columns of ids, in all tables.
    num_shards
        Number of shards; default: one per five million edges.
    overwrite
        Whether shards in the folder are replaced, if there are any.
    progress
        True for a progress bar from the start; None for one if it takes long.

    Raises
    ------
    InputError
        If an edge is repeated, or if an id, a cost or a weight is missing or invalid.
        It names the file and the row; rows count from 1, without the header.

    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "edges.csv").write_text("item,element\nnorth,a\nsouth,b\n")
    >>> problem = shard_edges(folder / "edges.csv", folder / "shards", budget=1)
    >>> problem.num_edges, problem.item_label(1)
    (2, 'south')
    """
    budget = checked_budget(budget)
    tables = EdgeTables.at(edges, costs, weights, item=item, element=element)
    if num_shards is None:
        num_shards = min(1 + tables.estimated_rows // _EDGES_PER_SHARD, MAX_BUCKETS)
    require_integer("num_shards", num_shards, least=1, hint="Pass 1 or more.")
    if num_shards > MAX_BUCKETS:
        raise InputError(
            f"num_shards is {num_shards}; it must be at most {MAX_BUCKETS}.",
            hint=f"By default, a shard has {_EDGES_PER_SHARD:,} edges.",
        )
    target = Location.of(out)
    tables.require_outside(target)
    with (
        output_folder(out, overwrite=overwrite) as output,
        # On this disk, and in the output if that is on this disk as well.
        tempfile.TemporaryDirectory(
            prefix=".buckets-", dir=output.files.local_path, ignore_cleanup_errors=True
        ) as buckets,
        writing_progress(progress) as shown,
    ):
        _written(tables, output, Path(buckets), budget, num_shards, shown)
    return ShardedProblem.open(out)


def _written(
    tables: EdgeTables,
    output: OutputFolder,
    disk: Path,
    budget: float,
    num_shards: int,
    progress: WritingProgress,
) -> None:
    items, costs = _items(tables, progress)
    edges = Buckets(disk, "edges", num_shards)
    _divide_edges(tables, items, edges, progress)
    weights = None
    if tables.weights is not None:
        weights = Buckets(disk, "weights", num_shards)
        _divide_weights(tables, weights, progress)
    if costs is None:
        costs = np.ones(len(items))
    writer = ShardWriter(output, costs, budget=budget)
    numbers = progress.shards(num_shards)
    for shard in sorted_buckets(tables, items, edges, weights, numbers):
        writer.add(shard.element_start, shard.items, shard.weights)
    items.write(output.files)
    writer.finish()


def _items(
    tables: EdgeTables, progress: WritingProgress
) -> tuple[IntegerItems | NamedItems, Floats | None]:
    """The items, and their costs if those are in a table."""
    is_text = tables.item_kind is IdKind.TEXT
    items = NamedItems() if is_text else IntegerItems()
    table = tables.costs
    if table is None:
        return items, None
    keys, costs = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
    for batch in progress.batches(table, "costs"):
        ids = ids_in(table, batch, tables.item, tables.item_kind)
        keys.append(items.add(ids))
        costs.append(numbers_in(table, batch, COST))
    each, repeat = in_order(np.concatenate(keys), np.concatenate(costs))
    if repeat is not None:
        label = items.label(int(np.concatenate(keys)[repeat]))
        raise table.error(
            repeat,
            f"repeats item {label}, which has a cost already.",
            hint="Keep one row per item.",
        )
    require_finite_sum(f"costs in {table.source.address}", each)
    return items, each


def _divide_edges(
    tables: EdgeTables,
    items: IntegerItems | NamedItems,
    buckets: Buckets,
    progress: WritingProgress,
) -> None:
    table = tables.edges
    num_edges = 0
    for batch in progress.batches(table, "edges"):
        ids = ids_in(table, batch, tables.item, tables.item_kind)
        if tables.costs is None:
            keys = items.add(ids)
        else:
            keys = items.keys(ids)
            unknown = items.first_unknown(ids)
            if unknown is not None:
                raise table.error(
                    batch.first_row + unknown,
                    f"has item {ids[unknown].as_py()!r}, which has no cost in "
                    f"{tables.costs.source.address}.",
                    hint="Add its cost, or leave the costs out.",
                )
        elements = ids_in(table, batch, tables.element, tables.element_kind)
        rows = batch.first_row + np.arange(len(ids))
        buckets.add(elements, item=keys, row=rows)
        num_edges += len(ids)
    if num_edges == 0:
        raise InputError(
            f"{table.source.address} has no edges.",
            hint="Each row below the header is an edge.",
        )


def _divide_weights(
    tables: EdgeTables, buckets: Buckets, progress: WritingProgress
) -> None:
    table = tables.weights
    assert table is not None
    totals = []
    for batch in progress.batches(table, "weights"):
        elements = ids_in(table, batch, tables.element, tables.element_kind)
        weights = numbers_in(table, batch, WEIGHT)
        rows = batch.first_row + np.arange(len(elements))
        buckets.add(elements, weight=weights, row=rows)
        with np.errstate(over="ignore"):
            totals.append(weights.sum())
    if not totals:
        raise InputError(
            f"{table.source.address} has no weights.",
            hint="Each row below the header is an element; without this table, each "
            "weighs 1.",
        )
    require_finite_sum(f"weights in {table.source.address}", np.array(totals))
