"""Files are cut into slices that can be read alone, and together are the file."""

import csv
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thatch import InputError
from thatch.corpus.rows.columns import Columns
from thatch.corpus.rows.row_slices import require_columns_in, slices_of
from thatch.corpus.storage import Location, inputs_of

COLUMNS = Columns("id", "text")
#: Whatever can be in a cell: quotes, commas, line breaks, other scripts.
CELLS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=12
)


def slices(place, size):
    return list(slices_of([place], rows_per_slice=size))


def rows_of(place, size, columns=COLUMNS):
    batches = [s.batch(columns) for s in slices(place, size)]
    rows = [row for each in batches for row in each.to_pylist()]
    return [(row["id"], row["text"], row.get("error")) for row in rows]


def saved(content, name="rows.csv"):
    place = Location(f"memory://rows/{name}")
    with place.atomic_write() as file:
        file.write(content)
    return place


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=8), st.integers(1, 9))
def test_csv_that_was_written_is_read_back_in_any_slices(cells, size):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["id", "text"])
    writer.writerows([f"k{k}", body] for k, (_, body) in enumerate(cells))
    place = saved(text.getvalue().encode())
    expected = [(f"k{k}", body.encode(), None) for k, (_, body) in enumerate(cells)]
    assert rows_of(place, size) == expected
    assert sum(s.num_rows for s in slices(place, size)) == len(cells)


@settings(max_examples=300, deadline=None)
@given(st.text('ab",\n\r', max_size=40), st.integers(1, 9))
def test_csv_however_odd_is_what_pythons_reader_sees_in_any_slices(text, size):
    expected = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    found = rows_of(saved(b"id,text\n" + text.encode()), size)
    assert len(found) == len(expected)
    for (id, body, error), row in zip(found, expected, strict=True):
        assert (id or "") == row[0]
        if error is None:
            assert [body.decode()] == row[1:]
        elif not error.startswith("quotes must be closed"):
            assert error == f"rows must have 2 cells, got {len(row)}."


def test_a_quote_that_is_not_closed_is_told():
    rows = rows_of(saved(b'id,text\na,Snow.\nb,"Rain\nc,Hail.\n'), 10)
    assert rows == [
        ("a", b"Snow.", None),
        ("b", None, "quotes must be closed before the next cell, got 2 lines."),
    ]
    later = b'id,text\na,"Snow.\nb,Rain.\nc,"Hail."\nd,Ice.\n'
    assert rows_of(saved(later), 10) == [
        ("a", None, "quotes must be closed before the next cell, got 3 lines."),
        ("d", b"Ice.", None),
    ]


def test_a_row_is_judged_alike_wherever_it_stands():
    row = b'bad,"Snow" fell.\n'
    for content in (row + b"a,Rain.\n", b"a,Rain.\n" + row):
        rows = rows_of(saved(b"id,text\n" + content), 1)
        assert sorted(rows) == [("a", b"Rain.", None), ("bad", b"Snow fell.", None)]


def test_lines_may_end_as_on_an_old_machine():
    rows = rows_of(saved(b'id,text\ra,"Snow\rb,Rain.\rc,"Hail."\rd,Ice.\r'), 10)
    assert rows == [
        ("a", None, "quotes must be closed before the next cell, got 3 lines."),
        ("d", b"Ice.", None),
    ]


def test_cells_of_texts_are_lists_of_one_beside_lists():
    rows = rows_of(
        saved(b"id,text\na,Snow.\n"), 10, Columns("id", "text", has_lists=True)
    )
    assert rows == [("a", [b"Snow."], None)]


def test_the_header_may_come_after_an_empty_line():
    mark = "\ufeff".encode()
    assert rows_of(saved(mark + b"\nid,text\na,Snow.\n"), 10) == [("a", b"Snow.", None)]


def test_marks_between_files_that_were_joined_do_no_harm():
    line = b'{"id": "a", "text": "Snow."}\n'
    joined = saved("\ufeff".encode() + line + "\ufeff".encode() + line, "rows.jsonl")
    for size in (1, 10):
        assert rows_of(joined, size) == [("a", b"Snow.", None)] * 2


def test_a_column_may_come_late_in_json_lines(monkeypatch):
    monkeypatch.setattr("thatch.corpus.rows.row_slices._HEAD_BYTES", 30)
    place = saved(b'{"id": "a", "text": 1}\n{"id": "b"}\n{"late": 2}\n', "rows.jsonl")
    require_columns_in([place], Columns("id", "late"))
    with pytest.raises(InputError, match="columns must include 'never'"):
        require_columns_in([place], Columns("id", "never"))


