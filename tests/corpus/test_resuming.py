"""Interrupted jobs, which are resumed without repeating or losing rows."""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace

import pytest
from corpus_jobs import OWN_FILES, SerialEngine, bytes_of, command, run
from corpus_texts import text_of
from engine_tasks import ENVIRONMENT
from refusals import refused
from systems import linux, posix

from thatch import InputError
from thatch.corpus.batch import ChunkSummarizer
from thatch.corpus.corpus_settings import CorpusSettings
from thatch.corpus.job import Job
from thatch.errors import LostTaskError
from thatch.files.locations import Format, Location
from thatch.text.concepts.background import Background
from thatch.text.summary_settings import SummarySettings

pytestmark = pytest.mark.slow

# A job that is killed as soon as it has finished one chunk.
KILLED_JOB = """
import os, signal, sys
from corpus_jobs import run

run(*sys.argv[1:], on_chunk=lambda report: os.kill(os.getpid(), signal.SIGKILL))
"""


@posix
def test_a_killed_job_resumes_after_its_last_finished_chunk(corpus, tmp_path):
    run(corpus, tmp_path / "whole")
    target = tmp_path / "out"
    job = subprocess.run(
        [sys.executable, "-c", KILLED_JOB, corpus, target],
        env=ENVIRONMENT,
    )
    assert job.returncode == -signal.SIGKILL
    before = {path: path.stat().st_mtime_ns for path in target.glob("part-*")}
    assert before
    run(corpus, target, resume=True)
    assert bytes_of(target) == bytes_of(tmp_path / "whole")
    for path, modified in before.items():
        assert path.stat().st_mtime_ns == modified


def test_temporary_files_of_killed_processes_are_removed(corpus, tmp_path):
    target = tmp_path / "out"
    target.mkdir()
    temporary = target / f".part-000000.parquet.{'0' * 32}"
    temporary.write_bytes(b"half")
    os.utime(temporary, (1, 1))
    run(corpus, target)
    assert {p.name for p in target.iterdir()} == {*OWN_FILES, *bytes_of(target)}


def test_an_output_with_a_job_is_only_written_with_resume(corpus, tmp_path):
    run(corpus, tmp_path / "out")
    with refused(InputError, tmp_path / "out"):
        run(corpus, tmp_path / "out")
    run(corpus, tmp_path / "out", resume=True)


OTHER = {
    "budget": 13,
    "seed": 1,
    "max_bytes": 9000,
    "unit": SummarySettings(concepts="tf-idf", unit="characters"),
    "background": Background(1, {"a": 1}),
    "format": Format.JSON_LINES,
    "group_by": "topic",
}


@pytest.mark.parametrize(("name", "value"), OTHER.items(), ids=OTHER)
def test_a_job_is_resumed_only_with_the_same_settings(name, value, tmp_path):
    source = tmp_path / "in.jsonl"
    source.write_text('{"id": 1, "text": "Snow fell.", "topic": "a"}')
    words = CorpusSettings(budget=12, summary=SummarySettings(concepts="tf-idf"))
    job = Job(Location(str(source)), Location(str(tmp_path / "out")), words)
    job.run(SerialEngine())
    if name in ("format", "group_by"):
        other = replace(job, resume=True, **{name: value})
    else:
        field = "summary" if name == "unit" else name
        settings = replace(words, **{field: value})
        other = replace(job, resume=True, settings=settings)
    with refused(InputError, f"{name} differs", tmp_path / "out"):
        other.run(SerialEngine())


class Interrupted(Exception):
    pass


def interrupted(*_):
    raise Interrupted


@pytest.mark.parametrize("name", ["out.jsonl", "out.parquet"])
def test_a_job_that_was_killed_before_it_cleaned_up_is_completed(
    name, tmp_path, monkeypatch
):
    source, target = tmp_path / "in.jsonl", tmp_path / name
    source.write_text('{"id": 1, "text": "Snow fell."}\n{"id": 2, "text": ""}')
    with monkeypatch.context() as patched, pytest.raises(Interrupted):
        patched.setattr(Job, "_remove_parts", interrupted)
        run(source, target, engine=SerialEngine())
    expected = target.read_bytes()
    assert list((tmp_path / f"{name}.parts").glob("part-*"))
    report = run(source, target, engine=SerialEngine(), resume=True)
    assert (report.num_rows, report.num_failed) == (2, 1)
    assert target.read_bytes() == expected
    assert not (tmp_path / f"{name}.parts").exists()
    with refused(InputError, target):
        run(source, target, engine=SerialEngine(), resume=True)


def test_a_job_that_was_killed_while_it_cleaned_up_is_completed(tmp_path, monkeypatch):
    """However many files it had removed."""
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text('{"id": 1, "text": "Snow fell."}\n{"id": 2, "text": ""}')
    parts = tmp_path / "out.jsonl.parts"
    remove = Location.remove
    for num_removed in range(100):
        removed = []

        def interrupting(location, removed=removed, most=num_removed):
            if location.name != "_lock" and len(removed) == most:
                raise Interrupted
            removed.append(location.name)
            remove(location)

        with monkeypatch.context() as patched, suppress(Interrupted):
            patched.setattr(Location, "remove", interrupting)
            run(source, target, engine=SerialEngine())
        if not parts.exists():
            break
        expected = target.read_bytes()
        report = run(source, target, engine=SerialEngine(), resume=True)
        assert (report.num_rows, report.num_failed) == (2, 1)
        assert target.read_bytes() == expected
        assert not parts.exists()
        target.unlink()
    assert {"_parts", "part-000000.jsonl", "_job.json", "_manifest.json"} < {*removed}


