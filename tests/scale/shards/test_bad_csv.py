"""CSV files that are refused: their encoding, their quotes, and their ids."""

import gzip

import pandas
import pytest
from refusals import refused

from thatch.errors import FileFormatError, InputError
from thatch.scale import shard_edges

MANY_ROWS = "1,2\n" * 60_000
MAX_ID = 2**63 - 1


@pytest.fixture
def of_edges(tmp_path):
    """Make shards of the edges in a CSV file."""

    def command(edges, name="e.csv", **more):
        path = tmp_path / name
        path.write_bytes(edges if isinstance(edges, bytes) else edges.encode())
        return shard_edges(path, tmp_path / "out", budget=1, overwrite=True, **more)

    return command


@pytest.mark.parametrize(
    ("edges", "place"),
    [
        (f'item,element\n"a,b\n{MANY_ROWS}', "row 1"),
        (f'"item,element\na,b\n{MANY_ROWS}', "header"),
        ('item,"element\n1,a\n2,a\n', "header"),
        ('item,element\n"a,b\n1,2\n3,4\n', "row 1"),
        ('item,element\na,"b\n1,2\n3,4\n', "row 1"),
        (f'item,element\n1,2\n3,"4\n{MANY_ROWS}', "row 2"),
        ('item,element\n1,a\n\n2,a\n"3,b\n4,c\n', "row 3"),
        ('item,element\r1,a\r2,"b\r3,c\r', "row 2"),
        ('item,element\n1,"a"\n2, "b"\n', "row 2"),
        ('item,element,note\n1,a,x\n2,b,"y\n3,c,z\n', "row 2"),
        ('item,element,note\n1,a,x\n2,b,"', "row 2"),
        (f'item,element,note\n1,a,"x\n{MANY_ROWS}', "row 1"),
        ('item,element\n1,"a"\n2, "b,c"\n', "row 2"),
    ],
)
def test_a_quote_in_the_wrong_place_is_refused(of_edges, edges, place):
    with refused(FileFormatError, "e.csv", place) as caught:
        of_edges(edges)
    assert "quote" in caught.value.hint
    assert len(caught.value.message) < 400


def test_a_quote_that_is_open_for_many_blocks_is_refused(of_edges, monkeypatch):
    monkeypatch.setattr("thatch.tables.csv_tables._BYTES_PER_BLOCK", 64)
    rows = "1,2\n" * 100
    with refused(FileFormatError, "e.csv", "after row") as caught:
        of_edges("item,element,note\n1,2,\n" + '3,4,"a\n' + rows.replace("\n", ",\n"))
    assert "quote" in caught.value.hint


@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\n\n"])
@pytest.mark.parametrize("block", [16, 22, 2**20])
def test_all_rows_are_read_however_a_file_ends(of_edges, monkeypatch, end, block):
    monkeypatch.setattr("thatch.tables.csv_tables._BYTES_PER_BLOCK", block)
    sharded = of_edges(f'item,element\n0,a\n1,a\n2,"b"{end}')
    assert (sharded.num_items, sharded.num_edges) == (3, 3)


def test_quoted_cells_may_have_anything_but_line_breaks(of_edges):
    edges = 'item,element,note\n"a,b","x ""y""","1\n2"\n" c ",x,"\n"\n'
    assert list(of_edges(edges).item_names) == ["a,b", "c"]


def test_cells_of_other_columns_may_span_blocks(of_edges, monkeypatch):
    monkeypatch.setattr("thatch.tables.csv_tables._BYTES_PER_BLOCK", 64)
    rows = [f'{i},0,"{"word" * (i % 7)}\n{"word" * 3}"' for i in range(40)]
    assert of_edges("item,element,note\n" + "\n".join(rows)).num_edges == 40


@pytest.mark.parametrize("block", [16, 2**20])
@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "shift-jis"])
def test_the_row_that_is_not_utf_8_is_named(of_edges, monkeypatch, block, encoding):
    monkeypatch.setattr("thatch.tables.csv_tables._BYTES_PER_BLOCK", block)
    word = "\u30ab" if encoding == "shift-jis" else "\u00d6l"
    edges = f"item,element\n1,a\n2,a\n\n3,{word}\n4,{word}\n"
    with refused(FileFormatError, "e.csv", "row 3", "element", "UTF-8") as caught:
        of_edges(edges.encode(encoding))
    assert "iconv" in caught.value.hint


