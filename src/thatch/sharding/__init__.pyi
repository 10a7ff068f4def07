from .edge_lists import shard_edges as shard_edges
from .generating import write_biregular as write_biregular
from .sharded_problem import ShardedProblem as ShardedProblem

__all__ = ["ShardedProblem", "shard_edges", "write_biregular"]
