"""Reading repositories: which files belong into a prompt, and their chunks.

>>> from thatch.context.repository import cut
>>> [chunk.name for chunk in cut("# Roofs", "roofs.md")]
['Roofs']
"""

import lazy_loader

# The stub next to this file lists the public names and the modules that define them.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
