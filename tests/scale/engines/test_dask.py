"""The dask engine on a cluster that is already running."""

import os
import signal

import engine_tasks as work
import pytest
from dask_clusters import running_cluster
from refusals import refused
from systems import posix

from thatch import InputError
from thatch.errors import EngineError
from thatch.scale import DaskEngine

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Address of a scheduler with two workers."""
    with running_cluster(tmp_path_factory.mktemp("dask")) as address:
        yield address


def test_the_workers_of_a_running_scheduler_run_the_tasks(cluster):
    engine = DaskEngine(cluster)
    assert sorted(engine.map(work.squared, range(40))) == [
        (number, number**2) for number in range(40)
    ]
    first = {process for _, process in engine.map(work.process_of, range(40))}
    again = {process for _, process in engine.map(work.process_of, range(40))}
    assert len(first) == 2
    assert again == first


@posix
def test_killed_workers_of_a_running_scheduler_lose_no_task(cluster):
    """Three are killed as their results arrive; dask replaces them."""
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


@posix
def test_killed_workers_of_a_running_scheduler_lose_no_task_of_a_session(cluster):
    killed = set()
    with DaskEngine(cluster).session(work.process_of, num_tasks=20) as session:
        for num_killed in (0, 1, 3, 3):
            found = []
            for task, process in session.map(range(20)):
                found.append(task)
                if len(killed) < num_killed and process not in killed:
                    killed.add(process)
                    os.kill(process, signal.SIGKILL)
            assert sorted(found) == list(range(20))
    assert len(killed) == 3


def test_a_session_leaves_a_running_scheduler_as_it_was(cluster):
    from distributed import Client

    for _ in range(2):
        with DaskEngine(cluster).session(work.squared, num_tasks=2) as session:
            for _ in session.map(range(50)):
                break
            assert dict(session.map([4, 5])) == {4: 16, 5: 25}
    with Client(cluster, set_as_default=False) as client:
        assert sum(map(len, client.processing().values())) == 0


def test_a_scheduler_still_works_after_an_error_and_an_abandoned_job(cluster):
    engine = DaskEngine(cluster)
    with refused(InputError, "number", 3):
        list(engine.map(work.fails_on_3, range(10)))
    for _ in engine.map(work.squared, range(100)):
        break
    assert dict(engine.map(work.squared, [9])) == {9: 81}


def test_a_function_that_workers_cannot_import_is_named(cluster, tmp_path, monkeypatch):
    (tmp_path / "only_here.py").write_text("def same(x):\n    return x\n")
    monkeypatch.syspath_prepend(tmp_path)
    from only_here import same

    with refused(EngineError, "import", "only_here"):
        list(DaskEngine(cluster).map(same, [1]))


@pytest.mark.parametrize("address", ["nowhere", "http://127.0.0.1:8787/status", ":"])
def test_an_invalid_address_is_refused_at_once(address):
    with refused(InputError, "scheduler", repr(address)):
        DaskEngine(address)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "127.0.0.1:1"])
def test_an_address_without_a_scheduler_is_refused(address, monkeypatch):
    monkeypatch.setattr("thatch.scale.engines.dask_cluster._SECONDS_TO_CONNECT", 1)
    with refused(InputError, "scheduler", repr(address)):
        list(DaskEngine(address).map(work.squared, [1]))
