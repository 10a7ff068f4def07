"""A job that was ended goes on where it was; one that is lost takes nothing along."""

import json
import os
import resource
import shutil
import signal
import subprocess
import time
from dataclasses import replace

import pytest
from corpus_jobs import Here, bytes_of, command, run
from corpus_texts import text_of
from servers import COMMAND

from thatch import InputError
from thatch.corpus.chunk_work import ChunkSummarizer
from thatch.corpus.corpus_settings import CorpusSettings
from thatch.corpus.job import Job
from thatch.corpus.storage import Format, Location
from thatch.errors import LostTaskError
from thatch.text.concepts.background import Background
from thatch.text.summary_settings import SummarySettings


def test_a_job_that_was_killed_goes_on_where_it_was(corpus, tmp_path):
    run(corpus, tmp_path / "whole")
    target = tmp_path / "out"
    options = ["--budget", "12", "--workers", "1"]
    job = subprocess.Popen([*COMMAND, "corpus", corpus, target, *options])
    until = time.monotonic() + 60
    while not bytes_of(target) and job.poll() is None:
        assert time.monotonic() < until
    job.send_signal(signal.SIGKILL)
    job.wait()
    before = {path: path.stat().st_mtime_ns for path in target.glob("part-*")}
    answer = command("corpus", corpus, target, *options, "--resume")
    assert answer.returncode == 0
    assert bytes_of(target) == bytes_of(tmp_path / "whole")
    for path, changed in before.items():
        assert path.stat().st_mtime_ns == changed


def test_what_a_killed_process_was_writing_is_no_part_and_is_cleared_away(
    corpus, tmp_path
):
    target = tmp_path / "out"
    target.mkdir()
    draft = target / f".part-000000.parquet.{'0' * 32}"
    draft.write_bytes(b"half")
    os.utime(draft, (1, 1))
    run(corpus, target)
    assert {p.name for p in target.iterdir()} == {"_job.json", *bytes_of(target)}


def test_a_job_is_not_begun_twice_by_mistake(corpus, tmp_path):
    run(corpus, tmp_path / "out")
    with pytest.raises(InputError, match="where a job was begun"):
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
def test_a_job_goes_on_only_as_it_was_begun(name, value, tmp_path):
    source = tmp_path / "in.jsonl"
    source.write_text('{"id": 1, "text": "Snow fell.", "topic": "a"}')
    words = CorpusSettings(budget=12, summary=SummarySettings(concepts="tf-idf"))
    job = Job(Location(str(source)), Location(str(tmp_path / "out")), words)
    job.run(Here())
    if name in ("format", "group_by"):
        other = replace(job, resume=True, **{name: value})
    else:
        field = "summary" if name == "unit" else name
        settings = replace(words, **{field: value})
        other = replace(job, resume=True, settings=settings)
    with pytest.raises(InputError, match=f"got another {name} than"):
        other.run(Here())


@pytest.mark.parametrize("name", ["out.jsonl", "out.parquet"])
def test_a_job_that_was_ended_in_the_last_moment_is_tidied_up(name, tmp_path):
    source, target = tmp_path / "in.jsonl", tmp_path / name
    source.write_text('{"id": 1, "text": "Snow fell."}\n{"id": 2, "text": ""}')
    folder = tmp_path / f"{name}.parts"
    first = run(source, folder, engine=Here(), format=Format(target.suffix[1:]))
    (chunk,) = folder.glob("part-*")
    shutil.copy(chunk, target)
    assert run(source, target, engine=Here(), resume=True) == first
    assert not folder.exists()
    with pytest.raises(InputError, match="which is there"):
        run(source, target, engine=Here(), resume=True)


def test_a_finished_job_that_goes_on_reports_and_does_nothing(tmp_path):
    source, target = tmp_path / "in.jsonl", tmp_path / "out"
    source.write_text('{"id": 1, "text": "Snow fell."}\n{"id": 2, "text": ""}')
    first = run(source, target, engine=Here())
    before = sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*.*"))
    again = run(source, target, engine=Here(), resume=True)
    assert again == first
    assert again.num_failed == 1
    assert [kind.ids for kind in again.kinds] == [(2,)]
    after = sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*.*"))
    assert [each for each in after if "_job" not in each[0].name] == [
        each for each in before if "_job" not in each[0].name
    ]


@pytest.mark.parametrize("name", ["notes.txt", ".git", ".part-0.0123", "_rows"])
def test_a_folder_of_something_else_is_left_alone(name, corpus, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / name).write_text("Mine.")
    with pytest.raises(InputError, match="with something else in it"):
        run(corpus, tmp_path / "mine")
    assert (tmp_path / "mine" / name).read_text() == "Mine."


def test_documents_are_not_brought_together_twice(tmp_path):
    rows = [{"id": k, "c": f"c{k % 7}", "text": text_of(k)} for k in range(60)]
    source, target = tmp_path / "in.jsonl", tmp_path / "out"
    source.write_text("\n".join(map(json.dumps, rows)))

    class Gone(Exception):
        pass

    class Ends:
        """An engine that is gone once the first look is over."""

        def map(self, function, tasks):
            if isinstance(function, ChunkSummarizer):
                raise Gone
            return Here().map(function, tasks)

    with pytest.raises(Gone):
        run(source, target, engine=Ends(), group_by="c")
    (target / "_rows" / "clusters-00009.parquet").write_bytes(b"half")
    (target / "_rows" / "_complete.json").unlink()
    with pytest.raises(Gone):
        run(source, target, engine=Ends(), group_by="c")
    written = {path: path.stat().st_mtime_ns for path in (target / "_rows").iterdir()}
    with pytest.raises(Gone):
        run(source, target, engine=Ends(), group_by="c")
    assert written == {p: p.stat().st_mtime_ns for p in (target / "_rows").iterdir()}
    assert run(source, target, engine=Here(), group_by="c").num_rows == 7
    assert not (target / "_rows").exists()


def no_large_files():
    """As on a full disk: what is written beyond some bytes fails."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))


def test_a_disk_that_is_full_is_named_and_nothing_is_taken_for_whole(corpus, tmp_path):
    target = tmp_path / "out"
    answer = command(
        *("corpus", corpus, target, "--format", "jsonl", "--workers", "1"),
        preexec_fn=no_large_files,
    )
    assert answer.returncode == 1
    assert answer.stderr.count("\n") == 2
    assert answer.stderr.startswith("error: ")
    assert "part-00000" in answer.stderr
    assert "File too large" in answer.stderr
    assert {p.name for p in target.iterdir()} <= {"_job.json"}


def test_a_folder_that_cannot_be_written_is_named(corpus):
    # Not even root may write there.
    answer = command("corpus", corpus, "/proc/locked/out")
    assert answer.returncode == 1
    assert answer.stderr.startswith("error: /proc/locked")
    assert answer.stderr.count("\n") == 2


class Loses:
    """An engine that loses every part, some number of times."""

    def __init__(self, times):
        self.times = times

    def map(self, function, tasks):
        for task in tasks:
            if isinstance(function, ChunkSummarizer) and self.times > 0:
                self.times -= 1
                raise LostTaskError("It is gone.", task=task)
            yield task, function(task)


def test_a_part_that_is_unusable_is_done_with_care_and_lost_again_ends_the_job(
    tmp_path,
):
    path = tmp_path / "in.csv"
    path.write_text("id,text\na,Snow fell.\n")
    assert run(path, tmp_path / "once", engine=Loses(1)).num_rows == 1
    with pytest.raises(LostTaskError):
        run(path, tmp_path / "twice", engine=Loses(2))
