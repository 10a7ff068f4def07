"""The same rows on every engine, also when workers are killed on the way."""

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from time import monotonic

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpus_jobs import SETTINGS, bytes_of
from corpus_texts import text_of
from engine_tasks import DeadlySettings
from servers import COMMAND

from thatch.corpus.corpus_settings import CorpusSettings
from thatch.corpus.job import Job
from thatch.corpus.storage import Location
from thatch.engines import engine_named

ENGINES = ["local", "dask", pytest.param("spark", marks=pytest.mark.spark)]


@pytest.fixture
def expected(corpus, tmp_path):
    """What an undisturbed run on one worker writes."""
    target = tmp_path / "expected"
    Job(Location(str(corpus)), Location(str(target)), SETTINGS).run(
        engine_named("local", num_workers=1)
    )
    return bytes_of(target)


@pytest.mark.parametrize("name", ENGINES)
def test_every_engine_writes_the_same_rows(name, corpus, expected, tmp_path):
    target = tmp_path / name
    engine = engine_named(name, num_workers=2)
    report = Job(Location(str(corpus)), Location(str(target)), SETTINGS).run(engine)
    assert (report.num_rows, report.num_failed) == (1200, 0)
    assert bytes_of(target) == expected


def descendants(process):
    """Processes that one has started, and those that these have."""
    found = set()
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            for child in task.read_text().split():
                found |= {int(child)} | descendants(int(child))
    return found


@pytest.mark.parametrize("name", ["local", "dask"])
def test_workers_that_are_killed_cost_nothing_but_time(
    name, corpus, expected, tmp_path
):
    target = tmp_path / "out"
    options = ["--engine", name, "--workers", "2", "--budget", "12"]
    job = subprocess.Popen([*COMMAND, "corpus", corpus, target, *options])
    for num_chunks in range(len(expected)):
        until = monotonic() + 120
        # Once more is done, whoever is at work on the next part is killed.
        while len(bytes_of(target)) < num_chunks and job.poll() is None:
            assert monotonic() < until
        for worker in sorted(descendants(job.pid), reverse=True)[:1]:
            with suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
    assert job.wait(timeout=120) == 0
    assert bytes_of(target) == expected
    ids = pq.read_table(target)["id"].to_pylist()
    assert ids == [f"t{k}" for k in range(1200)]


@pytest.mark.parametrize("name", ENGINES)
def test_a_row_that_ends_its_process_has_an_error_and_the_others_are_done(
    name, tmp_path
):
    texts = [text_of(k) for k in range(8)]
    texts[2], texts[5] = "The doom text.", "A broken text."
    table = pa.table({"id": list(range(8)), "text": texts})
    pq.write_table(table, tmp_path / "in.parquet")
    settings = CorpusSettings(budget=12, summary=DeadlySettings())
    job = Job(Location(f"{tmp_path}/in.parquet"), Location(f"{tmp_path}/out"), settings)
    report = job.run(engine_named(name, num_workers=1))
    assert (report.num_rows, report.num_failed) == (8, 2)
    rows = pq.read_table(tmp_path / "out").to_pylist()
    assert rows[2]["error"] == (
        "a row must not end the process that summarizes it, got 3 that ended."
    )
    assert rows[5]["error"] == "a row must be summarized, got RecursionError: too deep"
    assert all(rows[k]["summary"] for k in (0, 1, 3, 4, 6, 7))
