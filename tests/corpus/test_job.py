"""Every row is answered once, whatever happens in between."""

import json
import os
import resource
import shutil
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpus_texts import text_of
from servers import COMMAND

from thatch import InputError, LostTaskError, Summarizer
from thatch.corpus.job import Job
from thatch.corpus.places import Format, Place
from thatch.corpus.settings import CorpusSettings
from thatch.corpus.work import Work
from thatch.engines import LocalEngine
from thatch.text.background import Background
from thatch.text.settings import SummarySettings

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


class Here:
    """An engine in this process."""

    def map(self, function, tasks):
        return ((task, function(task)) for task in tasks)


def test_an_address_that_is_no_path_is_read_and_written(corpus):
    source, target = Place("memory://job/in.jsonl"), Place("memory://job/out")
    with source.appearing() as file:
        file.write(b"".join(corpus.read_bytes().splitlines(keepends=True)[:5]))
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
    ({"id": "t3", "text": "Again."}, "id must be of one row, got 't3' again."),
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
    "unit": SummarySettings(concepts="words", unit="characters"),
    "background": Background(1, {"a": 1}),
    "format": Format.JSON_LINES,
    "group_by": "topic",
}


@pytest.mark.parametrize(("name", "value"), OTHER.items(), ids=OTHER)
def test_a_job_goes_on_only_as_it_was_begun(name, value, tmp_path):
    source = tmp_path / "in.jsonl"
    source.write_text('{"id": 1, "text": "Snow fell.", "topic": "a"}')
    words = CorpusSettings(budget=12, summary=SummarySettings(concepts="words"))
    job = Job(Place(str(source)), Place(str(tmp_path / "out")), words)
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
    (part,) = folder.glob("part-*")
    shutil.copy(part, target)
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


IDS = {
    "numbers": ([1, 2, 2**62], [1, 2, 2**62], {}),
    "too large": ([1, 2**63], ["1", str(2**63)], {}),
    "mixed": ([1, "a", True], ["1", "a", "true"], {}),
    "alike": ([1, "1"], ["1", "1"], {1: "id must be of one row, got '1' again."}),
    "null": (
        *(["a", None, None], ["a", None, None]),
        dict.fromkeys([1, 2], "id must not be null, got null."),
    ),
    "nested": ([{"a": [1]}], ['{"a": [1]}'], {}),
}


@pytest.mark.parametrize(("given", "expected", "errors"), IDS.values(), ids=IDS)
def test_ids_are_numbers_or_texts(given, expected, errors, tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text(
        "\n".join(json.dumps({"id": id, "text": "Snow fell."}) for id in given)
    )
    for name in ("out.jsonl", "out.parquet"):
        run(path, tmp_path / name, engine=Here())
    rows = rows_of(tmp_path / "out.jsonl")
    assert rows == pq.read_table(tmp_path / "out.parquet").to_pylist()
    assert [row["id"] for row in rows] == expected
    assert {k: row["error"] for k, row in enumerate(rows) if row["error"]} == errors


def test_files_whose_ids_differ_in_type_are_one_corpus(tmp_path):
    (tmp_path / "in").mkdir()
    columns = {
        "a": pa.array([1, 2], pa.int32()),
        "b": pa.array(["x", "y"], pa.large_string()),
        "c": pa.array([b"\xff", b"z"]),
        "d": pa.array(["u", "u"]).dictionary_encode(),
    }
    for name, ids in columns.items():
        table = pa.table({"id": ids, "text": ["Snow fell."] * 2})
        pq.write_table(table, tmp_path / "in" / f"{name}.parquet")
    run(tmp_path / "in", tmp_path / "out.parquet", engine=Here())
    ids = pq.read_table(tmp_path / "out.parquet")["id"].to_pylist()
    assert ids == ["1", "2", "x", "y", "\ufffd", "z", "u", "u"]


def test_lists_of_texts_in_json_lines_are_summarized_together(tmp_path):
    texts = [text_of(1), text_of(2)]
    path = tmp_path / "in.jsonl"
    path.write_text(json.dumps({"id": "a", "text": texts}))
    run(path, tmp_path / "out.jsonl", engine=Here())
    (row,) = rows_of(tmp_path / "out.jsonl")
    assert row["summary"] == Summarizer().summarize(texts, 12).text


def test_few_large_rows_make_small_parts(corpus, tmp_path, monkeypatch):
    monkeypatch.setattr("thatch.corpus.rows._MOST_BYTES", 5_000)
    monkeypatch.setattr("thatch.corpus.rows._BLOCK", 700)
    run(corpus, tmp_path / "out", engine=Here(), format=Format.JSON_LINES)
    parts = sorted((tmp_path / "out").glob("part-*"))
    assert len(parts) == pytest.approx(corpus.stat().st_size / 5_000, rel=0.1)
    rows = [row for part in parts for row in rows_of(part)]
    assert [row["id"] for row in rows] == [f"t{k}" for k in range(1200)]


def test_clusters_do_not_depend_on_how_many_files_they_pass_through(
    tmp_path, monkeypatch
):
    rows = [{"id": k, "c": f"c{k % 7}", "text": text_of(k)} for k in range(60)]
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, rows)))
    found = []
    for size in (10**9, 1000):
        monkeypatch.setattr("thatch.corpus.grouping._BYTES_A_BUCKET", size)
        target = tmp_path / f"{size}.jsonl"
        run(tmp_path / "in.jsonl", target, engine=Here(), group_by="c")
        found.append(sorted(rows_of(target), key=lambda row: row["c"]))
    assert len(found[0]) == 7
    assert found[0] == found[1]


