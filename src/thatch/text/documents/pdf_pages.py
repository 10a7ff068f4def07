"""Lines of the pages of a PDF, read by PDFium in a process of its own.

A PDF of a few kilobytes may expand to gigabytes, and PDFium ends its process if memory
is short. So each page has a limit of memory and of time, and what exceeds it, or
crashes, costs the file and not the program.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import pickle
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from thatch.engines.worker_main import ParentConnection
from thatch.engines.worker_process import WorkerProcess
from thatch.errors import FileFormatError, MissingExtraError, ThatchError

try:
    import pypdfium2
    from pypdfium2 import raw
except ImportError as error:
    raise MissingExtraError(
        "Reading PDF", package="pypdfium2", extra="files"
    ) from error

__all__ = ["LINE_HYPHEN", "Line", "main", "pages_of"]

#: PDFium returns this for a hyphen at the end of a line, in place of the line break.
LINE_HYPHEN = "\ufffe"
_LINE = re.compile(rf"[^\r\n{LINE_HYPHEN}]+(?:{LINE_HYPHEN})?")
_MAX_SECONDS_PER_PAGE = 5.0
_MAX_BYTES = 1 << 30
_MAX_PAGES = 10_000
_MAX_CHARACTERS = 20_000_000
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page, and where it starts."""

    text: str
    #: Position of its start on the page, in points from the left and from the bottom.
    left: float
    baseline: float
    #: Font size of its first character.
    font_size: float
    page: int


def pages_of(content: bytes, path: Path) -> list[list[Line]]:
    """Return the lines of each page.

    Raises
    ------
    FileFormatError
        If the file is damaged, has a password, or exceeds a limit.
    """
    with _lock:
        num_pages: int = _reply(pickle.dumps((content, path)), path)
        if num_pages > _MAX_PAGES:
            raise _too_large(path, f"{num_pages} pages", f"{_MAX_PAGES:,} pages")
        pages: list[list[Line]] = []
        num_characters = 0
        for page in range(num_pages):
            pages.append(_reply(pickle.dumps(page), path))
            num_characters += sum(len(line.text) for line in pages[-1])
            if num_characters > _MAX_CHARACTERS:
                limit = f"{_MAX_CHARACTERS:,} characters"
                raise _too_large(path, "more text", limit)
        return pages


def _too_large(path: Path, found: str, limit: str) -> FileFormatError:
    return FileFormatError(
        path,
        f"the PDF has {found}; at most {limit} are read.",
        hint="Divide it into several files.",
    )


def _reply(request: bytes, path: Path) -> Any:
    worker = _worker(os.getpid())
    timer = threading.Timer(_MAX_SECONDS_PER_PAGE, worker.stop)
    timer.start()
    try:
        reply = pickle.loads(worker.request(request))
    except (EOFError, OSError) as error:
        _worker.cache_clear()
        _end(worker)
        raise FileFormatError(
            path,
            f"the PDF is damaged, or a page needs more than {_MAX_BYTES >> 30} GiB or "
            f"{_MAX_SECONDS_PER_PAGE:g} s.",
            hint="Check whether a viewer opens it.",
        ) from error
    finally:
        timer.cancel()
    if isinstance(reply, ThatchError):
        raise reply
    return reply


@cache
def _worker(process_id: int) -> WorkerProcess:
    """The worker of this process: one that was forked must not share its pipes."""
    del process_id
    worker = WorkerProcess("thatch.text.documents.pdf_pages")
    atexit.register(_end, worker)
    return worker


def _end(worker: WorkerProcess) -> None:
    worker.stop()
    worker.wait()


def main() -> None:
    """Reply to a file with its number of pages, to a page number with its lines."""
    parent = ParentConnection()
    pdf, path = None, Path()
    for request in parent.requests():
        asked = pickle.loads(request)
        try:
            if isinstance(asked, tuple):
                content, path = asked
                _limit_memory(len(content))
                if pdf is not None:
                    pdf.close()
                pdf = _opened(content, path)
                reply: object = len(pdf)
            else:
                reply = list(_lines(pdf, asked))
        except ThatchError as error:
            reply = error
        except pypdfium2.PdfiumError as error:
            reply = FileFormatError(
                path,
                f"the PDF is damaged: {error}",
                hint="Check whether a viewer opens it.",
            )
        parent.reply(pickle.dumps(reply))


def _limit_memory(num_bytes: int) -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):  # not on every system
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        limits = [_MAX_BYTES + 4 * num_bytes, *(n for n in (soft, hard) if n >= 0)]
        resource.setrlimit(resource.RLIMIT_AS, (min(limits), hard))


def _opened(content: bytes, path: Path) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        is_locked = "password" in str(error).lower()
        raise FileFormatError(
            path,
            "the PDF has a password."
            if is_locked
            else "the file is not a PDF, or it is damaged.",
            hint="Save it without a password."
            if is_locked
            else "Check whether a viewer opens it.",
        ) from error


def _lines(pdf: pypdfium2.PdfDocument, number: int) -> Iterator[Line]:
    page = pdf[number]
    characters = page.get_textpage()
    x, y = ctypes.c_double(), ctypes.c_double()
    for found in _LINE.finditer(characters.get_text_range()):
        text = found[0].strip()
        if text.strip(LINE_HYPHEN):
            first = found.start() + len(found[0]) - len(found[0].lstrip())
            index = raw.FPDFText_GetCharIndexFromTextIndex(characters, first)
            raw.FPDFText_GetCharOrigin(characters, index, x, y)
            size = raw.FPDFText_GetFontSize(characters, index)
            yield Line(text, x.value, y.value, size, number)
    characters.close()
    page.close()
