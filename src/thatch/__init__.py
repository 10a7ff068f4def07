"""Budgeted maximum coverage: choose items within a budget that cover the most weight.

>>> from thatch import CoverageProblem, solve
>>> problem = CoverageProblem.from_sets(
...     {"north": {"a", "b"}, "south": {"b", "c"}},
...     budget=1,
...     weights={"a": 3, "b": 1, "c": 1},
... )
>>> solve(problem).selection.labels
['north']
"""

import logging

import lazy_loader

__version__ = "0.1.0"

# The stub next to this file lists the public names and where they are defined. They are
# imported on first use, so that the command line can print its help without NumPy.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

logging.getLogger("thatch").addHandler(logging.NullHandler())
