"""Tasks that wait for a worker, preferably the one that ran them before."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Hashable, Mapping


class WaitingTasks:
    """The numbers of the tasks of one call that are not started yet.

    A task waits for the worker that ran it in the call before, if that is alive.
    Another one takes it if it has nothing to do, and at least `min_backlog` tasks wait.

    >>> waiting = WaitingTasks(3, {0: "a", 1: "b", 2: "b"}, ["a", "b"])
    >>> [waiting.next_for(worker) for worker in "abaa"]
    [0, 1, 2, None]
    """

    def __init__(
        self,
        num_tasks: int,
        last_workers: Mapping[int, Hashable],
        workers: Collection[Hashable],
        *,
        min_backlog: int = 1,
    ) -> None:
        # Numbers of tasks, and those of each worker.
        self._anywhere: deque[int] = deque()
        self._queues: dict[Hashable, deque[int]] = {w: deque() for w in workers}
        self._min_backlog = min_backlog
        for number in range(num_tasks):
            last = last_workers.get(number)
            self._queues.get(last, self._anywhere).append(number)

    def next_for(self, worker: Hashable) -> int | None:
        """The task that a worker should run now; None if it should run none."""
        for queue in (self._queues.get(worker), self._anywhere):
            if queue:
                return queue.popleft()
        longest = max(self._queues.values(), key=len, default=self._anywhere)
        # The last one: it would have waited the longest.
        return longest.pop() if len(longest) >= self._min_backlog else None

    def free_all_but(self, workers: Collection[Hashable]) -> None:
        """Let the tasks of all other workers, which are lost, run anywhere."""
        for worker in self._queues.keys() - set(workers):
            self._anywhere.extend(self._queues.pop(worker))

    def add(self, number: int) -> None:
        """Let a task that was taken run again, anywhere."""
        self._anywhere.append(number)
