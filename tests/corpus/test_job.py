"""Corpus jobs: every row of the input is in the output once."""

import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpus_jobs import OWN_FILES, SETTINGS, SerialEngine, bytes_of, rows_of, run
from corpus_texts import text_of

from thatch import Summarizer
from thatch.corpus.batch import ChunkSummarizer
from thatch.corpus.corpus_settings import CorpusSettings
from thatch.corpus.job import Job
from thatch.files.locations import Format, Location
from thatch.scale import LocalEngine
from thatch.text.concepts.background import Background
from thatch.text.summary_settings import SummarySettings

pytestmark = pytest.mark.slow


def test_rows_equal_the_summaries_of_the_summarizer(corpus, tmp_path):
    report = run(corpus, tmp_path / "out.jsonl")
    assert (report.num_rows, report.num_failed) == (1200, 0)
    rows = rows_of(tmp_path / "out.jsonl")
    assert [row["id"] for row in rows] == [f"t{k}" for k in range(1200)]
    for k in (0, 7, 1199):
        assert rows[k]["summary"] == Summarizer().summarize(text_of(k), 12).text
    assert not (tmp_path / "out.jsonl.parts").exists()


def test_every_format_gives_the_same_rows(corpus, tmp_path):
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


def test_addresses_of_fsspec_are_read_and_written(corpus):
    source, target = Location("memory://job/in.jsonl"), Location("memory://job/out")
    with source.atomic_write() as file:
        file.write(b"".join(corpus.read_bytes().splitlines(keepends=True)[:5]))
    job = Job(source, target, SETTINGS, format=Format.JSON_LINES)
    assert job.run(SerialEngine()).num_rows == 5
    assert target.names() == {*OWN_FILES, "part-000000.jsonl"}


def test_the_number_of_workers_does_not_change_the_output(corpus, tmp_path):
    run(corpus, tmp_path / "one")
    run(corpus, tmp_path / "two", engine=LocalEngine(num_workers=2))
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")


POISON = [
    ({"id": "null", "text": None}, "null"),
    ({"id": "empty", "text": ""}, "no sentence"),
    ({"id": "large", "text": "a. " * 7_000_000}, "16,777,216"),
    (b'{"id": "broken", "text": "Sn\xffow."}', "0xff"),
    ({"id": "list", "text": ["Snow fell."]}, "list"),
    ({"id": "t3", "text": "Again."}, "'t3'"),
    (b'{"id": "cut", "te', "JSON"),
]


def test_invalid_rows_have_errors_and_do_not_affect_the_others(corpus, tmp_path):
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
    for row, (given, fact) in zip(failed, POISON, strict=True):
        assert fact in row["error"]
        assert row["summary"] is None
        assert isinstance(given, bytes) or row["id"] == given["id"]
    run(corpus, tmp_path / "good.jsonl")
    good = [row for row in rows if row["error"] is None]
    assert good == rows_of(tmp_path / "good.jsonl")


def test_documents_of_a_cluster_are_summarized_together(tmp_path):
    rows = [{"topic": f"c{k % 5}", "text": text_of(k)} for k in range(60)]
    path = tmp_path / "docs.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    run(path, tmp_path / "out.jsonl", group_by="topic")
    found = {row["topic"]: row for row in rows_of(tmp_path / "out.jsonl")}
    assert set(found) == {f"c{k}" for k in range(5)}
    texts = [text_of(k) for k in range(60) if k % 5 == 2]
    assert found["c2"]["summary"] == Summarizer().summarize(texts, 12).text


IDS = {
    "numbers": ([1, 2, 2**62], [1, 2, 2**62], {}),
    "too large": ([1, 2**63], ["1", str(2**63)], {}),
    "mixed": ([1, "a", True], ["1", "a", "true"], {}),
    "equal": ([1, "1"], ["1", "1"], {1: "'1'"}),
    "null": (["a", None, None], ["a", None, None], {1: "null", 2: "null"}),
    "nested": ([{"a": [1]}], ['{"a": [1]}'], {}),
}


