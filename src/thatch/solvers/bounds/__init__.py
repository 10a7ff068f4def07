"""Certified upper bounds on the optimum.

>>> from thatch.solvers.bounds import lp_bound
>>> from thatch.problem.instances import toy
>>> lp_bound(toy.greedy_trap().problem)
16.0
"""

import lazy_loader

# The stub beside this file lists the public names and where they are defined. They are
# imported on first use, so that the process of HiGHS starts without them.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