def test_a_mark_at_the_beginning_is_no_part_of_the_first_name():
    mark = "\ufeff".encode()
    assert rows_of(saved(mark + b"id,text\na,Snow.\n"), 10) == [("a", b"Snow.", None)]
    json_line = saved(mark + b'{"id": "a", "text": "Snow."}', "rows.jsonl")
    assert rows_of(json_line, 10) == [("a", b"Snow.", None)]


def test_a_text_among_lists_is_a_list_of_one():
    place = saved(
        b'{"id": "a", "text": ["A.", null]}\n{"id": "b", "text": "B."}', "l.jsonl"
    )
    rows = rows_of(place, 10, Columns("id", "text", has_lists=True))
    assert rows == [("a", [b"A.", None], None), ("b", [b"B."], None)]


@settings(max_examples=60, deadline=None)
@given(st.lists(CELLS, min_size=1, max_size=8), st.integers(1, 9), st.booleans())
def test_json_lines_that_were_written_are_read_back_in_any_slices(texts, size, ascii):
    lines = [
        json.dumps({"id": k, "text": text}, ensure_ascii=ascii)
        for k, text in enumerate(texts)
    ]
    place = saved("\n".join(lines).encode(), "rows.jsonl")
    columns = Columns("id", "text", has_numbers=True)
    expected = [(k, text.encode(), None) for k, text in enumerate(texts)]
    assert rows_of(place, size, columns) == expected


@pytest.mark.parametrize("group", [1, 3, 100])
@pytest.mark.parametrize("size", [1, 2, 7, 100])
def test_parquet_is_read_back_in_any_slices(tmp_path, group, size):
    table = pa.table({"id": range(10), "text": [f"Row {k}." for k in range(10)]})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=group)
    columns = Columns("id", "text", has_numbers=True)
    rows = rows_of(Location(str(tmp_path / "rows.parquet")), size, columns)
    assert rows == [(k, f"Row {k}.", None) for k in range(10)]


BAD_LINES = {
    b'{"id": "a", "text": "x"': ("rows must be JSON, got", None),
    b'["a"]': ("rows must be JSON objects, got", None),
    b'{"id": "b", "text": ["x"]}': ("text must be a text, got a list.", "b"),
    b'{"id": "b", "text": 5}': ("text must be a text, got a number.", "b"),
    b'{"id": "c", "text": "x\xff"}': ("rows must be UTF-8, got the byte 0xff.", "c"),
    b'{"id": "d", "text": "\\ud800"}': ("text must be a text", "d"),
}


@pytest.mark.parametrize(("line", "expected"), BAD_LINES.items(), ids=str)
def test_a_bad_line_is_a_row_with_an_error(line, expected):
    good = b'{"id": "ok", "text": "Snow."}'
    place = saved(b"\n".join([good, line, good]), "rows.jsonl")
    first, (id, text, error), last = rows_of(place, 2)
    assert first == last == ("ok", b"Snow.", None)
    assert (id, text) == (expected[1], None)
    assert error.startswith(expected[0])


def test_a_row_of_csv_with_too_few_cells_is_a_row_with_an_error():
    rows = rows_of(saved(b"id,text\na,Snow.\nb\nc,Rain.\n"), 10)
    assert rows[1] == ("b", None, "rows must have 2 cells, got 1.")
    assert [row[0] for row in rows] == ["a", "b", "c"]


def test_bytes_that_are_no_text_reach_whoever_summarizes():
    rows = rows_of(saved(b"id,text\na,Sn\xffow.\n"), 10)
    assert rows == [("a", b"Sn\xffow.", None)]


def test_a_cell_of_twenty_megabytes_is_read():
    (row,) = rows_of(saved(b'id,text\na,"' + b"x" * 20_000_000 + b'"\n'), 10)
    assert len(row[1]) == 20_000_000


def test_a_folder_is_its_files_by_name(tmp_path):
    for name in ("b.csv", "a.jsonl", "_own.csv", ".hidden.csv", "notes.txt"):
        (tmp_path / name).write_text("id,text\n")
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "d.parquet").write_text("")
    names = [p.address.rpartition("/")[2] for p in inputs_of(Location(str(tmp_path)))]
    assert names == ["a.jsonl", "b.csv", "d.parquet"]


def test_what_cannot_be_read_is_named(tmp_path):
    with pytest.raises(InputError, match="no such file or folder"):
        inputs_of(Location(str(tmp_path / "nothing.csv")))
    with pytest.raises(InputError, match="must hold files that end in"):
        inputs_of(Location(str(tmp_path)))
    with pytest.raises(InputError, match="address must be one that fsspec can open"):
        inputs_of(Location("nowhere://x.csv"))
    (tmp_path / "a.parquet").write_text("snow")
    with pytest.raises(InputError, match="must be a Parquet file"):
        slices(Location(str(tmp_path / "a.parquet")), 5)
