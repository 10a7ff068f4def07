"""Lines of the pages of a PDF, read by PDFium in a process of its own.

A PDF of a few kilobytes may expand to gigabytes, and PDFium ends its process if memory
is short. So each page has a limit of memory and of time, and what exceeds it, or
crashes, costs the file and not the program.
"""

from __future__ import annotations

import atexit
import contextlib
import io
import logging
import os
import pickle
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from thatch.errors import FileFormatError, ThatchError
from thatch.machine.worker_main import ParentConnection
from thatch.machine.worker_process import WorkerProcess
from thatch.text.documents.pdf_lines import Line, has_pictures, lines_of, pypdfium2
from thatch.text.documents.pdf_marks import Mark, add_marks

_MAX_SECONDS_PER_PAGE = 5.0
_MAX_BYTES = 1 << 30
_LOGGER = logging.getLogger("thatch.text.documents")
_lock = threading.Lock()
#: The worker process, once there is one.
_workers: list[WorkerProcess] = []


def pages_of(content: bytes, path: Path) -> list[list[Line]]:
    """Return the lines of each page."""
    with _lock:
        num_pages = _opened(content, path)
        if num_pages > 10_000:
            raise _too_large(path, f"{num_pages} pages", "10,000 pages")
        pages: list[list[Line]] = []
        num_characters = 0
        for page in range(num_pages):
            pages.append(_done_in_time(path, lines_of, page))
            num_characters += sum(len(line.text) for line in pages[-1])
            if num_characters > 20_000_000:
                raise _too_large(path, "more text", "20,000,000 characters")
        if num_characters:
            blank = [page for page, lines in enumerate(pages) if not lines]
            _warn_of_scans(
                path, [k for k in blank if _done_in_time(path, has_pictures, k)]
            )
        return pages


def with_marks(
    content: bytes, path: Path, marks: Mapping[int, Sequence[Mark]]
) -> bytes:
    """Return the PDF with annotations on its pages, which are numbered from 0."""
    with _lock:
        _opened(content, path)
        for page, added in marks.items():
            _done_in_time(path, add_marks, page, added)
        saved: bytes = _reply(path, "work", (_saved,))
        return saved


def _opened(content: bytes, path: Path) -> int:
    """Open a file in the worker, and return its number of pages."""
    # The limit of time is one for PDFium: it starts when the file has arrived.
    _reply(path, "prepare", len(content))
    _reply(path, "receive", content)
    num_pages: int = _reply_in_time(path, "open", path)
    return num_pages


def _warn_of_scans(path: Path, pages: list[int]) -> None:
    if pages:
        shown = ", ".join(str(page + 1) for page in pages[:10])
        more = ", ..." if len(pages) > 10 else ""
        _LOGGER.warning(
            "%s: no text on %s of the pages, which may be scans (%s%s); they are "
            "omitted. Run text recognition first.",
            *(path, len(pages), shown, more),
        )


def _too_large(path: Path, found: str, limit: str) -> FileFormatError:
    return FileFormatError(
        path,
        f"the PDF has {found}; at most {limit} are read.",
        hint="Split it into several files.",
    )


def _saved(pdf: pypdfium2.PdfDocument) -> bytes:
    file = io.BytesIO()
    pdf.save(file)
    return file.getvalue()


def _done_in_time(path: Path, work: Callable[..., Any], *arguments: object) -> Any:
    """The result of a function that is called with the open file in the worker."""
    return _reply_in_time(path, "work", (work, *arguments))


def _reply_in_time(path: Path, method: str, argument: object) -> Any:
    timer = threading.Timer(_MAX_SECONDS_PER_PAGE, _worker().stop)
    timer.start()
    try:
        return _reply(path, method, argument)
    finally:
        timer.cancel()


def _reply(path: Path, method: str, argument: object) -> Any:
    try:
        reply = pickle.loads(_worker().request(pickle.dumps((method, argument))))
        if isinstance(reply, MemoryError):
            raise EOFError from reply
    except (EOFError, OSError) as error:
        _end_worker()
        raise FileFormatError(
            path,
            f"the PDF is damaged, or a page needs more than {_MAX_BYTES >> 30} GiB or "
            f"{_MAX_SECONDS_PER_PAGE:g} s.",
            hint="Check whether a viewer opens it.",
        ) from error
    if isinstance(reply, ThatchError):
        raise reply
    return reply


def _worker() -> WorkerProcess:
    if not _workers:
        _workers.append(WorkerProcess("thatch.text.documents.pdf_pages"))
    return _workers[0]


@atexit.register
def _end_worker() -> None:
    while _workers:
        worker = _workers.pop()
        worker.stop()
        worker.wait()


def _forget_worker() -> None:
    """Start over in a forked process: another thread may have had lock and worker."""
    global _lock
    _lock = threading.Lock()
    while _workers:
        _workers.pop().detach()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_worker)


def main() -> None:
    """Reply to calls of the methods of a `PdfReader`, in a worker process."""
    parent = ParentConnection()
    reader = PdfReader()
    for request in parent.requests():
        parent.reply(_pickled_reply(reader, request))


def _pickled_reply(reader: PdfReader, request: bytes) -> bytes:
    try:
        method, argument = pickle.loads(request)
        return pickle.dumps(getattr(reader, method)(argument))
    except (ThatchError, MemoryError) as error:
        return pickle.dumps(error)


class PdfReader:
    """Reads one PDF after the other, each within its limit of memory."""

    def __init__(self) -> None:
        self._limits = _memory_limits()
        self._content = b""
        self._path = Path()
        self._pdf: pypdfium2.PdfDocument | None = None

    def prepare(self, num_bytes: int) -> None:
        """Close the last file, and limit the memory for one of this size."""
        if self._pdf is not None:
            self._pdf.close()
        self._pdf, self._content = None, b""
        _limit_memory(_MAX_BYTES + 4 * num_bytes, self._limits)

    def receive(self, content: bytes) -> None:
        """Keep the content of a file."""
        self._content = content

    def open(self, path: Path) -> int:
        """Open the file, and return its number of pages; `path` is its name."""
        self._path = path
        try:
            self._pdf = pypdfium2.PdfDocument(self._content)
            return len(self._pdf)
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

    def work(self, call: tuple[Any, ...]) -> Any:
        """Call a function with the open file and other arguments."""
        function, *arguments = call
        if self._pdf is None:
            raise EOFError("no file is open")
        try:
            return function(self._pdf, *arguments)
        except pypdfium2.PdfiumError as error:
            raise FileFormatError(
                self._path,
                f"the PDF is damaged: {error}",
                hint="Check whether a viewer opens it.",
            ) from error


def _memory_limits() -> tuple[int, int] | None:
    """Soft and hard limit of this process; None where the system has none."""
    try:
        import resource
    except ImportError:
        return None
    return resource.getrlimit(resource.RLIMIT_AS)


def _limit_memory(num_bytes: int, limits: tuple[int, int] | None) -> None:
    """Set the soft limit, which is never above those that the process started with."""
    if limits is not None:
        import resource

        # A negative limit is none.
        soft = min([num_bytes, *(limit for limit in limits if limit >= 0)])
        with contextlib.suppress(ValueError, OSError):  # not on every system
            resource.setrlimit(resource.RLIMIT_AS, (soft, limits[1]))
