"""Slices of files, which together contain every row once."""

import csv
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from thatch.corpus.rows.columns import Columns
from thatch.corpus.rows.row_slices import require_columns_in, slices_of
from thatch.errors import InputError
from thatch.files.locations import Location, inputs_of

COLUMNS = Columns("id", "text")
#: Cells with quotes, commas, line breaks and other scripts.
CELLS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=12
)


def slices(file, size):
    return list(slices_of([file], rows_per_slice=size))


def rows_of(file, size, columns=COLUMNS):
    batches = [s.batch(columns) for s in slices(file, size)]
    rows = [row for each in batches for row in each.to_pylist()]
    return [(row["id"], row["text"], row.get("error")) for row in rows]


def saved(content, name="rows.csv"):
    location = Location(f"memory://rows/{name}")
    with location.atomic_write() as file:
        file.write(content)
    return location


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=8), st.integers(1, 9))
def test_csv_is_read_back_in_slices_of_any_size(cells, size):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["id", "text"])
    writer.writerows([f"k{k}", body] for k, (_, body) in enumerate(cells))
    file = saved(text.getvalue().encode())
    expected = [(f"k{k}", body.encode(), None) for k, (_, body) in enumerate(cells)]
    assert rows_of(file, size) == expected
    assert sum(s.num_rows for s in slices(file, size)) == len(cells)


@given(st.text('ab",\n\r', max_size=40), st.integers(1, 9))
def test_slices_of_malformed_csv_equal_what_the_csv_module_reads(text, size):
    expected = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    found = rows_of(saved(b"id,text\n" + text.encode()), size)
    assert len(found) == len(expected)
    for (id, body, error), row in zip(found, expected, strict=True):
        assert (id or "") == row[0]
        if error is None:
            assert [body.decode()] == row[1:]
        elif "quote" not in error:
            assert "2 cells" in error
            assert str(len(row)) in error


def has_unclosed_quote(row, id, num_lines):
    return row[:2] == (id, None) and "quote" in row[2] and str(num_lines) in row[2]


def test_an_unclosed_quote_is_an_error_of_its_row():
    first, last = rows_of(saved(b'id,text\na,Snow.\nb,"Rain\nc,Hail.\n'), 10)
    assert first == ("a", b"Snow.", None)
    assert has_unclosed_quote(last, "b", num_lines=2)
    later = b'id,text\na,"Snow.\nb,Rain.\nc,"Hail."\nd,Ice.\n'
    first, last = rows_of(saved(later), 10)
    assert has_unclosed_quote(first, "a", num_lines=3)
    assert last == ("d", b"Ice.", None)


def test_the_position_of_a_row_does_not_change_how_it_is_read():
    row = b'bad,"Snow" fell.\n'
    for content in (row + b"a,Rain.\n", b"a,Rain.\n" + row):
        rows = rows_of(saved(b"id,text\n" + content), 1)
        assert sorted(rows) == [("a", b"Rain.", None), ("bad", b"Snow fell.", None)]


def test_lines_may_end_with_carriage_returns():
    content = b'id,text\ra,"Snow\rb,Rain.\rc,"Hail."\rd,Ice.\r'
    first, last = rows_of(saved(content), 10)
    assert has_unclosed_quote(first, "a", num_lines=3)
    assert last == ("d", b"Ice.", None)


def test_a_cell_of_csv_becomes_a_list_if_other_files_have_lists():
    rows = rows_of(
        saved(b"id,text\na,Snow.\n"), 10, Columns("id", "text", has_lists=True)
    )
    assert rows == [("a", [b"Snow."], None)]


def test_the_header_may_come_after_an_empty_line():
    mark = "\ufeff".encode()
    assert rows_of(saved(mark + b"\nid,text\na,Snow.\n"), 10) == [("a", b"Snow.", None)]


def test_byte_order_marks_within_a_file_are_skipped():
    line = b'{"id": "a", "text": "Snow."}\n'
    joined = saved("\ufeff".encode() + line + "\ufeff".encode() + line, "rows.jsonl")
    for size in (1, 10):
        assert rows_of(joined, size) == [("a", b"Snow.", None)] * 2


def test_a_column_may_first_occur_late_in_json_lines(monkeypatch):
    monkeypatch.setattr("thatch.corpus.rows.row_slices._HEAD_BYTES", 30)
    file = saved(b'{"id": "a", "text": 1}\n{"id": "b"}\n{"late": 2}\n', "rows.jsonl")
    require_columns_in([file], Columns("id", "late"))
    with refused(InputError, "'never'"):
        require_columns_in([file], Columns("id", "never"))


