from .base import Engine as Engine
from .base import Session as Session
from .dask_cluster import DaskEngine as DaskEngine
from .local import LocalEngine as LocalEngine
from .named_engines import engine_named as engine_named
from .spark_cluster import SparkEngine as SparkEngine

__all__ = [
    "DaskEngine",
    "Engine",
    "LocalEngine",
    "Session",
    "SparkEngine",
    "engine_named",
]
