"""Every row is answered once, whatever happens in between."""

import json
import os
import resource
import signal
import subprocess
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpus_texts import text_of
from servers import COMMAND

from thatch import InputError, Summarizer
from thatch.corpus.job import Job
from thatch.corpus.places import Format, Place
from thatch.corpus.settings import CorpusSettings
from thatch.engines import LocalEngine

SETTINGS = CorpusSettings(budget=12)
ONE = LocalEngine(num_workers=1)


def run(source, target, *, engine=ONE, **options):
    job = Job(Place(str(source)), Place(str(target)), SETTINGS, **options)
    return job.run(engine)


def bytes_of(folder):
    return {p.name: p.read_bytes() for p in sorted(Path(folder).glob("part-*"))}


def rows_of(target):
    if Path(target).is_dir():
        return pq.read_table(target).to_pylist()
    return [json.loads(line) for line in Path(target).read_text().splitlines()]


def test_every_row_is_what_the_summarizer_says(corpus, tmp_path):
    report = run(corpus, tmp_path / "out.jsonl")
    assert (report.num_rows, report.num_failed) == (1200, 0)
    rows = rows_of(tmp_path / "out.jsonl")
    assert [row["id"] for row in rows] == [f"t{k}" for k in range(1200)]
    for k in (0, 7, 1199):
        assert rows[k]["summary"] == Summarizer().summarize(text_of(k), 12).text
    assert not (tmp_path / "out.jsonl.parts").exists()


def test_formats_in_and_out_have_the_same_rows(corpus, tmp_path):
    given = [json.loads(line) for line in corpus.read_text().splitlines()]
    table = pa.Table.from_pylist(given)
    pq.write_table(table, tmp_path / "texts.parquet", row_group_size=170)
    import pyarrow.csv

    pyarrow.csv.write_csv(table, tmp_path / "texts.csv")
    run(corpus, tmp_path / "expected.jsonl")
    expected = rows_of(tmp_path / "expected.jsonl")
    for name in ("texts.parquet", "texts.csv"):
        run(tmp_path / name, tmp_path / f"{name}.out")
        assert rows_of(tmp_path / f"{name}.out") == expected
    run(corpus, tmp_path / "one.parquet")
    assert pq.read_table(tmp_path / "one.parquet").to_pylist() == expected


def test_an_address_that_is_no_path_is_read_and_written(corpus):
    source, target = Place("memory://job/in.jsonl"), Place("memory://job/out")
    with source.appearing() as file:
        file.write(b"".join(corpus.read_bytes().splitlines(keepends=True)[:5]))

    class Here:
        def map(self, function, tasks):
            return ((task, function(task)) for task in tasks)

    job = Job(source, target, SETTINGS, format=Format.JSON_LINES)
    assert job.run(Here()).num_rows == 5
    assert target.names() == {"_job.json", "part-000000.jsonl"}


def test_workers_do_not_change_a_byte(corpus, tmp_path):
    run(corpus, tmp_path / "one")
    run(corpus, tmp_path / "two", engine=LocalEngine(num_workers=2))
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")


POISON = [
    ({"id": "null", "text": None}, "text must not be null, got null."),
    ({"id": "empty", "text": ""}, "the text holds no sentence"),
    ({"id": "large", "text": "a. " * 7_000_000}, "text must have 16,777,216 bytes"),
    (b'{"id": "broken", "text": "Sn\xffow."}', "rows must be UTF-8, got the byte"),
    ({"id": "list", "text": ["Snow fell."]}, "text must be a text, got a list."),
    ({"id": "t3", "text": "Again."}, "ids must be of one row each, got 't3' again."),
    (b'{"id": "cut", "te', "rows must be JSON, got"),
]


def test_poisoned_rows_have_their_own_errors_and_no_other_is_lost(corpus, tmp_path):
    lines = corpus.read_bytes().splitlines()
    for k, (row, _) in enumerate(POISON):
        line = row if isinstance(row, bytes) else json.dumps(row).encode()
        lines.insert(150 * (k + 1), line)
    (tmp_path / "bad.jsonl").write_bytes(b"\n".join(lines))
    report = run(tmp_path / "bad.jsonl", tmp_path / "out.jsonl")
    assert report.num_failed == len(POISON)
    rows = rows_of(tmp_path / "out.jsonl")
    failed = [row for row in rows if row["error"] is not None]
    assert len(rows) == 1200 + len(POISON)
    for row, (given, message) in zip(failed, POISON, strict=True):
        assert row["error"].startswith(message)
        assert row["summary"] is None
        assert isinstance(given, bytes) or row["id"] == given["id"]
    run(corpus, tmp_path / "good.jsonl")
    good = [row for row in rows if row["error"] is None]
    assert good == rows_of(tmp_path / "good.jsonl")


def test_documents_of_a_cluster_are_summarized_as_one(tmp_path):
    rows = [{"topic": f"c{k % 5}", "text": text_of(k)} for k in range(60)]
    path = tmp_path / "docs.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    run(path, tmp_path / "out.jsonl", group_by="topic")
    found = {row["topic"]: row for row in rows_of(tmp_path / "out.jsonl")}
    assert set(found) == {f"c{k}" for k in range(5)}
    texts = [text_of(k) for k in range(60) if k % 5 == 2]
    assert found["c2"]["summary"] == Summarizer().summarize(texts, 12).text


def command(*arguments, **options):
    given = [*COMMAND, *map(str, arguments)]
    return subprocess.run(given, capture_output=True, text=True, **options)


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
    (target / ".part-000000.parquet.0123").write_bytes(b"half")
    run(corpus, target)
    assert {p.name for p in target.iterdir()} == {"_job.json", *bytes_of(target)}


def test_a_job_is_not_begun_twice_by_mistake(corpus, tmp_path):
    run(corpus, tmp_path / "out")
    with pytest.raises(InputError, match="where a job was begun"):
        run(corpus, tmp_path / "out")
    run(corpus, tmp_path / "out", resume=True)
    with pytest.raises(InputError, match="a job must go on as it was begun"):
        Job(
            Place(str(corpus)),
            Place(str(tmp_path / "out")),
            CorpusSettings(budget=13),
            resume=True,
        ).run(ONE)


def test_a_folder_of_something_else_is_left_alone(corpus, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("Mine.")
    with pytest.raises(InputError, match="with something else in it"):
        run(corpus, tmp_path / "mine")


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
    assert "File too large" in answer.stderr
    assert {p.name for p in target.iterdir()} <= {"_job.json"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_named(corpus, tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    answer = command("corpus", corpus, tmp_path / "locked" / "out")
    assert answer.returncode in (1, 2)
    assert "locked" in answer.stderr
