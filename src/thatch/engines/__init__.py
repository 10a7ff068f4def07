"""Engines that run tasks in parallel: on this machine, on dask or on Spark."""

from thatch.engines.base import Engine, num_workers_of
from thatch.engines.dask_cluster import DaskEngine
from thatch.engines.local import LocalEngine
from thatch.engines.named_engines import engine_named
from thatch.engines.spark_cluster import SparkEngine

__all__ = [
    "DaskEngine",
    "Engine",
    "LocalEngine",
    "SparkEngine",
    "engine_named",
    "num_workers_of",
]
