"""Commands in processes of their own, with limits of time and memory."""

from __future__ import annotations

import contextlib
import io
import os
import select
import signal
import sys
import tempfile
import threading
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from systems import require_linux

from thatch.cli.app import run

MAX_MEMORY = 2**30  # bytes
# Linear readers take milliseconds; what is quadratic would take hours.
MAX_SECONDS = 120.0
DONE, REFUSED = 0, 2
# An exit code that no command has: the process failed before the command ended.
_BROKEN = 70
_MAX_OUTPUT = 4000  # bytes; the error is at the end


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    #: Exit code; None if it did not end in time.
    code: int | None
    output: str

    @property
    def failure(self):
        """What is wrong: anything but success, or a refusal with a hint."""
        if self.code is None:
            return f"still running after {MAX_SECONDS:g} s"
        if "Traceback" in self.output or self.code not in (DONE, REFUSED):
            return f"exit code {self.code}: {self.output[-1500:]}"
        if self.code == REFUSED and "hint:" not in self.output:
            return f"no hint: {self.output[-1500:]}"
        return None


_PRELOADED: set[str] = set()


def preload(command, valid_files, *options):
    """Run a command on a file of each kind, so that forked processes import nothing.

    Parameters
    ----------
    command
        Its name; a second call for the same command does nothing.
    valid_files
        Lists of contents by suffix.
    options
        Options of the command.
    """
    if command in _PRELOADED:
        return
    _PRELOADED.add(command)
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        for suffix, contents in valid_files.items():
            path = Path(folder) / f"valid{suffix}"
            path.write_bytes(contents[0])
            assert run([command, str(path), *map(str, options)]) == DONE


def failure_of_command(*arguments):
    """What is wrong with how a command ends; None if nothing is."""
    return outcome_of(*arguments).failure


def outcome_of(*arguments):
    """Run a command in a forked process, which has imported all that this one has."""
    require_linux()
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        # Threads that wait for work do not matter to the child.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.close(reader)
        _run_and_exit([str(argument) for argument in arguments], writer)
    os.close(writer)
    with os.fdopen(reader, "rb", buffering=0) as pipe:
        output, is_over = _read_for(pipe, MAX_SECONDS)
    if not is_over:
        os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    code = os.waitstatus_to_exitcode(status) if is_over else None
    return Outcome(code, output.decode(errors="replace"))


def _read_for(pipe, seconds):
    """The end of what a pipe contains until it is closed, and whether in time."""
    end, output = monotonic() + seconds, b""
    while True:
        left = end - monotonic()
        if left <= 0 or not select.select([pipe], [], [], left)[0]:
            return output, False
        piece = pipe.read(2**16)
        if not piece:
            return output, True
        output = (output + piece)[-_MAX_OUTPUT:]


def _stop_measuring_coverage():
    """Stop what takes several times as long as the command itself."""
    sys.settrace(None)
    threading.settrace(None)
    for name in [name for name in os.environ if name.startswith("COVERAGE_PROCESS")]:
        del os.environ[name]


def _limit_memory():
    """Limit what is allocated in addition to what this process has already.

    Only Linux enforces such a limit.
    """
    if sys.platform != "linux":
        return
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MAX_MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _run_and_exit(arguments, writer):
    """Run a command; what it and the processes that it starts print is sent."""
    code = _BROKEN
    try:
        _stop_measuring_coverage()
        _limit_memory()
        os.dup2(writer, 1)
        os.dup2(writer, 2)
        # Where the tests capture output, these two are not the descriptors.
        sys.stdout, sys.stderr = (
            os.fdopen(number, "w", encoding="utf-8", errors="replace")
            for number in (1, 2)
        )
        try:
            code = run(arguments)
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)
