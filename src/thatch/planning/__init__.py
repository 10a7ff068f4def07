"""Plans, not one plan: budgets, alternatives, importance and comparison.

>>> from thatch import CoverageProblem
>>> from thatch.planning import sweep
>>> problem = CoverageProblem.from_sets([{0, 1, 2}, {2, 3}, {4}], budget=2)
>>> sweep(problem, [1, 2, 3]).values
array([3., 4., 5.])
"""

import lazy_loader

# The stub next to this file lists the public names and where they are defined.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