@pytest.mark.parametrize(
    "encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"]
)
def test_wide_characters_are_refused(of_edges, encoding):
    with refused(FileFormatError, "e.csv", "not UTF-8") as caught:
        of_edges("item,element\n1,a\n".encode(encoding))
    assert "\0" not in str(caught.value)
    assert "utf-16" in caught.value.hint


def test_a_header_that_is_not_utf_8_is_refused(of_edges):
    header = "k\u00fcche,element\n"
    with refused(FileFormatError, "e.csv", "header", "not UTF-8"):
        of_edges(f"{header}1,a\n".encode("latin-1"), item="k\u00fcche")
    with refused(FileFormatError, "e.csv.gz", "header", "not UTF-8"):
        of_edges(gzip.compress(header.encode("latin-1")), "e.csv.gz", item="item")


def test_other_columns_may_have_any_encoding(of_edges):
    edges = "item,element,k\u00fcche\n1,a,\u00d6l\n".encode("latin-1")
    assert of_edges(edges).num_edges == 1


@pytest.mark.parametrize(
    "digits", ["9" * 19, "9" * 20, str(MAX_ID + 1), "1" + "0" * 30]
)
@pytest.mark.parametrize("rows", ["", "0,0\n"])
@pytest.mark.parametrize("column", ["item", "element"])
def test_integers_of_more_than_64_bits_are_refused(of_edges, digits, rows, column):
    row = f"{digits},7\n" if column == "item" else f"7,{digits}\n"
    place = "row 2" if rows else "row 1"
    with refused(FileFormatError, "e.csv", place, column, digits, MAX_ID):
        of_edges(f"item,element\n{rows}{row}")


def test_the_largest_integer_is_an_id(of_edges):
    assert list(of_edges(f"item,element\n{MAX_ID},0\n").item_names) == [MAX_ID]


@pytest.mark.parametrize("number", ["1.0", "0.5", ".5", "-1.5", "1e+20", "1.5E3"])
def test_numbers_that_are_not_integers_are_no_ids(of_edges, number):
    with refused(FileFormatError, "e.csv", "row 1", "item", number):
        of_edges(f"item,element\n{number},a\n2,a\n")
    with refused(FileFormatError, "e.csv", "row 2", "element", number):
        of_edges(f"item,element\na,1\na,{number}\n")


@pytest.mark.parametrize(
    "name", ["1e5", "v1.0", "1.2.3", "2026-01-02", "007", "+1", "1."]
)
def test_names_that_start_like_numbers_are_text(of_edges, name):
    assert list(of_edges(f"item,element\n{name},a\n").item_names) == [name]


def test_spaces_around_cells_do_not_count(of_edges, tmp_path):
    costs = pandas.DataFrame({"item": ["x ", " y", "z"], "cost": [1, 2, 3]})
    costs.to_parquet(tmp_path / "c.parquet")
    (tmp_path / "w.csv").write_text(" element , weight\n1, 5\n2 ,6 \n3 ,7\n")
    sharded = of_edges(
        "item, element\nx, 1\ny , 2\n z,3\n",
        costs=tmp_path / "c.parquet",
        weights=tmp_path / "w.csv",
    )
    assert list(sharded.item_names) == ["x", "y", "z"]
    assert sharded.costs.tolist() == [1, 2, 3]
    assert (sharded.num_elements, sharded.total_weight) == (3, 18)


def test_integers_with_spaces_are_integers(of_edges):
    sharded = of_edges("item,element\n 1, 2\n0 ,2\n1,3\n")
    assert (sharded.item_names, sharded.item_degrees.tolist()) == (None, [1, 2])


def test_an_id_of_spaces_is_missing(of_edges):
    with refused(FileFormatError, "e.csv", "row 2", "no element"):
        of_edges("item,element\n1,2\n1,  \n")


def test_one_column_cannot_be_two(of_edges, tmp_path):
    with refused(InputError, "e.csv", "item, item"):
        of_edges("item,element\n1,2\n", element="item")
    (tmp_path / "c.csv").write_text("cost\n1\n")
    with refused(InputError, "c.csv", "cost, cost"):
        of_edges("cost,element\n1,2\n", item="cost", costs=tmp_path / "c.csv")


def test_two_columns_of_one_name_are_counted(of_edges):
    with refused(FileFormatError, "e.csv", "2 columns 'item'"):
        of_edges("item, item,element\n1,2,3\n")