def test_an_empty_folder_of_parts_is_removed(tmp_path):
    """It is left if a command is killed when it has just removed its lock."""
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text('{"id": 1, "text": "Snow fell."}')
    run(source, target, engine=SerialEngine())
    parts = tmp_path / "out.jsonl.parts"
    parts.mkdir()
    with refused(InputError, target):
        run(source, target, engine=SerialEngine(), resume=True)
    assert not parts.exists()


def test_a_file_that_the_job_did_not_write_is_not_replaced(tmp_path, monkeypatch):
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text('{"id": 1, "text": "Snow fell."}')
    with monkeypatch.context() as patched, pytest.raises(Interrupted):
        patched.setattr(Job, "_remove_parts", interrupted)
        run(source, target, engine=SerialEngine())
    target.write_text("Mine.")
    with refused(InputError, target):
        run(source, target, engine=SerialEngine(), resume=True)
    assert target.read_text() == "Mine."


def test_resuming_a_finished_job_only_reports(tmp_path):
    source, target = tmp_path / "in.jsonl", tmp_path / "out"
    source.write_text('{"id": 1, "text": "Snow fell."}\n{"id": 2, "text": ""}')
    first = run(source, target, engine=SerialEngine())
    before = sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*.*"))
    again = run(source, target, engine=SerialEngine(), resume=True)
    assert again == first
    assert again.num_failed == 1
    assert [kind.ids for kind in again.kinds] == [(2,)]
    after = sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*.*"))
    assert [each for each in after if "_job" not in each[0].name] == [
        each for each in before if "_job" not in each[0].name
    ]


@pytest.mark.parametrize("name", ["notes.txt", ".git", ".part-0.0123", "_rows"])
def test_a_folder_with_other_files_is_refused_and_unchanged(name, corpus, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / name).write_text("Mine.")
    with refused(InputError, tmp_path / "mine"):
        run(corpus, tmp_path / "mine")
    assert (tmp_path / "mine" / name).read_text() == "Mine."


def test_documents_are_grouped_only_once(tmp_path):
    rows = [{"id": k, "c": f"c{k % 7}", "text": text_of(k)} for k in range(60)]
    source, target = tmp_path / "in.jsonl", tmp_path / "out"
    source.write_text("\n".join(map(json.dumps, rows)))

    class InterruptedEngine:
        """Scans chunks, but is interrupted before it summarizes one."""

        def map(self, function, tasks):
            if isinstance(function, ChunkSummarizer):
                raise Interrupted
            return SerialEngine().map(function, tasks)

    with pytest.raises(Interrupted):
        run(source, target, engine=InterruptedEngine(), group_by="c")
    (target / "_rows" / "clusters-00009.parquet").write_bytes(b"half")
    (target / "_rows" / "_complete.json").unlink()
    with pytest.raises(Interrupted):
        run(source, target, engine=InterruptedEngine(), group_by="c")
    written = {path: path.stat().st_mtime_ns for path in (target / "_rows").iterdir()}
    with pytest.raises(Interrupted):
        run(source, target, engine=InterruptedEngine(), group_by="c")
    assert written == {p: p.stat().st_mtime_ns for p in (target / "_rows").iterdir()}
    assert run(source, target, engine=SerialEngine(), group_by="c").num_rows == 7
    assert not (target / "_rows").exists()


def no_large_files():
    """Writing more than 20,000 bytes to a file fails, as on a full disk."""
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))


@posix
def test_a_full_disk_is_an_error_that_leaves_no_incomplete_chunk(corpus, tmp_path):
    target = tmp_path / "out"
    # Coverage would write a large file, too.
    unmeasured = {k: v for k, v in os.environ.items() if not k.startswith("COV")}
    answer = command(
        *("corpus", corpus, target, "--format", "jsonl", "--workers", "1"),
        preexec_fn=no_large_files,
        env=unmeasured,
    )
    assert answer.returncode == 1
    assert answer.stderr.count("\n") == 2
    assert answer.stderr.startswith("error: ")
    assert "part-00000" in answer.stderr
    assert "File too large" in answer.stderr
    assert {p.name for p in target.iterdir()} <= {"_job.json", "_parts"}


@linux
def test_a_folder_without_write_permission_is_named(corpus):
    # Not even root may write there.
    answer = command("corpus", corpus, "/proc/locked/out")
    assert answer.returncode == 1
    assert answer.stderr.startswith("error: /proc/locked")
    assert answer.stderr.count("\n") == 2


class LosingEngine:
    """Loses the first chunk some number of times."""

    def __init__(self, times):
        self.times = times

    def map(self, function, tasks):
        for task in tasks:
            if isinstance(function, ChunkSummarizer) and self.times > 0:
                self.times -= 1
                raise LostTaskError("lost.", task=task)
            yield task, function(task)


def test_a_lost_chunk_is_isolated_and_ends_the_job_if_lost_again(
    tmp_path,
):
    path = tmp_path / "in.csv"
    path.write_text("id,text\na,Snow fell.\n")
    assert run(path, tmp_path / "once", engine=LosingEngine(1)).num_rows == 1
    with pytest.raises(LostTaskError):
        run(path, tmp_path / "twice", engine=LosingEngine(2))
