"""Engines that run tasks in parallel: on this machine, on dask or on Spark."""

import lazy_loader

# The stub beside this file lists the public names and where they are defined. They are
# imported on first use, so that worker processes start without them.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
