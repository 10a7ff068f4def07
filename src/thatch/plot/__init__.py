"""Figures drawn with matplotlib.

Functions return axes, and draw on those passed as ``ax``; `save` writes files.
"""

import lazy_loader

# The stub next to this file lists the public names and where they are defined. They are
# imported on first use.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
