"""Problems larger than memory: in shards, on one machine, dask, Spark or a GPU."""

import lazy_loader

# The stub next to this file lists the public names and where they are defined. They are
# imported on first use, so that worker processes start without them.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
