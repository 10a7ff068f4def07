"""Values of columns as JSON: none of them ends a job, and all of them are JSON."""

import datetime
import json
import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpus_jobs import SETTINGS, SerialEngine, rows_of

from thatch.corpus.corpus_settings import CorpusSettings
from thatch.corpus.job import Job
from thatch.corpus.json_values import json_values, text_of_value
from thatch.corpus.rows.columns import as_type

INVALID = pa.array([b"\xffa", b"b"]).cast(pa.binary())
LAST = datetime.datetime(9999, 12, 31, 23, 59, 59, 999999)
#: Two values of each type, and what they are in JSON.
VALUES = {
    "second": (pa.array([2**62, 0], pa.timestamp("s")), [None, "1970-01-01 00:00:00"]),
    "zone": (
        pa.array([2**62, 0], pa.timestamp("s", "Europe/Berlin")),
        [None, "1970-01-01 01:00:00+0100"],
    ),
    "unknown zone": (
        pa.array([None, 0], pa.timestamp("s", "Foo/Bar")),
        [None, "1970-01-01 00:00:00Z"],
    ),
    "limits": (
        pa.array([datetime.datetime(1, 1, 1), LAST]),
        ["0001-01-01 00:00:00.000000", "9999-12-31 23:59:59.999999"],
    ),
    "nanosecond": (
        pa.array([1, -(2**63)], pa.timestamp("ns")),
        ["1970-01-01 00:00:00.000000001", "1677-09-21 00:12:43.145224192"],
    ),
    "day": (pa.array([10**9, 0], pa.date32()), [None, "1970-01-01"]),
    "millisecond": (pa.array([-(2**62), 0], pa.date64()), [None, "1970-01-01"]),
    "time": (pa.array([90, 86400], pa.time32("s")), ["00:01:30", None]),
    "duration": (pa.array([2**62, 90], pa.duration("s")), [None, "0:01:30"]),
    "string": (INVALID.view(pa.string()), ["\ufffda", "b"]),
    "texts": (
        pa.ListArray.from_arrays(pa.array([0, 1, 2]), INVALID.view(pa.string())),
        [["\ufffda"], ["b"]],
    ),
    "struct": (
        pa.StructArray.from_arrays([INVALID.view(pa.string())], ["a"]),
        [{"a": "\ufffda"}, {"a": "b"}],
    ),
    "fixed": (
        pa.array([[10**9, 0], None], pa.list_(pa.date32(), 2)),
        [[None, "1970-01-01"], None],
    ),
    "map": (
        pa.array([[("a", math.nan)], None], pa.map_(pa.string(), pa.float64())),
        [[["a", None]], None],
    ),
    "half": (pa.array(np.array([1.5, math.inf], np.float16)), [1.5, None]),
    "decimal": (pa.array([Decimal("1.50"), None]), ["1.50", None]),
    "nested": (
        pa.array([[{"x": [b"ab"], "y": None}], []]),
        [[{"x": ["ab"], "y": None}], []],
    ),
    "empty": (pa.array([{}, None], pa.struct([])), [{}, None]),
    "category": (pa.array(["a", None]).dictionary_encode(), ["a", None]),
}


@pytest.mark.parametrize("name", VALUES)
def test_values_of_every_type_are_json(name):
    column, expected = VALUES[name]
    assert json_values(column) == expected
    assert json_values(column.slice(1)) == expected[1:]
    json.dumps(expected, allow_nan=False)


@pytest.mark.parametrize("name", VALUES)
def test_a_column_of_strings_has_the_same_values_as_json_lines(name):
    column, expected = VALUES[name]
    texts = as_type(column, pa.string()).to_pylist()
    for text, value in zip(texts, expected, strict=True):
        assert (text if isinstance(value, str | None) else json.loads(text)) == value


def test_text_of_nested_values_is_json():
    assert text_of_value({"x": math.nan, "y": b"ab"}) == '{"x": null, "y": "ab"}'


def test_kept_values_of_any_type_do_not_end_a_job(tmp_path):
    names = ["day", "duration", "string", "texts", "struct", "map", "half"]
    # Before, pyarrow cannot read a null in such a column from Parquet.
    if int(pa.__version__.split(".")[0]) >= 26:
        names.append("fixed")
    columns = {name: VALUES[name][0] for name in names}
    columns["late"] = pa.array([2**62, 0], pa.timestamp("ms"))
    table = pa.table({"id": [1, 2], "text": ["Snow.", "Rain."], **columns})
    pq.write_table(table, tmp_path / "in.parquet")
    settings = CorpusSettings(budget=SETTINGS.budget, keep=tuple(columns))
    job = Job(tmp_path / "in.parquet", tmp_path / "out.jsonl", settings)
    assert job.run(SerialEngine()).num_failed == 0
    rows = rows_of(tmp_path / "out.jsonl")
    for name in names:
        assert [row[name] for row in rows] == VALUES[name][1]
    assert [row["late"] for row in rows] == [None, "1970-01-01 00:00:00.000"]
