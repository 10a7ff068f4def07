from .engines.dask_cluster import DaskEngine as DaskEngine
from .engines.local import LocalEngine as LocalEngine
from .engines.named_engines import engine_named as engine_named
from .engines.spark_cluster import SparkEngine as SparkEngine
from .importing.edge_lists import shard_edges as shard_edges
from .shards.generating import write_biregular as write_biregular
from .shards.shard_writer import ShardWriter as ShardWriter
from .shards.sharded_problem import ShardedProblem as ShardedProblem
from .shards.sharded_selection import ShardedSelection as ShardedSelection

__all__ = [
    "DaskEngine",
    "LocalEngine",
    "ShardWriter",
    "ShardedProblem",
    "ShardedSelection",
    "SparkEngine",
    "engine_named",
    "shard_edges",
    "write_biregular",
]