@pytest.mark.parametrize(("given", "expected", "errors"), IDS.values(), ids=IDS)
def test_ids_are_all_integers_or_all_strings(given, expected, errors, tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text(
        "\n".join(json.dumps({"id": id, "text": "Snow fell."}) for id in given)
    )
    for name in ("out.jsonl", "out.parquet"):
        run(path, tmp_path / name, engine=SerialEngine())
    rows = rows_of(tmp_path / "out.jsonl")
    assert rows == pq.read_table(tmp_path / "out.parquet").to_pylist()
    assert [row["id"] for row in rows] == expected
    found = {k: row["error"] for k, row in enumerate(rows) if row["error"]}
    assert found.keys() == errors.keys()
    assert all("id" in found[k] and errors[k] in found[k] for k in errors)


def test_files_may_have_ids_of_different_types(tmp_path):
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
    run(tmp_path / "in", tmp_path / "out.parquet", engine=SerialEngine())
    ids = pq.read_table(tmp_path / "out.parquet")["id"].to_pylist()
    assert ids == ["1", "2", "x", "y", "\ufffd", "z", "u", "u"]


def test_lists_of_texts_in_json_lines_are_summarized_together(tmp_path):
    texts = [text_of(1), text_of(2)]
    path = tmp_path / "in.jsonl"
    path.write_text(json.dumps({"id": "a", "text": texts}))
    run(path, tmp_path / "out.jsonl", engine=SerialEngine())
    (row,) = rows_of(tmp_path / "out.jsonl")
    assert row["summary"] == Summarizer().summarize(texts, 12).text


def test_large_rows_make_more_chunks(corpus, tmp_path, monkeypatch):
    monkeypatch.setattr("thatch.corpus.rows.row_slices._MAX_BYTES", 5_000)
    monkeypatch.setattr("thatch.corpus.rows.row_slices._BLOCK", 700)
    run(corpus, tmp_path / "out", engine=SerialEngine(), format=Format.JSON_LINES)
    chunks = sorted((tmp_path / "out").glob("part-*"))
    assert len(chunks) == pytest.approx(corpus.stat().st_size / 5_000, rel=0.1)
    rows = [row for chunk in chunks for row in rows_of(chunk)]
    assert [row["id"] for row in rows] == [f"t{k}" for k in range(1200)]


def test_clusters_do_not_depend_on_the_number_of_temporary_files(tmp_path, monkeypatch):
    rows = [{"id": k, "c": f"c{k % 7}", "text": text_of(k)} for k in range(60)]
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, rows)))
    found = []
    for size in (10**9, 1000):
        monkeypatch.setattr("thatch.corpus.rows.preparing._BYTES_PER_BUCKET", size)
        target = tmp_path / f"{size}.jsonl"
        run(tmp_path / "in.jsonl", target, engine=SerialEngine(), group_by="c")
        found.append(sorted(rows_of(target), key=lambda row: row["c"]))
    assert len(found[0]) == 7
    assert found[0] == found[1]


def test_a_file_with_one_large_row_group_gives_the_same_rows(tmp_path, monkeypatch):
    rows = {"id": list(range(1200)), "text": [text_of(k) for k in range(1200)]}
    pq.write_table(pa.table(rows), tmp_path / "large.parquet")
    assert pq.ParquetFile(tmp_path / "large.parquet").metadata.num_row_groups == 1
    run(tmp_path / "large.parquet", tmp_path / "as-it-is")
    monkeypatch.setattr("thatch.corpus.rows.parquet_rows._LARGE_GROUP_BYTES", 1000)
    sizes = []

    class CountsRowGroups(SerialEngine):
        def map(self, function, tasks):
            if isinstance(function, ChunkSummarizer):
                (written,) = (tmp_path / "rewritten" / "_rows").glob("*.parquet")
                sizes.append(pq.ParquetFile(written).metadata.num_row_groups)
            return super().map(function, tasks)

    run(tmp_path / "large.parquet", tmp_path / "rewritten", engine=CountsRowGroups())
    assert sizes == [3]
    assert bytes_of(tmp_path / "rewritten") == bytes_of(tmp_path / "as-it-is")
    assert not (tmp_path / "rewritten" / "_rows").exists()


def test_workers_read_the_background_of_their_job(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("id,text\na,The mill is old. The roof leaks.\n")
    chosen = []
    for rare in ("mill", "roof"):
        terms = ["the", "is", "mill", "old", "roof", "leak"]
        counts = dict.fromkeys(terms, 100) | {rare: 1}
        settings = CorpusSettings(
            budget=4,
            summary=SummarySettings(concepts="tf-idf"),
            background=Background(100, counts),
        )
        # In one process and to one folder, as on a cluster that outlives its jobs.
        target = tmp_path / "out"
        Job(Location(str(path)), Location(str(target)), settings).run(SerialEngine())
        names = sorted(path.name for path in target.iterdir())
        assert names == sorted([*OWN_FILES, "part-000000.parquet"])
        chosen += pq.read_table(target / names[-1])["summary"].to_pylist()
        shutil.rmtree(target)
    assert chosen == ["The mill is old.", "The roof leaks."]


def test_files_may_be_empty_and_ids_may_be_the_clusters(tmp_path):
    (tmp_path / "in").mkdir()
    rows = [{"id": f"d{k}", "c": "a", "text": text_of(k)} for k in range(2)]
    (tmp_path / "in" / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "in" / "b.csv").write_text("")
    (tmp_path / "in" / "c.jsonl").write_text("\n\n")
    run(tmp_path / "in", tmp_path / "out.jsonl", engine=SerialEngine(), group_by="c")
    (row,) = rows_of(tmp_path / "out.jsonl")
    assert set(row["sources"]) <= {"d0", "d1"}
    table = pa.table({"id": ["a", "a"], "text": ["Snow fell.", "Rain fell."]})
    pq.write_table(table, tmp_path / "in.parquet")
    run(
        tmp_path / "in.parquet",
        tmp_path / "b.jsonl",
        engine=SerialEngine(),
        group_by="id",
    )
    (row,) = rows_of(tmp_path / "b.jsonl")
    assert (row["id"], row["summary"]) == ("a", "Snow fell. Rain fell.")
