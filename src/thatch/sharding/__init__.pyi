from .edge_lists import shard_edges as shard_edges
from .generating import write_biregular as write_biregular
from .shard_writer import ShardWriter as ShardWriter
from .sharded_problem import ShardedProblem as ShardedProblem
from .sharded_selection import ShardedSelection as ShardedSelection

__all__ = [
    "ShardWriter",
    "ShardedProblem",
    "ShardedSelection",
    "shard_edges",
    "write_biregular",
]
