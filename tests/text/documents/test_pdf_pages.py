"""The worker process that reads PDFs: its limits, and what it replies."""

import io
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import pypdfium2
import pytest
from systems import limited_memory

from thatch.errors import FileFormatError
from thatch.machine.worker_process import WorkerProcess
from thatch.text.documents import pdf_pages

resource = pytest.importorskip("resource")


def blank_pdf(num_pages=1):
    pdf, file = pypdfium2.PdfDocument.new(), io.BytesIO()
    for _ in range(num_pages):
        pdf.new_page(100, 100)
    pdf.save(file)
    return file.getvalue()


def output_of(script, *arguments):
    """Output of a script in a process of its own; it must write no error."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    found = subprocess.run(command, capture_output=True, text=True)
    assert (found.returncode, found.stderr) == (0, "")
    return found.stdout.split()


@limited_memory
def test_the_limit_of_memory_does_not_depend_on_the_files_before():
    script = """
import resource
from thatch.text.documents.pdf_pages import PdfReader
reader = PdfReader()
for size in (1 << 30, 0, 1 << 30):
    reader.prepare(size)
    print(resource.getrlimit(resource.RLIMIT_AS)[0] >> 30)
"""
    assert output_of(script) == ["5", "1", "5"]


@limited_memory
def test_the_limit_of_memory_is_never_above_that_of_the_user():
    script = """
import resource
hard = resource.getrlimit(resource.RLIMIT_AS)[1]
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, hard))
from thatch.text.documents.pdf_pages import PdfReader
reader = PdfReader()
for size in (0, 1 << 30):
    reader.prepare(size)
    print(resource.getrlimit(resource.RLIMIT_AS)[0] >> 30)
"""
    assert output_of(script) == ["1", "3"]


class Expanding:
    """Has a few bytes when it is pickled, and gigabytes in the worker."""

    def __reduce__(self):
        return bytes, (4 << 30,)


@limited_memory
def test_a_worker_that_is_out_of_memory_replies_without_a_traceback(capfd):
    worker = WorkerProcess("thatch.text.documents.pdf_pages")
    worker.request(pickle.dumps(("prepare", 0)))
    reply = pickle.loads(worker.request(pickle.dumps(("receive", Expanding()))))
    worker.stop()
    worker.wait()
    assert isinstance(reply, MemoryError)
    assert capfd.readouterr().err == ""


def test_only_the_work_of_pdfium_has_a_limit_of_time(monkeypatch):
    requests = []

    def recorded(worker, message):
        timers = (isinstance(t, threading.Timer) for t in threading.enumerate())
        requests.append((pickle.loads(message)[0], any(timers)))
        return request(worker, message)

    request = WorkerProcess.request
    monkeypatch.setattr(WorkerProcess, "request", recorded)
    pdf_pages.pages_of(blank_pdf(2), Path("a.pdf"))
    assert requests == [
        ("prepare", False),
        ("receive", False),
        ("open", True),
        ("work", True),
        ("work", True),
    ]


def test_after_a_file_that_is_refused_the_next_one_is_read():
    with pytest.raises(FileFormatError):
        pdf_pages.pages_of(b"no PDF", Path("a.pdf"))
    assert pdf_pages.pages_of(blank_pdf(3), Path("b.pdf")) == [[], [], []]
