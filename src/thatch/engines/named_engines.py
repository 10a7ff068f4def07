"""Engines by name."""

from __future__ import annotations

from thatch.engines.base import Engine
from thatch.engines.dask_cluster import DaskEngine
from thatch.engines.local import LocalEngine
from thatch.engines.spark_cluster import SparkEngine
from thatch.errors import InputError

__all__ = ["engine_named"]


def engine_named(
    name: str, *, scheduler: str | None = None, num_workers: int | None = None
) -> Engine:
    """The engine of that name; nothing is started yet.

    Parameters
    ----------
    name
        local, dask or spark.
    scheduler
        Address of a running scheduler, for dask or spark; without it a cluster is
        started on this machine, and stopped in the end.
    num_workers
        Processes on this machine, one a core unless given.

    >>> engine_named("local", num_workers=2)
    LocalEngine(num_workers=2)
    """
    if name == "dask":
        return DaskEngine(scheduler, num_workers)
    if name == "spark":
        return SparkEngine(scheduler, num_workers)
    if name != "local":
        raise InputError(
            f"engine must be local, dask or spark, got {name!r}.",
            hint="Leave it out to work on this machine.",
        )
    if scheduler is not None:
        raise InputError(
            f"scheduler must be left out with engine local, got {scheduler!r}.",
            hint="Choose engine dask or spark.",
        )
    return LocalEngine(num_workers)
