from .sharded_problem import ShardedProblem as ShardedProblem

__all__ = ["ShardedProblem"]
