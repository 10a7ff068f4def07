"""Ensembles of random problems, and what belief propagation says of large ones."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
