"""Where work for many is done: this machine, a dask cluster, a Spark cluster."""

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
