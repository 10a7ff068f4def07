"""Plain text files."""

from __future__ import annotations

from pathlib import Path

from thatch.files.encodings import decoded
from thatch.text.documents.document import Document

__all__ = ["read"]


def read(content: bytes, path: Path, *, encoding: str | None = None) -> Document:
    """Return a plain text; `path` is its name.

    Raises
    ------
    FileFormatError
        If the content is not text in that encoding.

    >>> read(b"Snow fell.", Path("news.txt")).text
    'Snow fell.'
    """
    return Document.from_text(decoded(content, path, encoding=encoding), str(path))
