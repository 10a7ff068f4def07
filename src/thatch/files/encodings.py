"""Bytes to text: what the first bytes say, else UTF-8, else a clear refusal."""

from __future__ import annotations

import codecs
from pathlib import Path

from thatch.errors import FileFormatError, InputError

__all__ = ["decoded"]

# UTF-32 before UTF-16, whose little-endian mark it starts with.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BYTE_ORDER_MARK = "\ufeff"
_HOW_TO_NAME = "pass --encoding, or encoding=... in Python"


def decoded(content: bytes, path: str | Path, *, encoding: str | None = None) -> str:
    r"""Return the text that the bytes stand for, without byte order mark.

    Parameters
    ----------
    content
        The bytes.
    path
        Where they came from, for messages.
    encoding
        Name of their encoding. Unless given, a byte order mark decides, and without
        one they must be UTF-8.

    Raises
    ------
    FileFormatError
        If the bytes are not text in that encoding.
    InputError
        If there is no encoding of that name.

    >>> decoded("naïve".encode("utf-16"), "notes.txt")
    'naïve'
    >>> decoded(b"na\xefve", "notes.txt", encoding="latin-1")
    'naïve'
    """
    if encoding is None:
        encoding = _marked_encoding(content)
    if encoding is None:
        _require_no_null(content, path)
    try:
        text = content.decode(encoding or "utf-8")
    except UnicodeDecodeError as error:
        raise _not_text(content, path, error, encoding=encoding) from error
    except (LookupError, ValueError) as error:
        raise InputError(
            f"encoding must name an encoding of text, got {encoding!r}.",
            hint="Write utf-8, utf-16, latin-1, cp1252 or shift-jis, for example.",
        ) from error
    return text.removeprefix(_BYTE_ORDER_MARK)


def _marked_encoding(content: bytes) -> str | None:
    return next((e for mark, e in _BYTE_ORDER_MARKS if content.startswith(mark)), None)


def _require_no_null(content: bytes, path: str | Path) -> None:
    offset = content.find(b"\0")
    if offset >= 0:
        raise FileFormatError(
            path,
            f"the file must be text, got a NUL byte at offset {offset}.",
            hint="It looks binary; if it is UTF-16 text, "
            f"{_HOW_TO_NAME}: utf-16-le or utf-16-be.",
        )


def _not_text(
    content: bytes,
    path: str | Path,
    error: UnicodeDecodeError,
    *,
    encoding: str | None,
) -> FileFormatError:
    byte = f"the byte {content[error.start]:#04x} at offset {error.start}"
    hint = f"Save it as UTF-8, or {_HOW_TO_NAME}: latin-1, for example."
    return FileFormatError(
        path,
        f"the file must be {(encoding or 'utf-8').upper()} text, got {byte}.",
        line=content.count(b"\n", 0, error.start) + 1,
        hint=hint if encoding is None else f"If it is another one, {_HOW_TO_NAME}.",
    )
