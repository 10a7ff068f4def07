"""Kernels: loops over arrays that the build compiles to C.

Each module is plain Python in Cython's pure mode; uncompiled it gives the same results,
slowly. The symbols are the paper's: items i with cost c, elements a with weight w,
edges e, price mu, inverse temperature beta. Nothing here checks its input.
"""

import os

from thatch._kernels import threads

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=threads.end_threads)
