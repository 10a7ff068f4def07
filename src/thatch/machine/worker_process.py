"""The parent side of a worker process: start it, exchange messages, end it.

A worker runs ``main()`` of a module, which uses `thatch.machine.worker_main`. It runs
in its own process group and ignores interrupts: on a terminal, Ctrl-C signals every
process of the foreground group, and the parent ends its workers itself. There is one
class for threads that block and one for asyncio.
"""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
import threading
from asyncio.subprocess import Process
from collections.abc import Sequence
from subprocess import PIPE
from typing import IO, Any, cast

from thatch.machine.worker_main import (
    SECONDS_TO_END,
    framed,
    receive,
    receive_async,
    send,
)

# Signals first: importing the module may take a second.
_START = """
import importlib, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
sys.path[:] = sys.argv[2:] or sys.path
importlib.import_module(sys.argv[1]).main()
"""

# Of Popen: start the process in its own group, on Unix and on Windows.
_OWN_GROUP: dict[str, Any] = {
    "process_group": 0,
    "creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
}


def _command(module: str, path: Sequence[str]) -> list[str]:
    # -P: modules in the current folder must not shadow others.
    return [sys.executable, "-P", "-c", _START, module, *path]


class WorkerProcess:
    """A worker process, for a thread that waits for its replies.

    Parameters
    ----------
    module
        Module whose ``main()`` the process runs.
    path
        Where the process looks for modules. Default: as any Python process does.

    >>> import pickle
    >>> worker = WorkerProcess("thatch.scale.engines.remote_call")
    >>> reply = worker.request(pickle.dumps(abs), pickle.dumps(-3))
    >>> pickle.loads(reply)
    (True, 3)
    >>> worker.stop()
    >>> worker.wait()
    >>> worker.has_ended
    True
    """

    def __init__(self, module: str, path: Sequence[str] = ()) -> None:
        # Unbuffered: a buffer has a lock, which a forked process may inherit locked.
        self._process = subprocess.Popen(
            _command(module, path), stdin=PIPE, stdout=PIPE, bufsize=0, **_OWN_GROUP
        )
        self._requests = cast("IO[bytes]", self._process.stdin)
        self._replies = cast("IO[bytes]", self._process.stdout)
        self._is_busy = False
        self._is_stopped = False
        # `stop` may be called while another thread waits in `request`.
        self._lock = threading.Lock()

    @property
    def has_ended(self) -> bool:
        """Whether the process has ended."""
        return self._process.poll() is not None

    def request(self, *messages: bytes) -> bytes:
        """Send messages and wait for one reply.

        Raises
        ------
        EOFError, OSError
            If the process ends before it replies.
        """
        self.send(*messages)
        reply = self.receive()
        self._is_busy = False
        return reply

    def send(self, *messages: bytes) -> None:
        """Send messages; raise EOFError or OSError as `request` does."""
        with self._lock:
            if self._is_stopped:
                raise EOFError
            self._is_busy = True
        for message in messages:
            send(self._requests, message)

    def receive(self) -> bytes:
        """Wait for one message; raise EOFError or OSError as `request` does."""
        return receive(self._replies)

    def stop(self) -> None:
        """Kill the process if it is busy; else let it end by itself."""
        with self._lock:
            self._is_stopped = True
            if self._is_busy:
                self._process.kill()
            else:
                self._close(self._requests)

    def kill(self) -> None:
        """Kill the process, busy or not, and wait until it has ended."""
        self._process.kill()
        self._process.wait()

    def wait(self) -> None:
        """Wait until a stopped process has ended, and close its pipes."""
        try:
            self._process.wait(timeout=SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.detach()

    def detach(self) -> None:
        """Close the pipes in a forked process; the worker belongs to its parent."""
        self._close(self._requests)
        self._close(self._replies)

    @staticmethod
    def _close(stream: IO[bytes]) -> None:
        # Closing flushes, which fails if the process has ended.
        with contextlib.suppress(OSError):
            stream.close()


class AsyncWorkerProcess:
    """A worker process, for asyncio."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._requests = cast(asyncio.StreamWriter, process.stdin)
        self._replies = cast(asyncio.StreamReader, process.stdout)
        self._is_busy = False

    @classmethod
    async def start(cls, module: str, path: Sequence[str] = ()) -> AsyncWorkerProcess:
        """Start a process; the parameters are those of `WorkerProcess`."""
        process = await asyncio.create_subprocess_exec(
            *_command(module, path), stdin=PIPE, stdout=PIPE, **_OWN_GROUP
        )
        return cls(process)

    @property
    def has_ended(self) -> bool:
        """Whether the process has ended."""
        return self._process.returncode is not None

    async def request(self, *messages: bytes) -> bytes:
        """Send messages and wait for one reply.

        If this is cancelled, the process can only be ended.

        Raises
        ------
        EOFError, OSError
            If the process ends before it replies.
        """
        self._is_busy = True
        self._requests.writelines(map(framed, messages))
        await self._requests.drain()
        reply = await receive_async(self._replies)
        self._is_busy = False
        return reply

    async def end(self) -> None:
        """Kill the process if it is busy; else let it end by itself."""
        if self._is_busy:
            self._kill()
        else:
            self._requests.close()
        try:
            async with asyncio.timeout(SECONDS_TO_END):
                await self._process.wait()
        except TimeoutError:
            self._kill()
            await self._process.wait()

    def _kill(self) -> None:
        if not self.has_ended:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
