"""PDFium, by the package pypdfium2, or the error that says how to install it."""

from __future__ import annotations

from thatch.errors import MissingExtraError

try:
    import pypdfium2
    from pypdfium2 import raw
except ImportError as error:
    raise MissingExtraError(
        "Reading PDF", package="pypdfium2", extra="files"
    ) from error

__all__ = ["pypdfium2", "raw"]
