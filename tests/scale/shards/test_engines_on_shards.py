"""Every engine computes the same bytes, whatever is killed meanwhile."""

import os
import signal
import subprocess
import sys

import numpy as np
import psutil
import pytest
from dask_clusters import running_cluster
from shard_tools import SHORT, ThisProcess, graph_problem, sharded
from systems import posix

from thatch import solve
from thatch.scale import DaskEngine, LocalEngine, ShardedProblem, SparkEngine

pytestmark = pytest.mark.slow

ENGINES = [
    LocalEngine(num_workers=2),
    DaskEngine(num_workers=2),
    pytest.param(SparkEngine(num_workers=2), marks=pytest.mark.spark),
]
KILLED_DRIVER = """
import os, signal, sys
from shard_tools import SHORT
from thatch import solve
from thatch.scale import DaskEngine, LocalEngine
from thatch.scale import ShardedProblem

address, iteration, scheduler = sys.argv[1:]

def kill(progress):
    if progress.iteration == int(iteration):
        os.kill(os.getpid(), signal.SIGKILL)

engine = DaskEngine(scheduler) if scheduler else LocalEngine(num_workers=2)
solve(ShardedProblem.open(address), SHORT, engine=engine, observers=[kill])
"""


@pytest.fixture
def shards(tmp_path):
    return sharded(graph_problem(), tmp_path / "shards")


@pytest.fixture
def expected(shards):
    return solve(shards, SHORT, engine=ThisProcess())


def require_same(found, expected):
    assert np.array_equal(found.selection.items, expected.selection.items)
    assert found.selection.value == expected.selection.value
    assert found.upper_bound == expected.upper_bound


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: type(engine).__name__)
def test_every_engine_gives_the_same_result(engine, shards, expected):
    require_same(solve(shards, SHORT, engine=engine), expected)


@posix
def test_killed_workers_cost_nothing_but_time(shards, expected):
    killed = []

    def kill(progress):
        """End a worker after three of the steps."""
        if progress.iteration in (2, 9, 15):
            workers = psutil.Process().children()
            process = next(
                each for each in workers if "remote_call" in " ".join(each.cmdline())
            )
            process.send_signal(signal.SIGKILL)
            killed.append(process.pid)

    engine = LocalEngine(num_workers=2)
    require_same(solve(shards, SHORT, engine=engine, observers=[kill]), expected)
    assert len(set(killed)) == 3


@posix
@pytest.mark.parametrize("iteration", [5, 17])
def test_a_killed_driver_is_resumed(shards, expected, iteration):
    kill_driver(shards, iteration)
    engine = LocalEngine(num_workers=2)
    require_same(resumed(shards, engine, expected), expected)


@posix
def test_workers_and_drivers_of_a_running_cluster_may_be_killed(
    shards, expected, tmp_path
):
    with running_cluster(tmp_path) as address:
        from distributed import Client

        killed = []

        def kill(progress):
            if progress.iteration in (2, 9, 15):
                process = min(client.run(os.getpid).values())
                os.kill(process, signal.SIGKILL)
                killed.append(process)

        engine = DaskEngine(address)
        with Client(address, set_as_default=False) as client:
            found = solve(shards, SHORT, engine=engine, observers=[kill])
        require_same(found, expected)
        assert len(set(killed)) == 3
        kill_driver(shards, 8, address)
        require_same(resumed(shards, engine, expected), expected)


def kill_driver(shards, iteration, scheduler=""):
    driver = subprocess.run(
        [
            *(sys.executable, "-c", KILLED_DRIVER),
            *(shards.location.address, str(iteration), scheduler),
        ],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert driver.returncode == -signal.SIGKILL


def resumed(shards, engine, expected):
    """The result of a resumed run, which has fewer steps than a whole one."""
    again = ShardedProblem.open(shards.location.address)
    result = solve(again, SHORT, engine=engine, resume=True)
    assert len(result.trace) < len(expected.trace)
    return result
