"""Bytes to text: by byte order mark, else as UTF-8, else an error."""

from __future__ import annotations

import codecs
from pathlib import Path

from thatch.errors import FileFormatError, InputError

#: The byte order mark of UTF-8.
UTF_8_MARK = codecs.BOM_UTF8

# UTF-32 comes first: its little-endian mark starts with that of UTF-16.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BYTE_ORDER_MARK = "\ufeff"
_HOW_TO_NAME = "set the option encoding"


def decoded(content: bytes, path: str | Path, *, encoding: str | None = None) -> str:
    r"""Decode bytes to text, without the byte order mark.

    Default encoding: the one that a byte order mark names, else UTF-8.

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
            f"encoding {encoding!r} is unknown.",
            hint="Use utf-8, utf-16, latin-1, cp1252 or shift-jis, for example.",
        ) from error
    return text.removeprefix(_BYTE_ORDER_MARK)


def has_wide_mark(start: bytes) -> bool:
    """Whether bytes start with the byte order mark of UTF-16 or UTF-32.

    >>> has_wide_mark("Snow".encode("utf-16")), has_wide_mark(b"Snow")
    (True, False)
    """
    return _marked_encoding(start) not in (None, "utf-8")


def _marked_encoding(content: bytes) -> str | None:
    return next((e for mark, e in _BYTE_ORDER_MARKS if content.startswith(mark)), None)


def _require_no_null(content: bytes, path: str | Path) -> None:
    offset = content.find(b"\0")
    if offset >= 0:
        raise FileFormatError(
            path,
            f"the file is not text: NUL byte at offset {offset}.",
            hint=f"If it is UTF-16 text, {_HOW_TO_NAME}: utf-16-le or utf-16-be.",
        )


def _not_text(
    content: bytes,
    path: str | Path,
    error: UnicodeDecodeError,
    *,
    encoding: str | None,
) -> FileFormatError:
    byte = f"byte {content[error.start]:#04x} at offset {error.start}"
    hint = f"Save it as UTF-8, or {_HOW_TO_NAME}: latin-1, for example."
    return FileFormatError(
        path,
        f"the file is not {(encoding or 'utf-8').upper()} text: {byte}.",
        line=content.count(b"\n", 0, error.start) + 1,
        hint=hint if encoding is None else f"For another encoding, {_HOW_TO_NAME}.",
    )
