"""Engines by name."""

from __future__ import annotations

from thatch.errors import InputError
from thatch.machine.engines import Engine
from thatch.scale.engines.dask_cluster import DaskEngine
from thatch.scale.engines.local import LocalEngine
from thatch.scale.engines.spark_cluster import SparkEngine


def engine_named(
    name: str, *, scheduler: str | None = None, num_workers: int | None = None
) -> Engine:
    """The engine of that name; `Engine.map` starts its processes.

    Parameters
    ----------
    name
        local, dask or spark.
    scheduler
        Address of a running scheduler, for dask or spark. Default: start a cluster on
        this machine, and stop it at the end.
    num_workers
        Number of processes on this machine. Default: one per core.

    >>> engine_named("local", num_workers=2)
    LocalEngine(num_workers=2)
    """
    if name == "dask":
        return DaskEngine(scheduler, num_workers)
    if name == "spark":
        return SparkEngine(scheduler, num_workers)
    if name != "local":
        raise InputError(
            f"unknown engine {name!r}; the engines are local, dask and spark.",
            hint="Leave it out to use this machine.",
        )
    if scheduler is not None:
        raise InputError(
            f"scheduler is {scheduler!r}, but engine local has no scheduler.",
            hint="Leave it out, or choose engine dask or spark.",
        )
    return LocalEngine(num_workers)