def test_documents_are_not_brought_together_twice(tmp_path):
    rows = [{"id": k, "c": f"c{k % 7}", "text": text_of(k)} for k in range(60)]
    source, target = tmp_path / "in.jsonl", tmp_path / "out"
    source.write_text("\n".join(map(json.dumps, rows)))

    class Gone(Exception):
        pass

    class Ends:
        """An engine that is gone once the first look is over."""

        def map(self, function, tasks):
            if isinstance(function, Work):
                raise Gone
            return Here().map(function, tasks)

    with pytest.raises(Gone):
        run(source, target, engine=Ends(), group_by="c")
    (target / "_rows" / "clusters-00009.parquet").write_bytes(b"half")
    (target / "_rows" / "_whole.json").unlink()
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
            if isinstance(function, Work) and self.times > 0:
                self.times -= 1
                raise LostTaskError("It is gone.", task=task)
            yield task, function(task)


def test_a_part_that_is_lost_is_done_with_care_and_lost_again_ends_the_job(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("id,text\na,Snow fell.\n")
    assert run(path, tmp_path / "once", engine=Loses(1)).num_rows == 1
    with pytest.raises(LostTaskError):
        run(path, tmp_path / "twice", engine=Loses(2))


def test_a_file_in_one_large_group_gives_the_same_rows(tmp_path, monkeypatch):
    rows = {"id": list(range(1200)), "text": [text_of(k) for k in range(1200)]}
    pq.write_table(pa.table(rows), tmp_path / "large.parquet")
    assert pq.ParquetFile(tmp_path / "large.parquet").metadata.num_row_groups == 1
    run(tmp_path / "large.parquet", tmp_path / "as-it-is")
    monkeypatch.setattr("thatch.corpus.parquet_rows._LARGE_GROUP", 1000)
    sizes = []

    class Looks(Here):
        def map(self, function, tasks):
            if isinstance(function, Work):
                (written,) = (tmp_path / "anew" / "_rows").glob("*.parquet")
                sizes.append(pq.ParquetFile(written).metadata.num_row_groups)
            return super().map(function, tasks)

    run(tmp_path / "large.parquet", tmp_path / "anew", engine=Looks())
    assert sizes == [3]
    assert bytes_of(tmp_path / "anew") == bytes_of(tmp_path / "as-it-is")
    assert not (tmp_path / "anew" / "_rows").exists()


def test_a_background_is_read_where_the_work_is_done(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("id,text\na,The mill is old. The roof leaks.\n")
    chosen = []
    for rare in ("mill", "roof"):
        terms = ["the", "is", "mill", "old", "roof", "leak"]
        counts = dict.fromkeys(terms, 100) | {rare: 1}
        settings = CorpusSettings(
            budget=4,
            summary=SummarySettings(concepts="words"),
            background=Background(100, counts),
        )
        target = tmp_path / rare
        Job(Place(str(path)), Place(str(target)), settings).run(ONE)
        chosen += [row["summary"] for row in rows_of(target)]
        assert not (target / "_background.json").exists()
    assert chosen == ["The mill is old.", "The roof leaks."]


def test_empty_files_and_ids_that_are_clusters_do_no_harm(tmp_path):
    (tmp_path / "in").mkdir()
    rows = [{"id": f"d{k}", "c": "a", "text": text_of(k)} for k in range(2)]
    (tmp_path / "in" / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "in" / "b.csv").write_text("")
    (tmp_path / "in" / "c.jsonl").write_text("\n\n")
    run(tmp_path / "in", tmp_path / "out.jsonl", engine=Here(), group_by="c")
    (row,) = rows_of(tmp_path / "out.jsonl")
    assert set(row["sources"]) <= {"d0", "d1"}
    table = pa.table({"id": ["a", "a"], "text": ["Snow fell.", "Rain fell."]})
    pq.write_table(table, tmp_path / "in.parquet")
    run(tmp_path / "in.parquet", tmp_path / "b.jsonl", engine=Here(), group_by="id")
    (row,) = rows_of(tmp_path / "b.jsonl")
    assert (row["id"], row["summary"]) == ("a", "Snow fell. Rain fell.")
