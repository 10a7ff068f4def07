"""Kernels: loops over arrays that the build compiles to C.

Each module is plain Python in Cython's pure mode; uncompiled it gives the same results,
slowly. The symbols are the paper's: items i with cost c, elements a with weight w,
edges e, price mu, inverse temperature beta. Nothing here checks its input.
"""

from importlib.util import find_spec

# Without a build there are no threads.
if find_spec("thatch._kernels.threads"):
    from thatch._kernels import threads  # noqa: F401 (ends them before forks)
