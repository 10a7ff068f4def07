"""Problems in shards for tests, and an engine without processes."""

from contextlib import contextmanager

from thatch import Auto
from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.scale import ShardedProblem
from thatch.solvers.effort import Effort

#: Few steps, so that tests are quick.
SHORT = Auto(Effort(sharded_message_iterations=12, sharded_descent_iterations=8))


class ThisProcess:
    """An engine without processes, which may be interrupted at a certain task."""

    def __init__(self, fails_at=None):
        self.num_tasks = 0
        self.last_tasks = ()
        self._fails_at = fails_at

    @contextmanager
    def session(self, function, *, num_tasks):
        self._function = function
        yield self

    def map(self, tasks):
        self.last_tasks = tasks
        # In another order than that of the tasks.
        for task in reversed(tasks):
            if self.num_tasks == self._fails_at:
                raise KeyboardInterrupt
            self.num_tasks += 1
            yield task, self._function(task)


def graph_problem(num_items=400, budget=300.0, seed=5):
    graph = BiregularGraph(
        num_items=num_items,
        num_elements=3 * num_items,
        item_degree=9,
        element_degree=3,
    )
    return graph.problem(budget=budget, seed=seed)


def sharded(problem, folder, num_shards=3, **options):
    return ShardedProblem.from_problem(
        problem, folder, num_shards=num_shards, **options
    )
