"""Worker processes: messages, signals, and how they end."""

import asyncio
import os
import pickle
import signal
import subprocess
import sys

import engine_tasks as work
import pytest
from systems import posix

from thatch.machine.worker_process import AsyncWorkerProcess, WorkerProcess

MODULE = "thatch.scale.engines.remote_call"
# A parent that is killed while its worker is busy.
KILLED_PARENT = """
import os, pickle, signal, sys, threading
import engine_tasks as work
from thatch.machine.worker_process import WorkerProcess

worker = WorkerProcess("thatch.scale.engines.remote_call", sys.path)
messages = map(pickle.dumps, (work.signalled_and_endless, sys.argv[1]))
threading.Thread(target=worker.request, args=messages, daemon=True).start()
open(sys.argv[1]).read()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def worker():
    process = WorkerProcess(MODULE, sys.path)
    yield process
    process.stop()
    process.wait()


def result_of(worker, function, task):
    return pickle.loads(worker.request(pickle.dumps(function), pickle.dumps(task)))


def test_a_worker_replies_to_requests(worker):
    assert result_of(worker, work.squared, 3) == (True, 9)
    assert pickle.loads(worker.request(pickle.dumps(4))) == (True, 16)


def test_an_idle_worker_runs_exit_handlers_when_it_is_stopped(worker, tmp_path):
    marker = tmp_path / "exited"
    assert result_of(worker, work.marked_at_exit, str(marker)) == (True, None)
    worker.stop()
    worker.wait()
    assert worker.has_ended
    assert marker.exists()


def test_a_stopped_worker_accepts_no_request(worker):
    result_of(worker, work.squared, 3)
    worker.stop()
    with pytest.raises(EOFError):
        worker.request(pickle.dumps(4))


def test_a_worker_that_kills_itself_loses_its_request(worker, tmp_path):
    with pytest.raises(EOFError):
        result_of(worker, work.logged_and_killed, str(tmp_path / "log"))
    worker.wait()
    assert worker.has_ended


@posix
def test_a_worker_ignores_interrupts(worker):
    _, process = result_of(worker, work.process_of, None)
    os.kill(process, signal.SIGINT)
    assert pickle.loads(worker.request(pickle.dumps(None))) == (True, process)


@posix
def test_a_busy_worker_ends_when_its_parent_is_killed(tmp_path):
    """Its standard error, a pipe, is closed when the last of both has ended."""
    os.mkfifo(tmp_path / "started")
    parent = subprocess.run(
        [sys.executable, "-c", KILLED_PARENT, tmp_path / "started"],
        env=work.ENVIRONMENT,
        stderr=subprocess.PIPE,
        timeout=300,
    )
    assert parent.returncode == -signal.SIGKILL


def test_an_idle_worker_of_asyncio_runs_exit_handlers_when_it_ends(tmp_path):
    marker = tmp_path / "exited"

    async def scenario():
        worker = await AsyncWorkerProcess.start(MODULE, sys.path)
        await worker.request(*map(pickle.dumps, (work.marked_at_exit, str(marker))))
        await worker.end()
        return worker.has_ended

    assert asyncio.run(scenario())
    assert marker.exists()


@posix
def test_a_busy_worker_of_asyncio_is_killed(tmp_path):
    started = tmp_path / "started"
    os.mkfifo(started)

    async def scenario():
        worker = await AsyncWorkerProcess.start(MODULE, sys.path)
        messages = map(pickle.dumps, (work.signalled_and_endless, str(started)))
        reply = asyncio.ensure_future(worker.request(*messages))
        await asyncio.to_thread(started.read_text)
        await worker.end()
        with pytest.raises(EOFError):
            await reply
        return worker.has_ended

    assert asyncio.run(scenario())
