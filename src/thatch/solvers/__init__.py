"""Solvers: each a frozen record of settings with ``solve(problem, run) -> Result``."""

import lazy_loader

# The stub beside this file lists the public names and where they are defined. They are
# imported on first use, so that the command line can print its help without NumPy.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
