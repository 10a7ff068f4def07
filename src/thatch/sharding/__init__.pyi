from .sharded_problem import ShardedProblem as ShardedProblem
from .sharded_problem import ShardWriter as ShardWriter
from .sharded_selection import ShardedSelection as ShardedSelection

__all__ = ["ShardWriter", "ShardedProblem", "ShardedSelection"]
