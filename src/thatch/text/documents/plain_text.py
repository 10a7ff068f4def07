"""Files of plain text and of Markdown."""

from __future__ import annotations

from pathlib import Path

from thatch.files.encodings import decoded
from thatch.text.documents.chats import chat_document
from thatch.text.documents.document import Document


def read(content: bytes, path: Path, *, encoding: str | None = None) -> Document:
    """Return a plain text; `path` is its name.

    If most lines are messages with a time and a name, it is read as a chat.
    """
    text = decoded(content, path, encoding=encoding)
    return chat_document(text, str(path)) or Document.from_text(text, str(path))


def read_markdown(
    content: bytes, path: Path, *, encoding: str | None = None
) -> Document:
    """Return a Markdown text; `path` is its name."""
    return Document.from_markdown(decoded(content, path, encoding=encoding), str(path))
