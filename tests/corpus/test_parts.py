"""Parts of a job: those that are damaged or of another job are written again."""

import json
import shutil
from dataclasses import replace

import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from corpus_jobs import SETTINGS, SerialEngine
from corpus_texts import text_of
from refusals import refused

from thatch import InputError
from thatch.corpus.batch import ChunkSummarizer
from thatch.corpus.job import Job
from thatch.corpus.parts import Parts
from thatch.corpus.plan import Chunk
from thatch.files.locations import Format, Location
from thatch.files.output_lock import OutputLock

pytestmark = pytest.mark.slow

NUM_ROWS = 28
NUM_PARTS = 6


@pytest.fixture
def source(tmp_path, monkeypatch):
    """A file whose rows are six chunks."""
    monkeypatch.setattr("thatch.corpus.plan.ROWS_PER_CHUNK", 5)
    path = tmp_path / "texts.jsonl"
    rows = [{"id": f"t{k}", "text": text_of(k)} for k in range(NUM_ROWS)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def job_of(source, target, budget=12, **options):
    settings = replace(SETTINGS, budget=budget)
    return Job(Location(str(source)), Location(str(target)), settings, **options)


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def part(folder, number):
    (path,) = folder.glob(f"part-{number:06}.*")
    return path


def cut(out, other):
    path = part(out, 2)
    path.write_bytes(path.read_bytes()[:-1])


def emptied(out, other):
    part(out, 2).write_bytes(b"")


def flipped(out, other):
    content = bytearray(part(out, 2).read_bytes())
    content[len(content) // 2] ^= 4
    part(out, 2).write_bytes(content)


def swapped(out, other):
    first, second = part(out, 1).read_bytes(), part(out, 4).read_bytes()
    part(out, 1).write_bytes(second)
    part(out, 4).write_bytes(first)


def renamed(out, other):
    part(out, 3).rename(part(out, 5))


def foreign(out, other):
    shutil.copy(part(other, 3), part(out, 3))


def foreign_with_its_manifest(out, other):
    shutil.copy(part(other, 3), part(out, 3))
    shutil.copy(other / "_manifest.json", out / "_manifest.json")


def foreign_with_its_receipt(out, other):
    shutil.copy(part(other, 3), part(out, 3))
    parts = json.loads((other / "_manifest.json").read_text())["parts"]
    (out / "_parts").mkdir()
    (out / "_parts" / "000003.json").write_text(json.dumps(parts[3]["receipt"]))


def another(out, other):
    path = part(out, 3)
    shutil.copy(path, out / f"part-000099{path.suffix}")


def without_success(out, other):
    (out / "_SUCCESS").unlink()


def without_manifest(out, other):
    (out / "_manifest.json").write_text('{"parts": [')


DAMAGES = [
    cut,
    emptied,
    flipped,
    swapped,
    renamed,
    foreign,
    foreign_with_its_manifest,
    foreign_with_its_receipt,
    another,
    without_success,
    without_manifest,
]


@pytest.mark.parametrize("format", [Format.PARQUET, Format.JSON_LINES])
@pytest.mark.parametrize("damage", DAMAGES)
def test_resuming_restores_the_output_of_an_undisturbed_run(
    damage, format, source, tmp_path
):
    out, other = tmp_path / "out", tmp_path / "other"
    job_of(source, out, format=format).run(SerialEngine())
    job_of(source, other, budget=7, format=format).run(SerialEngine())
    expected = content(out)
    damage(out, other)
    notices = []
    report = job_of(source, out, format=format, resume=True).run(
        SerialEngine(), on_notice=notices.append
    )
    assert report.num_rows == NUM_ROWS
    assert content(out) == expected
    assert any(str(out) in notice for notice in notices) == (
        damage is not without_success
    )


def test_files_with_similar_names_are_left_alone(source, tmp_path):
    out = tmp_path / "out"
    job_of(source, out).run(SerialEngine())
    (out / "part-time.txt").write_text("Mine.")
    cut(out, None)
    job_of(source, out, resume=True).run(SerialEngine(), on_notice=lambda message: None)
    assert (out / "part-time.txt").read_text() == "Mine."


def test_every_changed_byte_of_a_part_is_detected(source, tmp_path):
    out = Location(str(tmp_path / "out"))
    job = job_of(source, tmp_path / "out")
    with OutputLock(out, on_notice=print) as lock:
        parts = Parts(out, Format.PARQUET, "job", lock.token, "id")
        chunk = written_chunk(job, parts)
        assert parts.valid([chunk]).keys() == {chunk.number}
        path = part(tmp_path / "out", chunk.number)
        original = path.read_bytes()
        for k in range(0, len(original), 5):
            path.write_bytes(
                original[:k] + bytes([original[k] ^ 1]) + original[k + 1 :]
            )
            assert parts.valid([chunk]) == {}
        path.write_bytes(original)
        assert parts.valid([chunk])
        for other in (
            replace(parts, job="other"),
            replace(parts, format=Format.JSON_LINES),
        ):
            assert other.valid([chunk]) == {}


def written_chunk(job, parts):
    """Write the first part of a job; its chunk."""
    chunks = []

    class FirstChunk(SerialEngine):
        def map(self, function, tasks):
            if isinstance(function, ChunkSummarizer):
                chunks.append(tasks[0])
                parts.folder.child("_parts").make_folder()
                replace(function, parts=parts)(tasks[0])
            return super().map(function, tasks)

    replace(job, target=Location(f"{job.target.address}-whole")).run(FirstChunk())
    return chunks[0]


def test_readers_see_only_the_rows_and_parts_name_their_job(source, tmp_path):
    out = tmp_path / "out"
    job_of(source, out).run(SerialEngine())
    assert {"_SUCCESS", "_manifest.json", "_job.json"} < {p.name for p in out.iterdir()}
    expected = [f"t{k}" for k in range(NUM_ROWS)]
    assert ds.dataset(out).to_table()["id"].to_pylist() == expected
    assert pq.read_table(out)["id"].to_pylist() == expected
    manifest = json.loads((out / "_manifest.json").read_text())
    assert manifest["num_rows"] == NUM_ROWS
    assert len(manifest["parts"]) == NUM_PARTS
    for k, listed in enumerate(manifest["parts"]):
        facts = pq.read_schema(out / listed["name"]).metadata
        assert facts[b"thatch.job"].decode() == manifest["job"]
        assert int(facts[b"thatch.chunk"]) == k == listed["receipt"]["chunk"]
        assert int(facts[b"thatch.rows"]) == listed["receipt"]["num_rows"]


class InterruptedError(Exception):
    pass


class InterruptedEngine(SerialEngine):
    """Is interrupted before it summarizes a chunk."""

    def map(self, function, tasks):
        if isinstance(function, ChunkSummarizer):
            raise InterruptedError
        return super().map(function, tasks)


def test_a_job_that_is_not_finished_has_no_success_marker(source, tmp_path):
    out = tmp_path / "out"
    job_of(source, out).run(SerialEngine())
    cut(out, None)
    modified = {p.name: p.stat().st_mtime_ns for p in out.glob("part-*")}
    for _ in range(2):
        with pytest.raises(InterruptedError):
            job_of(source, out, resume=True).run(
                InterruptedEngine(), on_notice=lambda message: None
            )
        assert not {"_SUCCESS", "_manifest.json"} & content(out).keys()
    job_of(source, out, resume=True).run(SerialEngine(), on_notice=lambda message: None)
    changed = [p.name for p in out.glob("part-*")]
    changed = [n for n in changed if modified[n] != (out / n).stat().st_mtime_ns]
    assert changed == ["part-000002.parquet"]


def test_a_worker_that_outlives_its_command_writes_nothing(source, tmp_path):
    out = Location(str(tmp_path / "out"))
    with OutputLock(out, on_notice=print) as lock:
        old = Parts(out, Format.PARQUET, "job", lock.token, "id")
    with OutputLock(out, on_notice=print):
        out.child("_parts").make_folder()
        with refused(InputError, out.address):
            old.put(out.child("part-000000.parquet"), b"old")
        assert out.finished_names() == {"_lock", "_parts"}


def test_a_part_that_is_replaced_during_the_job_is_written_again(source, tmp_path):
    job_of(source, tmp_path / "expected").run(SerialEngine())
    job_of(source, tmp_path / "other", budget=7).run(SerialEngine())
    out = tmp_path / "out"
    reports = []

    def replaced_once(report):
        reports.append(report)
        if len(reports) == NUM_PARTS:
            foreign(out, tmp_path / "other")

    job_of(source, out).run(SerialEngine(), on_chunk=replaced_once)
    assert len(reports) == NUM_PARTS + 1
    assert content(out) == content(tmp_path / "expected")

    def replaced_twice(report):
        reports.append(report)
        if len(reports) in (NUM_PARTS, NUM_PARTS + 1):
            foreign(out, tmp_path / "other")

    shutil.rmtree(out)
    reports.clear()
    job_of(source, out).run(SerialEngine(), on_chunk=replaced_twice)
    assert len(reports) == NUM_PARTS + 2
    assert content(out) == content(tmp_path / "expected")

    def replaced(report):
        if part(out, 0).exists():
            shutil.copy(part(tmp_path / "other", 0), part(out, 0))

    shutil.rmtree(out)
    with refused(InputError, out / "part-000000.parquet"):
        job_of(source, out).run(SerialEngine(), on_chunk=replaced)
    assert "_SUCCESS" not in content(out)


def test_an_input_that_changes_during_the_job_is_an_error(source, tmp_path):
    def changed(report):
        source.write_bytes(source.read_bytes() + b'{"id": "new", "text": "New."}\n')

    with refused(InputError, source):
        job_of(source, tmp_path / "out").run(SerialEngine(), on_chunk=changed)
    assert "_SUCCESS" not in content(tmp_path / "out")


def test_a_second_job_on_the_same_output_is_refused_at_any_time(source, tmp_path):
    """While the first reads ids, after each of its parts, and when it has finished."""
    out = tmp_path / "out"
    job_of(source, tmp_path / "expected").run(SerialEngine())
    refusals = []

    def second(*_):
        for resume in (False, True):
            with refused(InputError, out):
                job_of(source, out, budget=7, resume=resume).run(SerialEngine())
            refusals.append(resume)

    class CompetingEngine(SerialEngine):
        def map(self, function, tasks):
            second()
            return super().map(function, tasks)

    job_of(source, out).run(CompetingEngine(), on_begin=second, on_chunk=second)
    second()
    assert len(refusals) == 2 * (2 + 1 + NUM_PARTS + 1)
    assert content(out) == content(tmp_path / "expected")


def test_a_damaged_record_of_the_settings_is_refused(source, tmp_path):
    out = tmp_path / "out"
    job_of(source, out).run(SerialEngine())
    (out / "_job.json").write_text('{"budget')
    with refused(InputError, out / "_job.json"):
        job_of(source, out, resume=True).run(SerialEngine())


def test_prepared_files_that_are_damaged_are_prepared_again(tmp_path):
    rows = [{"id": k, "c": f"c{k % 3}", "text": text_of(k)} for k in range(9)]
    source, out = tmp_path / "in.jsonl", tmp_path / "out"
    source.write_text("\n".join(map(json.dumps, rows)))
    job = job_of(source, out, group_by="c")
    with pytest.raises(InterruptedError):
        job.run(InterruptedEngine())
    (prepared,) = (out / "_rows").glob("clusters-*")
    written = prepared.read_bytes()
    prepared.write_bytes(written[:-9])
    with pytest.raises(InterruptedError):
        job.run(InterruptedEngine())
    assert prepared.read_bytes() == written


def test_resuming_a_finished_job_leaves_no_prepared_files(tmp_path):
    source, out = tmp_path / "in.csv", tmp_path / "out"
    source.write_text("c,text\na,Snow fell.\na,Rain fell.\n")
    job_of(source, out, group_by="c").run(SerialEngine())
    expected = content(out)
    job_of(source, out, group_by="c", resume=True).run(SerialEngine())
    assert content(out) == expected
    assert not [path for path in out.iterdir() if path.is_dir()]


def test_chunks_are_named_by_their_number():
    assert Chunk(7, None).name(Format.PARQUET) == "part-000007.parquet"
