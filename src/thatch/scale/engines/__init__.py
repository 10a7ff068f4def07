"""Engines that run tasks in parallel: on this machine, on dask or on Spark."""
