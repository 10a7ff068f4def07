"""``thatch shard``."""

from __future__ import annotations

from typing import Annotated

import typer

from thatch.cli.output import notify
from thatch.cli.parameters import (
    argument,
    errors_naming,
    integer_option,
    number_option,
    value_option,
)

Edges = Annotated[
    str,
    argument(
        "EDGES", "File or folder to read, one row per edge: .parquet, .csv or .tsv."
    ),
]
Target = Annotated[str, argument("OUT", "New folder.")]
Budget = Annotated[float, number_option("Maximum total cost.")]
Costs = Annotated[
    str | None,
    value_option("FILE", "Table with columns item and cost.  [default: 1 each]"),
]
Weights = Annotated[
    str | None,
    value_option("FILE", "Table with columns element and weight.  [default: 1 each]"),
]
ItemColumn = Annotated[str, value_option("COLUMN", "Column of item ids.", "--item")]
ElementColumn = Annotated[
    str, value_option("COLUMN", "Column of element ids.", "--element")
]
NumShards = Annotated[
    int | None,
    integer_option(
        "Number of shards.  [default: one per five million edges]", "--shards"
    ),
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace the shards in OUT.")
]


def shard_command(
    edges: Edges,
    target: Target,
    budget: Budget,
    costs: Costs = None,
    weights: Weights = None,
    item: ItemColumn = "item",
    element: ElementColumn = "element",
    shards: NumShards = None,
    overwrite: Overwrite = False,
) -> None:
    """Divide a problem that is larger than memory into shards."""
    from thatch.scale import shard_edges

    with errors_naming(num_shards="--shards"):
        problem = shard_edges(
            edges,
            target,
            budget=budget,
            costs=costs,
            weights=weights,
            item=item,
            element=element,
            num_shards=shards,
            overwrite=overwrite,
        )
    plural = "shard" if len(problem.shards) == 1 else "shards"
    notify(
        f"{problem.num_items:,} items, {problem.num_elements:,} elements and "
        f"{problem.num_edges:,} edges in {len(problem.shards):,} {plural}: {target}"
    )
