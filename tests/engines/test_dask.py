"""A dask cluster that others have started."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import engine_tasks as work
import pytest

from thatch import InputError
from thatch.engines import DaskEngine
from thatch.errors import EngineError

TESTS = Path(__file__).parents[1]
QUIET = os.environ | {
    "PYTHONPATH": str(TESTS),
    "DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "error",
}


@contextmanager
def running(*arguments, **files):
    """A command of dask's, as it would be typed, that runs within the block."""
    process = subprocess.Popen(
        [sys.executable, "-m", "dask", *arguments], env=QUIET, text=True, **files
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=60)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """The address of a scheduler, and the two processes that work for it."""
    folder = tmp_path_factory.mktemp("dask")
    contact = folder / "scheduler.json"
    scheduler = running(
        "scheduler",
        *("--host", "127.0.0.1", "--port", "0", "--no-dashboard"),
        *("--scheduler-file", contact),
    )
    worker = (
        "worker",
        *("--scheduler-file", contact, "--host", "127.0.0.1", "--nthreads", "1"),
        *("--no-dashboard", "--local-directory", folder),
    )
    with scheduler, running(*worker), running(*worker):
        from distributed import Client

        with Client(scheduler_file=contact, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
            yield client.scheduler.address


def test_the_workers_of_a_running_scheduler_do_the_work(cluster):
    engine = DaskEngine(cluster)
    assert sorted(engine.map(work.squared, range(40))) == [
        (number, number**2) for number in range(40)
    ]
    first = {process for _, process in engine.map(work.process_of, range(40))}
    again = {process for _, process in engine.map(work.process_of, range(40))}
    assert len(first) == 2
    assert again == first


def test_workers_of_a_running_scheduler_may_be_killed(cluster):
    """Three of them, as their results come in; dask itself starts others."""
    killed = set()
    found = []
    engine = DaskEngine(cluster)
    for task, process in engine.map(work.process_of, range(60)):
        found.append(task)
        if len(killed) < 3 and process not in killed:
            killed.add(process)
            os.kill(process, signal.SIGKILL)
    assert sorted(found) == list(range(60))
    assert len(killed) == 3


def test_a_scheduler_outlives_an_error_and_a_job_that_is_left(cluster):
    engine = DaskEngine(cluster)
    with pytest.raises(InputError, match="must not be 3"):
        list(engine.map(work.refused, range(10)))
    for _ in engine.map(work.squared, range(100)):
        break
    assert dict(engine.map(work.squared, [9])) == {9: 81}


def test_work_that_the_workers_cannot_import_is_refused_with_a_reason(
    cluster, tmp_path, monkeypatch
):
    (tmp_path / "only_here.py").write_text("def same(x):\n    return x\n")
    monkeypatch.syspath_prepend(tmp_path)
    from only_here import same

    with pytest.raises(EngineError, match="must be importable where the work is done"):
        list(DaskEngine(cluster).map(same, [1]))


@pytest.mark.parametrize("address", ["nowhere", "http://127.0.0.1:8787/status", ":"])
def test_what_is_no_address_is_refused_at_once(address):
    with pytest.raises(InputError, match="scheduler must be an address such as"):
        DaskEngine(address)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "127.0.0.1:1"])
def test_a_scheduler_that_is_not_there_is_bad_input(address, monkeypatch):
    monkeypatch.setattr("thatch.engines.dask_cluster._SECONDS_TO_CONNECT", 1)
    with pytest.raises(InputError, match="must be the address of a running dask"):
        list(DaskEngine(address).map(work.squared, [1]))
