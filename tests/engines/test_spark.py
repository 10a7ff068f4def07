"""A Spark cluster that others have started: a master and a worker, apart."""

import os
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import engine_tasks as work
import pytest

from thatch import InputError
from thatch.engines import SparkEngine

pytestmark = pytest.mark.spark
TESTS = Path(__file__).parents[1]


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


@contextmanager
def running(folder, name, *arguments):
    """One of Spark's own services, within the block, once it says that it is there."""
    import pyspark

    log = folder / f"{name}.log"
    with log.open("w") as lines:
        process = subprocess.Popen(
            [
                Path(pyspark.__file__).parent / "bin" / "spark-class",
                f"org.apache.spark.deploy.{name.lower()}.{name}",
                *("--host", "127.0.0.1", "--webui-port", "0", *arguments),
            ],
            env=os.environ | {"PYTHONPATH": str(TESTS), "SPARK_LOCAL_IP": "127.0.0.1"},
            stdout=lines,
            stderr=subprocess.STDOUT,
        )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=60)


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
    """As whoever runs a cluster does: the same Python on both sides."""
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    monkeypatch.setenv("PYTHONPATH", str(TESTS))


@pytest.mark.usefixtures("same_python")
def test_the_workers_of_a_running_master_do_the_work(master, tmp_path):
    tasks = [(number, str(tmp_path / str(number))) for number in range(10)]
    for number, marker in tasks:
        if number != 4:
            work.marked(marker)
    engine = SparkEngine(master)
    found = sorted(engine.map(work.squared_unless_new, tasks))
    assert found == [(task, task[0] ** 2) for task in tasks]


@pytest.mark.usefixtures("same_python")
def test_a_session_that_is_there_is_used_and_left_running():
    from pyspark.sql import SparkSession

    with SparkSession.builder.master("local[1]").getOrCreate() as session:
        assert dict(SparkEngine().map(work.squared, [3])) == {3: 9}
        assert session.range(3).count() == 3
        with pytest.raises(InputError, match=r"that of the session which runs here"):
            list(SparkEngine("spark://127.0.0.1:1").map(work.squared, [3]))
