"""What a dask worker has of a job: the function that its tasks are given to."""

from __future__ import annotations

from typing import Any

from distributed import WorkerPlugin

from thatch.engines.calls import answer

_FUNCTIONS: dict[str, bytes] = {}


class Function(WorkerPlugin):  # type: ignore[misc]
    """Brings a pickled function to every worker, under the name of its job."""

    def __init__(self, name: str, function: bytes) -> None:
        # dask gives plugins that have a name of their own to workers that come later.
        self.name = name
        self._function = function

    def setup(self, worker: Any) -> None:
        """Called by dask on each worker."""
        _FUNCTIONS[self.name] = self._function

    def teardown(self, worker: Any) -> None:
        """Called by dask when the job is over."""
        _FUNCTIONS.pop(self.name, None)


def answered_here(name: str, task: bytes) -> bytes:
    """What becomes of a task of the job of that name."""
    return answer(_FUNCTIONS[name], task)
