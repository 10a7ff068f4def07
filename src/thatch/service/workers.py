"""The processes that work for callers, and the line before them."""

from __future__ import annotations

import asyncio
import contextlib
import pickle
import sys
from asyncio.subprocess import PIPE, Process

from thatch.service.limits import Limits
from thatch.service.replies import Outcome, Reply
from thatch.service.worker import REPLY_HEAD, REQUEST_HEAD

__all__ = ["Workers"]

# Ending a process costs a start of the next: work that is nearly done may end itself.
_GRACE = 0.3
# Before a process that could not be started is tried again.
_PAUSE = 1.0


class Workers:
    """Processes that work side by side; each is ended if its work is not wanted.

    >>> body = b'{"summary": "Snow.", "references": ["Snow."], "metrics": "1"}'
    >>> async def score() -> bytes:
    ...     async with Workers(Limits(num_workers=1)) as workers:
    ...         return (await workers.run("score", body)).body
    >>> asyncio.run(score())[:25]
    b'{"scores": {"ROUGE-1": {"'
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        #: None wakes those who wait when there is nothing left to wait for.
        self._idle: asyncio.Queue[_Worker | None] = asyncio.Queue()
        self._all: set[_Worker] = set()
        self._starts: set[asyncio.Task[None]] = set()
        self._is_open = True
        #: Pieces of work that wait for a process.
        self.waiting = 0
        #: Pieces of work that have one.
        self.running = 0

    @property
    def idle(self) -> int:
        """Processes that have no work."""
        return self._idle.qsize()

    @property
    def present(self) -> int:
        """Processes that are there."""
        return sum(not worker.has_ended for worker in self._all)

    async def __aenter__(self) -> Workers:
        await asyncio.gather(*(self._add() for _ in range(self._limits.num_workers)))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End all work at once; whoever waits for some is told so."""
        self._is_open = False
        for start in self._starts:
            start.cancel()
        await asyncio.gather(*self._starts, return_exceptions=True)
        # A start that was cut off may have left one more.
        await asyncio.gather(*(worker.end() for worker in self._all))
        self._all.clear()
        for _ in range(self.waiting):
            self._idle.put_nowait(None)

    async def run(self, job: str, body: bytes, name: str = "") -> Reply:
        """Reply to a request, whatever comes of it.

        If this is cancelled, so is the work.

        Parameters
        ----------
        job
            What to do: one of `HANDLERS`, or ``read``.
        body
            The request as JSON, or the file to read.
        name
            Of the file.
        """
        if self.waiting >= self._limits.max_waiting:
            return _busy(f"{self.waiting} requests wait already.")
        worker = await self._next()
        if isinstance(worker, Reply):
            return worker
        self.running += 1
        try:
            return await self._work(worker, (job, body, name))
        finally:
            self.running -= 1

    async def _next(self) -> _Worker | Reply:
        """A process that is there and has no work, or why there is none."""
        self.waiting += 1
        try:
            async with asyncio.timeout(self._limits.max_seconds):
                while self._is_open:
                    worker = await self._idle.get()
                    if worker is not None and not worker.has_ended:
                        return worker
                    if worker is not None:
                        self._start_in_place_of(worker)
        except TimeoutError:
            return _busy("The requests before this one took too long.")
        finally:
            self.waiting -= 1
        return _busy("The server is stopping.")

    async def _work(self, worker: _Worker, request: object) -> Reply:
        asked = asyncio.ensure_future(worker.ask(request))
        try:
            done, _ = await asyncio.wait({asked}, timeout=self._limits.max_seconds)
            if done:
                return asked.result()
            return Reply.failure(
                Outcome.TOO_SLOW,
                f"The work took longer than {self._limits.max_seconds:g} seconds.",
                "Ask for less, or start the server with --max-seconds.",
            )
        except (EOFError, OSError):
            return _busy(
                "The process that worked on this request broke off."
                if self._is_open
                else "The server is stopping."
            )
        except asyncio.CancelledError:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait({asked}, timeout=_GRACE)
            raise
        finally:
            self._take_back(worker, asked)

    def _take_back(self, worker: _Worker, asked: asyncio.Future[Reply]) -> None:
        is_fit = asked.done() and not asked.cancelled() and asked.exception() is None
        if is_fit:
            self._idle.put_nowait(worker)
            return
        asked.cancel()
        self._start_in_place_of(worker)

    def _start_in_place_of(self, worker: _Worker) -> None:
        if self._is_open:
            start = asyncio.ensure_future(self._replace(worker))
            self._starts.add(start)
            start.add_done_callback(self._starts.discard)

    async def _replace(self, worker: _Worker) -> None:
        self._all.discard(worker)
        await worker.end()
        while True:
            # Whatever prevents a start, such as a lack of memory, may pass.
            with contextlib.suppress(EOFError, OSError):
                return await self._add()
            await asyncio.sleep(_PAUSE)

    async def _add(self) -> None:
        worker = await _Worker.started(self._limits)
        self._all.add(worker)
        self._idle.put_nowait(worker)


def _busy(message: str) -> Reply:
    return Reply.failure(Outcome.BUSY, message, "Try again in a few seconds.")


class _Worker:
    """One process, and the pipes to it."""

    def __init__(self, process: Process) -> None:
        self._process = process

    @classmethod
    async def started(cls, limits: Limits) -> _Worker:
        """A process that has loaded everything."""
        # -P: what lies in the folder where the server was started is none of ours.
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "thatch.service.worker", stdin=PIPE, stdout=PIPE
        )
        worker = cls(process)
        try:
            await worker.ask(limits)
        except BaseException:
            await worker.end()
            raise
        return worker

    async def ask(self, request: object) -> Reply:
        """Send a request, and wait for the reply."""
        writer, reader = self._process.stdin, self._process.stdout
        if writer is None or reader is None:
            raise EOFError
        message = pickle.dumps(request)
        writer.write(REQUEST_HEAD.pack(len(message)) + message)
        await writer.drain()
        outcome, size = REPLY_HEAD.unpack(await reader.readexactly(REPLY_HEAD.size))
        return Reply(Outcome(outcome), await reader.readexactly(size))

    @property
    def has_ended(self) -> bool:
        """Whether the process is gone."""
        return self._process.returncode is not None

    async def end(self) -> None:
        """End the process at once; it holds nothing that must be saved."""
        if not self.has_ended:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
        await self._process.wait()
