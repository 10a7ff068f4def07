"""Context selection: the best chunks for a language model, within a token budget.

>>> from thatch.context import select
>>> select(["Snow fell.", "It rained."], 5, query="snow").text
'Snow fell.'
"""

import lazy_loader

# The stub next to this file lists the public names and the modules that define them.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
