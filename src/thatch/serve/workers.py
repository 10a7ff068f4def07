"""The worker processes of the service, and the queue of requests for them."""

from __future__ import annotations

import asyncio
import contextlib
import pickle
from typing import Self

from thatch.machine.worker_process import AsyncWorkerProcess
from thatch.serve.limits import Limits
from thatch.serve.replies import Outcome, Reply
from thatch.serve.worker import from_message

# How long a cancelled request may still run: replacing its process takes longer.
_SECONDS_TO_FINISH = 0.3


class Workers:
    """Worker processes that handle requests, each within limits of time and memory.

    A process is killed and replaced if its request exceeds a limit or is cancelled.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        #: None wakes a waiting request when the workers are closed.
        self._idle: asyncio.Queue[AsyncWorkerProcess | None] = asyncio.Queue()
        self._all: set[AsyncWorkerProcess] = set()
        self._starts: set[asyncio.Task[None]] = set()
        self._is_open = True
        #: Requests that wait for a process.
        self.waiting = 0
        #: Requests that a process is handling.
        self.running = 0

    @property
    def idle(self) -> int:
        """Processes without a request."""
        return self._idle.qsize()

    @property
    def present(self) -> int:
        """Processes that are running."""
        return sum(not worker.has_ended for worker in self._all)

    async def __aenter__(self) -> Self:
        await asyncio.gather(*(self._add() for _ in range(self._limits.num_workers)))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End all processes at once; requests in progress get a reply that says so."""
        self._is_open = False
        for start in self._starts:
            start.cancel()
        await asyncio.gather(*self._starts, return_exceptions=True)
        # After the starts, which may have added one more.
        await asyncio.gather(*(worker.end() for worker in self._all))
        self._all.clear()
        for _ in range(self.waiting):
            self._idle.put_nowait(None)

    async def run(self, job: str, body: bytes, name: str = "") -> Reply:
        """Handle a request; the reply is its answer, or says what is wrong.

        The job is one of `HANDLERS`, ``read`` or ``read-problem``: these get the
        content of a file with its name, and the others JSON. Cancelling this ends the
        request in its process, too.
        """
        if self.waiting >= self._limits.max_waiting:
            return _busy(f"{self.waiting} requests are waiting already.")
        worker = await self._next()
        if isinstance(worker, Reply):
            return worker
        self.running += 1
        try:
            return await self._handle(worker, (job, body, name))
        finally:
            self.running -= 1

    async def _next(self) -> AsyncWorkerProcess | Reply:
        """An idle process, or the reply if there is none in time."""
        self.waiting += 1
        try:
            async with asyncio.timeout(self._limits.max_seconds):
                while self._is_open:
                    worker = await self._idle.get()
                    if worker is not None and not worker.has_ended:
                        return worker
                    if worker is not None:
                        self._start_replacement(worker)
        except TimeoutError:
            return _busy("The requests before this one took too long.")
        finally:
            self.waiting -= 1
        return _busy("The server is stopping.")

    async def _handle(self, worker: AsyncWorkerProcess, request: object) -> Reply:
        replied = asyncio.ensure_future(_reply(worker, request))
        try:
            done, _ = await asyncio.wait({replied}, timeout=self._limits.max_seconds)
            if done:
                return replied.result()
            return Reply.failure(
                Outcome.TOO_SLOW,
                f"The request took longer than {self._limits.max_seconds:g} seconds.",
                self._limits.hint(
                    "Send a smaller request. If the solver is slow, lower its time "
                    "limit."
                ),
            )
        except (EOFError, OSError):
            return _busy(
                "The process that handled this request ended unexpectedly."
                if self._is_open
                else "The server is stopping."
            )
        except asyncio.CancelledError:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait({replied}, timeout=_SECONDS_TO_FINISH)
            raise
        finally:
            self._release(worker, replied)

    def _release(
        self, worker: AsyncWorkerProcess, replied: asyncio.Future[Reply]
    ) -> None:
        is_idle = (
            replied.done() and not replied.cancelled() and replied.exception() is None
        )
        if is_idle:
            self._idle.put_nowait(worker)
            return
        replied.cancel()
        self._start_replacement(worker)

    def _start_replacement(self, worker: AsyncWorkerProcess) -> None:
        if self._is_open:
            start = asyncio.ensure_future(self._replace(worker))
            self._starts.add(start)
            start.add_done_callback(self._starts.discard)

    async def _replace(self, worker: AsyncWorkerProcess) -> None:
        self._all.discard(worker)
        await worker.end()
        while True:
            # The reason for a failed start, such as a lack of memory, may pass.
            with contextlib.suppress(EOFError, OSError):
                return await self._add()
            await asyncio.sleep(1.0)

    async def _add(self) -> None:
        worker = await _started(self._limits)
        self._all.add(worker)
        self._idle.put_nowait(worker)


def _busy(message: str) -> Reply:
    return Reply.failure(Outcome.BUSY, message, "Try again in a few seconds.")


async def _started(limits: Limits) -> AsyncWorkerProcess:
    """A process that has loaded everything."""
    worker = await AsyncWorkerProcess.start("thatch.serve.worker")
    try:
        await worker.request(pickle.dumps(limits))
    except BaseException:
        await worker.end()
        raise
    return worker


async def _reply(worker: AsyncWorkerProcess, request: object) -> Reply:
    return from_message(await worker.request(pickle.dumps(request)))
