"""Rows of CSV as Python's csv module reads them, and their places in the text."""

import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from thatch.tables.csv_rows import (
    csv_row_ends,
    csv_rows,
    first_csv_rows,
    has_open_quote,
)


def rows_in(text, delimiter=","):
    return list(csv_rows(io.StringIO(text, newline=""), delimiter))


@given(st.text('ab",;\n\r', max_size=60), st.sampled_from(",;"))
def test_rows_are_those_of_the_csv_module_and_know_their_text(text, delimiter):
    lines = io.StringIO(text, newline="")
    expected = [row for row in csv.reader(lines, delimiter=delimiter) if row]
    found = rows_in(text, delimiter)
    assert [row.cells for row in found] == expected
    for row in found:
        source = io.StringIO(text[row.start : row.end], newline="")
        assert list(csv.reader(source, delimiter=delimiter)) == [row.cells]
        source.seek(0)
        assert len(source.readlines()) == row.num_lines


def test_many_rows_and_lines_are_numbered():
    rows = rows_in("a\n" + '"1\n2"\n\n' * 200)
    assert [row.line for row in rows] == [1, *range(3, 602, 3)]
    assert [row.num_lines for row in rows] == [1, *[2] * 200]


def test_ends_are_offsets_of_bytes_after_the_byte_order_mark():
    content = '\ufeffid,text\nä,"é\nü"\n'.encode()
    ends = csv_row_ends(io.BytesIO(content)).tolist()
    assert ends == [content.index(b"\n") + 1, len(content)]


def test_cells_have_any_size_and_the_limit_of_others_stays():
    limit = csv.field_size_limit()
    rows = csv_rows(io.StringIO("x" * (limit + 1) + "\nb\n"))
    assert len(next(rows).cells[0]) == limit + 1
    assert csv.field_size_limit() == limit


def test_the_first_rows_may_have_any_encoding():
    assert first_csv_rows(b"\xef\xbb\xbf\nid;k\xfc\n1;2\n3;4\n", 2, ";") == [
        ("id", "k\udcfc"),
        ("1", "2"),
    ]
    assert first_csv_rows(b"", 2) == []


def test_a_quote_is_open_if_the_row_ends_in_it_or_it_took_other_rows():
    assert has_open_quote('a,"b', 1)
    assert has_open_quote('a,"b\nc,"d\n', 2)
    assert not has_open_quote('a,"b\nc"\n', 2)
    assert not has_open_quote('"a\nb";1\n', 2, ";")
    assert not has_open_quote('a,"b"c\n', 1)
