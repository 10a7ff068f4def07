"""Work on a Spark cluster: one of this machine's own, or one that runs elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from thatch.engines.base import R, T, require_workers


@dataclass(frozen=True)
class SparkEngine:
    """A Spark cluster."""

    scheduler: str | None = None
    num_workers: int | None = None

    def __post_init__(self) -> None:
        require_workers(self.num_workers)

    def map(
        self, function: Callable[[T], R], tasks: Sequence[T]
    ) -> Iterator[tuple[T, R]]:
        """Tasks with their results, as they finish; see `Engine`."""
        raise NotImplementedError
