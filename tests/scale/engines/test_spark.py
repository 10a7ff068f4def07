"""The Spark engine on a cluster that is already running: a master and a worker."""

import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import engine_tasks as work
import pytest
from refusals import refused

from thatch import InputError
from thatch.scale import SparkEngine

pytestmark = pytest.mark.spark


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


@contextmanager
def running(folder, name, *arguments):
    """A service of Spark that runs within the block."""
    import pyspark

    log = folder / f"{name}.log"
    with log.open("w") as lines:
        process = subprocess.Popen(
            [
                Path(pyspark.__file__).parent / "bin" / "spark-class",
                f"org.apache.spark.deploy.{name.lower()}.{name}",
                *("--host", "127.0.0.1", "--webui-port", "0", *arguments),
            ],
            env=work.ENVIRONMENT | {"SPARK_LOCAL_IP": "127.0.0.1"},
            stdout=lines,
            stderr=subprocess.STDOUT,
        )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=300)


@pytest.fixture(scope="module")
def master(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spark")
    port = free_port()
    address = f"spark://127.0.0.1:{port}"
    worker = ("--cores", "2", "--memory", "1g", "--work-dir", folder, address)
    with (
        running(folder, "Master", "--port", str(port)),
        running(folder, "Worker", *worker),
    ):
        yield address


@pytest.fixture
def same_python(monkeypatch):
    """The same Python for the driver and the workers."""
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    monkeypatch.setenv("PYTHONPATH", work.ENVIRONMENT["PYTHONPATH"])


@pytest.mark.usefixtures("same_python")
def test_the_workers_of_a_running_master_run_the_tasks(master, tmp_path):
    tasks = [(number, str(tmp_path / str(number))) for number in range(10)]
    for number, marker in tasks:
        if number != 4:
            work.marked(marker)
    engine = SparkEngine(master)
    found = sorted(engine.map(work.squared_on_second_try, tasks))
    assert found == [(task, task[0] ** 2) for task in tasks]


@pytest.mark.usefixtures("same_python")
def test_an_active_session_is_used_and_left_running():
    from pyspark.sql import SparkSession

    with SparkSession.builder.master("local[1]").getOrCreate() as session:
        assert dict(SparkEngine().map(work.squared, [3])) == {3: 9}
        assert session.range(3).count() == 3
        with refused(InputError, "scheduler", "'spark://127.0.0.1:1'", "local[1]"):
            list(SparkEngine("spark://127.0.0.1:1").map(work.squared, [3]))
