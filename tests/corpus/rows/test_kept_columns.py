"""Columns of the input that are copied to the result."""

import datetime
import json
from dataclasses import replace
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpus_jobs import SETTINGS, SerialEngine, command, rows_of
from corpus_texts import text_of
from refusals import refused

from thatch import InputError
from thatch.corpus.corpus_settings import CorpusSettings
from thatch.corpus.job import Job
from thatch.files.locations import Location

LINES = [
    {"id": 1, "text": "Snow fell.", "author": "Ann", "year": 2024, "left_out": "x"},
    {"id": 2, "text": None, "author": None, "year": 2025, "tags": ["a", 1]},
    {"id": 3, "text": "Rain fell.", "author": "\ud800", "year": None, "late": True},
]


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch):
    monkeypatch.setattr("thatch.corpus.plan.ROWS_PER_CHUNK", 1)


def kept(source, target, keep):
    """Rows of the result of a job that keeps columns."""
    settings = replace(SETTINGS, keep=keep)
    Job(Location(str(source)), Location(str(target)), settings).run(SerialEngine())
    if target.suffix == ".jsonl":
        return rows_of(target)
    return pq.read_table(target).to_pylist()


def written(folder, rows, name="in.jsonl"):
    path = folder / name
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


@pytest.mark.parametrize("name", ["out.jsonl", "out.parquet", "out"])
def test_named_columns_are_kept_in_one_type(name, tmp_path):
    keep = ("author", "year", "tags", "late", "text", "left_out")
    rows = kept(written(tmp_path, LINES), tmp_path / name, keep)
    assert [[row[each] for each in keep] for row in rows] == [
        ["Ann", 2024, None, None, "Snow fell.", "x"],
        [None, 2025, '["a", 1]', None, None, None],
        ["?", None, None, True, "Rain fell.", None],
    ]
    assert list(rows[0])[-len(keep) :] == list(keep)
    assert rows[0]["error"] is None


def test_all_other_columns_are_kept(tmp_path):
    rows = kept(written(tmp_path, LINES), tmp_path / "out.jsonl", "all")
    names = {"author", "year", "left_out", "tags", "late"}
    assert all(names < set(row) and "text" not in row for row in rows)
    assert [row["late"] for row in rows] == [None, None, True]


def test_numbers_and_others_that_are_mixed_become_strings(tmp_path):
    given = [1, 1.5, "a", True, {"b": None}, 2**70]
    lines = [{"id": k, "text": "Snow.", "x": value} for k, value in enumerate(given)]
    rows = kept(written(tmp_path, lines), tmp_path / "out", ("x",))
    expected = ["1", "1.5", "a", "true", '{"b": null}', str(2**70)]
    assert [row["x"] for row in rows] == expected
    lines = [{"id": 1, "text": "Snow.", "x": 2**60}, *lines[1:2]]
    rows = kept(written(tmp_path, lines), tmp_path / "numbers", ("x",))
    assert [row["x"] for row in rows] == [2.0**60, 1.5]
    folder = tmp_path / "types"
    folder.mkdir()
    for k, numbers in enumerate([pa.array([2**60 + 1]), pa.array([0.5], pa.float32())]):
        table = pa.table({"id": [k], "text": ["Snow."], "x": numbers})
        pq.write_table(table, folder / f"{k}.parquet")
    rows = kept(folder, tmp_path / "mixed", ("x",))
    assert [row["x"] for row in rows] == [2.0**60, 0.5]


PARQUET = {
    "day": (pa.array([datetime.date(2024, 2, 1), None]), ["2024-02-01", None]),
    "price": (pa.array([Decimal("1.50"), None]), ["1.50", None]),
    "score": (pa.array([float("nan"), 0.5]), [None, 0.5]),
    "topic": (pa.array(["a", "b"]).dictionary_encode(), ["a", "b"]),
    "large": (pa.array(["a", None], pa.large_string()), ["a", None]),
    "raw": (pa.array([b"\xffa", b"b"]), ["\ufffda", "b"]),
    "people": (pa.array([[{"name": "Ann"}], []]), [[{"name": "Ann"}], []]),
    "small": (pa.array([1, 2], pa.int8()), [1, 2]),
}


def test_columns_of_parquet_keep_their_types(tmp_path):
    columns = {name: array for name, (array, _) in PARQUET.items()}
    table = pa.table({"id": [1, 2], "text": [text_of(1), text_of(2)], **columns})
    pq.write_table(table, tmp_path / "in.parquet")
    kept(tmp_path / "in.parquet", tmp_path / "out", tuple(PARQUET))
    found = pq.read_table(tmp_path / "out")
    for name, array in columns.items():
        plain = {"topic": pa.string(), "large": pa.string()}.get(name, array.type)
        assert found.schema.field(name).type == plain
        assert found[name].combine_chunks().equals(array.cast(plain)) or name == "score"
    rows = kept(tmp_path / "in.parquet", tmp_path / "out.jsonl", tuple(PARQUET))
    for name, (_, expected) in PARQUET.items():
        assert [row[name] for row in rows] == expected


def test_a_column_that_some_files_lack_is_null_there(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    written(folder, [{"id": 1, "text": "Snow.", "x": 7}], "a.jsonl")
    (folder / "b.csv").write_text("id,text,x\n2,Rain.,8\n3,Hail.\n")
    table = pa.table({"id": [4], "text": ["Ice."]})
    pq.write_table(table, folder / "c.parquet")
    rows = kept(folder, tmp_path / "out", ("x",))
    assert [row["x"] for row in rows] == ["7", "8", None, None]


@pytest.mark.parametrize(
    ("keep", "named"),
    [(("nope",), "'nope'"), (("summary",), "'summary'"), (("id",), "'id'")],
)
def test_a_column_that_cannot_be_kept_is_refused(keep, named, tmp_path):
    source = written(tmp_path, LINES)
    with refused(InputError, named):
        kept(source, tmp_path / "out", keep)
    assert list(tmp_path.iterdir()) == [source]


def test_all_columns_are_refused_if_one_is_named_like_a_result(tmp_path):
    source = written(tmp_path, [{"id": 1, "text": "Snow.", "status": "new"}])
    with refused(InputError, "'status'"):
        kept(source, tmp_path / "out", "all")


def test_a_column_is_kept_once_and_not_with_clusters(tmp_path):
    with refused(InputError, "a, a"):
        CorpusSettings(keep=("a", "a"))
    assert CorpusSettings(keep="author").keep == ("author",)
    settings = CorpusSettings(keep=("author",))
    with refused(InputError, "group_by", "author"):
        Job(Location("in.csv"), Location("out"), settings, group_by="topic")


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [["--keep", "author,year"], ["--keep", "author", "--keep", "year"]]
)
def test_the_command_keeps_columns(options, tmp_path):
    source = written(tmp_path, LINES[:1])
    answer = command(
        *("corpus", source, tmp_path / "out.jsonl", "--workers", "1", *options)
    )
    assert answer.returncode == 0, answer.stderr
    (row,) = rows_of(tmp_path / "out.jsonl")
    assert (row["author"], row["year"]) == ("Ann", 2024)


def test_resuming_with_other_kept_columns_is_refused(tmp_path):
    source = written(tmp_path, LINES)
    kept(source, tmp_path / "out", ("author",))
    settings = replace(SETTINGS, keep=("year",))
    job = Job(Location(str(source)), Location(str(tmp_path / "out")), settings)
    with refused(InputError, "keep differs"):
        replace(job, resume=True).run(SerialEngine())