def test_a_byte_order_mark_is_not_part_of_the_first_column_name():
    mark = "\ufeff".encode()
    assert rows_of(saved(mark + b"id,text\na,Snow.\n"), 10) == [("a", b"Snow.", None)]
    json_line = saved(mark + b'{"id": "a", "text": "Snow."}', "rows.jsonl")
    assert rows_of(json_line, 10) == [("a", b"Snow.", None)]


def test_a_single_text_among_lists_becomes_a_list():
    file = saved(
        b'{"id": "a", "text": ["A.", null]}\n{"id": "b", "text": "B."}', "l.jsonl"
    )
    rows = rows_of(file, 10, Columns("id", "text", has_lists=True))
    assert rows == [("a", [b"A.", None], None), ("b", [b"B."], None)]


@given(st.lists(CELLS, min_size=1, max_size=8), st.integers(1, 9), st.booleans())
def test_json_lines_are_read_back_in_slices_of_any_size(texts, size, ascii):
    lines = [
        json.dumps({"id": k, "text": text}, ensure_ascii=ascii)
        for k, text in enumerate(texts)
    ]
    file = saved("\n".join(lines).encode(), "rows.jsonl")
    columns = Columns("id", "text", has_numbers=True)
    expected = [(k, text.encode(), None) for k, text in enumerate(texts)]
    assert rows_of(file, size, columns) == expected


@pytest.mark.parametrize("group", [1, 3, 100])
@pytest.mark.parametrize("size", [1, 2, 7, 100])
def test_parquet_is_read_back_in_slices_of_any_size(tmp_path, group, size):
    table = pa.table({"id": range(10), "text": [f"Row {k}." for k in range(10)]})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=group)
    columns = Columns("id", "text", has_numbers=True)
    rows = rows_of(Location(str(tmp_path / "rows.parquet")), size, columns)
    assert rows == [(k, f"Row {k}.", None) for k in range(10)]


BAD_LINES = {
    b'{"id": "a", "text": "x"': ("JSON", None),
    b'["a"]': ("JSON object", None),
    b'{"id": "b", "text": ["x"]}': ("text is a list", "b"),
    b'{"id": "b", "text": 5}': ("text is a number", "b"),
    b'{"id": "c", "text": "x\xff"}': ("0xff", "c"),
    b'{"id": "d", "text": "\\ud800"}': ("surrogate", "d"),
}


@pytest.mark.parametrize(("line", "expected"), BAD_LINES.items(), ids=str)
def test_a_bad_line_is_a_row_with_an_error(line, expected):
    good = b'{"id": "ok", "text": "Snow."}'
    file = saved(b"\n".join([good, line, good]), "rows.jsonl")
    first, (id, text, error), last = rows_of(file, 2)
    assert first == last == ("ok", b"Snow.", None)
    assert (id, text) == (expected[1], None)
    assert expected[0] in error


def test_a_row_of_csv_with_too_few_cells_is_a_row_with_an_error():
    rows = rows_of(saved(b"id,text\na,Snow.\nb\nc,Rain.\n"), 10)
    assert rows[1][:2] == ("b", None)
    assert "cells" in rows[1][2]
    assert [row[0] for row in rows] == ["a", "b", "c"]


def test_invalid_utf_8_in_csv_is_passed_on():
    rows = rows_of(saved(b"id,text\na,Sn\xffow.\n"), 10)
    assert rows == [("a", b"Sn\xffow.", None)]


def test_a_cell_of_twenty_megabytes_is_read():
    (row,) = rows_of(saved(b'id,text\na,"' + b"x" * 20_000_000 + b'"\n'), 10)
    assert len(row[1]) == 20_000_000


def test_the_files_of_a_folder_are_sorted_by_name(tmp_path):
    for name in ("b.csv", "a.jsonl", "_own.csv", ".hidden.csv", "notes.txt"):
        (tmp_path / name).write_text("id,text\n")
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "d.parquet").write_text("")
    names = [p.address.rpartition("/")[2] for p in inputs_of(Location(str(tmp_path)))]
    assert names == ["a.jsonl", "b.csv", "d.parquet"]


def test_an_input_that_cannot_be_read_is_named(tmp_path):
    with refused(InputError, tmp_path / "nothing.csv"):
        inputs_of(Location(str(tmp_path / "nothing.csv")))
    with refused(InputError, tmp_path):
        inputs_of(Location(str(tmp_path)))
    with refused(InputError, "'nowhere://x.csv'"):
        inputs_of(Location("nowhere://x.csv"))
    (tmp_path / "a.parquet").write_text("snow")
    with refused(InputError, tmp_path / "a.parquet", "Parquet"):
        slices(Location(str(tmp_path / "a.parquet")), 5)
