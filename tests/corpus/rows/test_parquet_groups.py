"""Damaged Parquet files: an error names the file and the group, and costs its rows."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpus_jobs import SerialEngine, command, rows_of, run
from corpus_texts import text_of
from refusals import refused

from thatch import InputError
from thatch.corpus.corpus_settings import CorpusSettings
from thatch.corpus.report import Report
from thatch.corpus.statistics import corpus_statistics
from thatch.files.locations import Location

NUM_ROWS = 40
ROWS_PER_GROUP = 10
DAMAGED = range(20, 30)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "texts.parquet"


def write(path, **options):
    table = pa.table(
        {
            "id": [f"t{k}" for k in range(NUM_ROWS)],
            "text": [text_of(k) for k in range(NUM_ROWS)],
            "topic": [f"c{k % 4}" for k in range(NUM_ROWS)],
            "error": ["not an error of thatch"] * NUM_ROWS,
        }
    )
    pq.write_table(
        table, path, row_group_size=ROWS_PER_GROUP, use_dictionary=False, **options
    )


def damage(path, column, group=2):
    """Overwrite the data of a column of a group."""
    chunk = pq.read_metadata(path).row_group(group).column(column)
    start = chunk.data_page_offset + 20
    content = bytearray(path.read_bytes())
    size = chunk.total_compressed_size - 20
    content[start : start + size] = b"\xff" * size
    path.write_bytes(content)


COLUMNS = {"id": 0, "text": 1}


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("is_large", [False, True])
def test_a_damaged_group_costs_only_its_rows(
    column, is_large, path, tmp_path, monkeypatch
):
    write(path)
    run(path, tmp_path / "good.jsonl", engine=SerialEngine())
    damage(path, COLUMNS[column])
    if is_large:
        groups = "thatch.corpus.rows.parquet_rows"
        monkeypatch.setattr(f"{groups}._LARGE_GROUP_BYTES", 1)
        monkeypatch.setattr(f"{groups}._ROWS_PER_BATCH", 1)
    report = run(path, tmp_path / "bad.jsonl", engine=SerialEngine())
    assert (report.num_rows, report.num_failed) == (NUM_ROWS, len(DAMAGED))
    good, bad = rows_of(tmp_path / "good.jsonl"), rows_of(tmp_path / "bad.jsonl")
    for k in range(NUM_ROWS):
        if k in DAMAGED:
            assert f"{column} is damaged" in bad[k]["error"]
            assert f"row group 2 of {path}" in bad[k]["error"]
            assert bad[k]["id"] == (None if column == "id" else f"t{k}")
            assert bad[k]["summary"] is None
        else:
            assert bad[k] == good[k]


def test_a_changed_letter_is_detected_by_the_checksum_of_its_page(path, tmp_path):
    write(path, compression="none", write_page_checksum=True)
    content = path.read_bytes()
    assert content.count(b"house 25 is") == 1
    path.write_bytes(content.replace(b"house 25 is", b"house 99 is"))
    report = run(path, tmp_path / "out.jsonl", engine=SerialEngine())
    assert report.num_failed == ROWS_PER_GROUP
    assert "row group 2" in rows_of(tmp_path / "out.jsonl")[25]["error"]


def test_damaged_documents_are_left_out_of_their_clusters(path, tmp_path):
    write(path)
    damage(path, COLUMNS["text"])
    target = tmp_path / "out.jsonl"
    run(path, target, engine=SerialEngine(), group_by="topic")
    rows = rows_of(target)
    assert [row["topic"] for row in rows] == ["c0", "c1", "c2", "c3"]
    for row in rows:
        assert row["summary"]
        assert "row group 2" in row["error"]
    damage(path, 2, group=0)
    target.unlink()
    report = run(path, target, engine=SerialEngine(), group_by="topic")
    assert (report.num_rows, report.num_failed) == (4 + 10, 10)


def test_statistics_skip_damaged_rows_and_report_them(path):
    write(path)
    damage(path, COLUMNS["text"])
    reports = []
    background = corpus_statistics(
        path, CorpusSettings(), SerialEngine(), on_chunk=reports.append
    )
    assert background.num_documents == NUM_ROWS - len(DAMAGED)
    total = sum(reports, start=Report())
    assert (total.num_rows, total.num_failed) == (NUM_ROWS, len(DAMAGED))
    assert "row group 2" in total.kinds[0].example
    assert set(total.kinds[0].ids) == {path.name}


def test_a_file_without_its_end_is_refused_before_anything_is_written(path, tmp_path):
    write(path)
    for content in (path.read_bytes()[:-7], path.read_bytes()[:-8] + b"\xff" * 8):
        path.write_bytes(content)
        with refused(InputError, path):
            run(path, tmp_path / "out", engine=SerialEngine())
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.slow
def test_the_command_reports_damaged_groups_and_obeys_its_limit(path, tmp_path):
    write(path)
    damage(path, COLUMNS["text"])
    codes = {}
    for limit in ("0", "9", "10", "24.9%", "25%"):
        options = ["--workers", "1", "--max-errors", limit]
        answer = command("corpus", path, tmp_path / limit, *options)
        codes[limit] = answer.returncode
        assert f"10 x text is damaged in row group 2 of {path}" in answer.stderr
    assert codes == {"0": 1, "9": 1, "10": 0, "24.9%": 1, "25%": 0}


def test_a_missing_file_is_not_taken_for_a_damaged_one(path, tmp_path):
    """Rows must not be lost because a disk or a network fails for a moment."""
    write(path)

    class RemovingEngine(SerialEngine):
        def map(self, function, tasks):
            if path.exists() and not isinstance(tasks, list):
                path.unlink()
            return super().map(function, tasks)

    with pytest.raises(FileNotFoundError):
        corpus_statistics(Location(str(path)), engine=RemovingEngine())


def test_files_of_other_formats_keep_their_errors_of_rows(tmp_path):
    source = tmp_path / "a.jsonl"
    source.write_text(json.dumps({"id": 1, "text": "Snow."}) + "\n{")
    report = run(source, tmp_path / "out", engine=SerialEngine())
    assert (report.num_rows, report.num_failed) == (2, 1)


def test_rows_that_only_the_footer_has_are_damaged(path, tmp_path):
    texts = {"id": [f"t{k}" for k in range(37)], "text": ["Snow fell."] * 37}
    pq.write_table(pa.table(texts), path, use_dictionary=False)
    content = path.read_bytes()
    # Numbers of rows and values, as the footer has them: 37, then 39.
    path.write_bytes(content.replace(b"\x16\x4a", b"\x16\x4e"))
    assert pq.read_metadata(path).num_rows == 39
    report = run(path, tmp_path / "out.jsonl", engine=SerialEngine())
    assert (report.num_rows, report.num_failed) == (39, 2)
    rows = rows_of(tmp_path / "out.jsonl")
    assert [row["summary"] for row in rows] == ["Snow fell."] * 37 + [None] * 2
    for row in rows[37:]:
        assert "37 of 39 rows" in row["error"]
        assert str(path) in row["error"]
