from .generating import write_biregular as write_biregular
from .sharded_problem import ShardedProblem as ShardedProblem

__all__ = ["ShardedProblem", "write_biregular"]
