"""Corpus jobs on every engine, also with workers that are killed."""

import os
import signal
from contextlib import suppress

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpus_jobs import SETTINGS, bytes_of
from corpus_texts import text_of
from engine_tasks import DeadlySettings
from processes import children_of

from thatch.corpus.corpus_settings import CorpusSettings
from thatch.corpus.job import Job
from thatch.files.locations import Location
from thatch.scale import engine_named

pytestmark = pytest.mark.slow

ENGINES = ["local", "dask", pytest.param("spark", marks=pytest.mark.spark)]


@pytest.fixture
def expected(corpus, tmp_path):
    """The chunks of an undisturbed job on one worker."""
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


@pytest.mark.parametrize("name", ["local", "dask"])
def test_killed_workers_do_not_change_the_output(name, corpus, expected, tmp_path):
    """The youngest process, a worker, is killed whenever a chunk is finished."""
    others = children_of(os.getpid(), recursive=True)
    killed = []

    def kill_a_worker(report):
        workers = children_of(os.getpid(), recursive=True) - others
        for worker in sorted(workers, reverse=True)[:1]:
            with suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
                killed.append(worker)

    target = tmp_path / "out"
    job = Job(Location(str(corpus)), Location(str(target)), SETTINGS)
    job.run(engine_named(name, num_workers=2), on_chunk=kill_a_worker)
    assert killed
    assert bytes_of(target) == expected
    ids = pq.read_table(target)["id"].to_pylist()
    assert ids == [f"t{k}" for k in range(1200)]


@pytest.mark.parametrize("name", ENGINES)
def test_a_row_that_ends_its_process_gets_an_error(name, tmp_path):
    texts = [text_of(k) for k in range(8)]
    texts[2], texts[5] = "The doom text.", "A broken text."
    table = pa.table({"id": list(range(8)), "text": texts})
    pq.write_table(table, tmp_path / "in.parquet")
    settings = CorpusSettings(budget=12, summary=DeadlySettings())
    job = Job(Location(f"{tmp_path}/in.parquet"), Location(f"{tmp_path}/out"), settings)
    report = job.run(engine_named(name, num_workers=1))
    assert (report.num_rows, report.num_failed) == (8, 2)
    rows = pq.read_table(tmp_path / "out").to_pylist()
    assert "3 processes" in rows[2]["error"]
    assert "RecursionError: too deep" in rows[5]["error"]
    assert all(rows[k]["summary"] for k in (0, 1, 3, 4, 6, 7))
