"""Tables that are refused: one error, which names the file and the row."""

import subprocess
import sys

import numpy as np
import pandas
import pytest
from refusals import refused

from thatch.errors import (
    FileFormatError,
    InputError,
    InputTypeError,
)
from thatch.scale import shard_edges
from thatch.tables import csv_tables

EDGES = "item,element\n0,a\n1,a\n1,b\n"
COSTS = "item,cost\n0,2\n1,3\n"
WEIGHTS = "element,weight\na,2\nb,3\n"


@pytest.fixture
def sharded(tmp_path, monkeypatch):
    """Make shards of CSV tables; nothing may be left of those that are refused."""
    # A block has one or two rows.
    monkeypatch.setattr(csv_tables, "_BYTES_PER_BLOCK", 16)

    def command(edges=EDGES, costs=COSTS, weights=WEIGHTS, budget=2, **more):
        for name, text in (("e.csv", edges), ("c.csv", costs), ("w.csv", weights)):
            (tmp_path / name).write_bytes(
                text if isinstance(text, bytes) else text.encode()
            )
        try:
            return shard_edges(
                tmp_path / "e.csv",
                tmp_path / "out",
                budget=budget,
                costs=tmp_path / "c.csv",
                weights=tmp_path / "w.csv",
                num_shards=more.pop("num_shards", 2),
                **more,
            )
        finally:
            is_finished = (tmp_path / "out" / "problem.json").exists()
            assert is_finished or not (tmp_path / "out").exists()

    return command


def test_good_tables_are_accepted(sharded):
    assert sharded().num_edges == 3


BAD_TABLES = {
    "no column of items": ({"edges": "site,element\n0,a\n"}, ["e.csv", "'item'"]),
    "two columns of items": ({"edges": "item,item,element\n"}, ["e.csv", "'item'"]),
    "no column of costs": ({"costs": "item,price\n0,1\n"}, ["c.csv", "'cost'"]),
    "no column of weights": ({"weights": "element,w\na,1\n"}, ["w.csv", "'weight'"]),
    "no content": ({"edges": ""}, ["e.csv", "empty"]),
    "no edges": ({"edges": "item,element\n"}, ["e.csv", "no edges"]),
    "no weights": ({"weights": "element,weight\n"}, ["w.csv", "no weights"]),
    "no item": ({"edges": EDGES + ",b\n"}, ["e.csv", "row 4", "item"]),
    "no element": ({"edges": EDGES + "1,\n"}, ["e.csv", "row 4", "element"]),
    "a word among integers": ({"edges": EDGES + "x1,b\n"}, ["e.csv", "row 4", "'x1'"]),
    "a half among integers": ({"edges": EDGES + "1.5,b\n"}, ["row 4", "'1.5'"]),
    "a zero before an integer": ({"edges": EDGES + "01,b\n"}, ["row 4", "'01'"]),
    "an integer of 20 digits": ({"edges": EDGES + "9" * 20 + ",b\n"}, ["row 4", "999"]),
    "a negative item": ({"edges": EDGES + "-1,b\n"}, ["e.csv", "row 4", "-1"]),
    "a repeated edge": ({"edges": EDGES + "0,a\n"}, ["row 4", "row 1", "0", "'a'"]),
    "an item without cost": (
        {"edges": EDGES + "7,b\n"},
        ["e.csv", "row 4", "7", "c.csv"],
    ),
    "an element without weight": (
        {"edges": EDGES + "1,z\n"},
        ["row 4", "'z'", "w.csv"],
    ),
    "a repeated item": ({"costs": COSTS + "0,2\n"}, ["c.csv", "row 3", "item 0"]),
    "a repeated element": ({"weights": WEIGHTS + "a,2\n"}, ["w.csv", "row 3", "'a'"]),
    "a negative cost": ({"costs": COSTS + "2,-2\n"}, ["c.csv", "row 3", "-2.0"]),
    "an infinite cost": ({"costs": COSTS + "2,inf\n"}, ["c.csv", "row 3", "inf"]),
    "a cost that is NaN": ({"costs": COSTS + "2,nan\n"}, ["c.csv", "row 3", "nan"]),
    "a cost that is a word": (
        {"costs": COSTS + "2,two\n"},
        ["c.csv", "row 3", "'two'"],
    ),
    "a cost that is missing": (
        {"costs": COSTS + "2,\n"},
        ["c.csv", "row 3", "no cost"],
    ),
    "a negative weight": ({"weights": WEIGHTS + "c,-1\n"}, ["w.csv", "row 3", "-1.0"]),
    "costs beyond doubles": (
        {"costs": "item,cost\n0,1e308\n1,1e308\n"},
        ["costs", "c.csv"],
    ),
    "weights beyond doubles": (
        {"weights": "element,weight\na,1e308\nb,1e308\n"},
        ["weights", "w.csv"],
    ),
    "a row of three cells": (
        {"edges": EDGES + "1,b,c\n"},
        ["e.csv", "row 4", "3 cells"],
    ),
}


@pytest.mark.parametrize(("tables", "facts"), BAD_TABLES.values(), ids=BAD_TABLES)
def test_bad_tables_are_refused(sharded, tables, facts):
    with refused(InputError, *facts):
        sharded(**tables)


def test_a_repeated_name_is_refused(sharded):
    tables = {"edges": "item,element\nx,a\n", "costs": "item,cost\nx,1\ny,2\nx,1\n"}
    with refused(FileFormatError, "c.csv", "row 3", "'x'"):
        sharded(**tables)


def first_repeat(pairs):
    """The first row that repeats another, and that, from 1."""
    row_of = {}
    for row, pair in enumerate(pairs, start=1):
        if pair in row_of:
            return row, row_of[pair]
        row_of[pair] = row
    raise AssertionError


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("num_shards", [1, 7])
def test_the_first_repeated_edge_of_the_file_is_named(tmp_path, seed, num_shards):
    pairs = np.random.default_rng(seed).integers(0, 20, (60, 2)).tolist()
    rows = [f"{item},{element}" for item, element in pairs]
    (tmp_path / "e.csv").write_text("\n".join(["item,element", *rows]))
    row, repeated = first_repeat(map(tuple, pairs))
    with refused(FileFormatError, f"row {row} ", f"row {repeated}:"):
        shard_edges(
            tmp_path / "e.csv", tmp_path / "out", budget=1, num_shards=num_shards
        )


@pytest.mark.parametrize("num_shards", [1, 5, 30])
def test_the_first_bad_row_is_named_whatever_is_bad(sharded, num_shards):
    weights = "element,weight\n" + "".join(f"e{k},1\n" for k in range(9))
    edges = "item,element\n" + "".join(f"0,e{k}\n" for k in range(9))
    bad = {
        "0,e7\n" + "0,z\n" * 20 + "0,e1\n": ["row 10", "row 8"],
        "".join(f"0,z{k}\n0,e{k}\n" for k in range(9)): ["row 10", "'z0'", "w.csv"],
    }
    for rows, facts in bad.items():
        with refused(FileFormatError, "e.csv", *facts):
            sharded(edges=edges + rows, weights=weights, num_shards=num_shards)
    repeated = weights + "".join(f"e{k},1\n" for k in (5, 2, 8, 1))
    with refused(FileFormatError, "w.csv", "row 10", "'e5'"):
        sharded(edges=edges + "0,z\n", weights=repeated, num_shards=num_shards)


def test_the_nearest_column_is_suggested(sharded):
    with refused(FileFormatError, "'item'") as caught:
        sharded(edges="items,element\n0,a\n")
    assert "items" in caught.value.hint


@pytest.mark.parametrize("budget", [-1, np.nan, np.inf])
def test_a_bad_budget_is_refused_before_files_are_read(tmp_path, budget):
    with refused(InputError, "budget"):
        shard_edges("nowhere.csv", tmp_path / "out", budget=budget)


@pytest.mark.parametrize("num_shards", [0, 1.5, 2**16 + 1])
def test_a_bad_number_of_shards_is_refused(sharded, num_shards):
    with refused(InputError, "num_shards", num_shards):
        sharded(num_shards=num_shards)


def test_a_budget_must_be_a_number(tmp_path):
    with refused(InputTypeError, "budget", "'two'"):
        shard_edges("nowhere.csv", tmp_path / "out", budget="two")


def test_the_row_is_counted_in_its_file(tmp_path):
    folder = tmp_path / "edges"
    folder.mkdir()
    (folder / "1.csv").write_text("item,element\n0,a\n0,b\n")
    (folder / "2.csv").write_text("item,element\n1,a\n1,b\n0,b\n")
    with refused(FileFormatError, folder / "2.csv", "row 3", "row 2", folder / "1.csv"):
        shard_edges(folder, tmp_path / "out", budget=1)


@pytest.mark.parametrize(
    ("values", "facts"),
    [
        ([0, 1, -5], ["row 3", "-5"]),
        (pandas.array([0, None, 1], dtype="Int64"), ["row 2", "no item"]),
        (["a", None, "b"], ["row 2", "no item"]),
        (["a", "", "b"], ["row 2", "no item"]),
        ([0.5, 1.0, 2.0], ["'item'", "double"]),
        ([True, False, True], ["'item'", "bool"]),
        (np.array([0, 1, 2**64 - 1], dtype=np.uint64), ["row 3", 2**64 - 1, 2**63 - 1]),
    ],
)
def test_bad_columns_of_parquet_are_refused(tmp_path, values, facts):
    frame = pandas.DataFrame({"item": values, "element": ["a", "b", "c"]})
    frame.to_parquet(tmp_path / "e.parquet")
    with refused(FileFormatError, "e.parquet", *facts):
        shard_edges(tmp_path / "e.parquet", tmp_path / "out", budget=1)


def test_integers_and_text_are_not_mixed(tmp_path):
    folder = tmp_path / "edges"
    folder.mkdir()
    for name, items in (("1.parquet", [0, 1]), ("2.parquet", ["0", "1"])):
        frame = pandas.DataFrame({"item": items, "element": items})
        frame.to_parquet(folder / name)
    with refused(FileFormatError, "1.parquet", "integer"):
        shard_edges(folder, tmp_path / "out", budget=1)


@pytest.mark.parametrize("name", ["e.parquet", "e.csv.gz"])
def test_a_damaged_file_is_refused(tmp_path, name):
    (tmp_path / name).write_bytes(b"This is something else.")
    with refused(FileFormatError, name, "invalid"):
        shard_edges(tmp_path / name, tmp_path / "out", budget=1)


def test_unknown_files_are_refused(tmp_path):
    (tmp_path / "e.xlsx").write_text("")
    with refused(InputError, "e.xlsx", "unknown format"):
        shard_edges(tmp_path / "e.xlsx", tmp_path / "out", budget=1)
    with refused(InputError, "no table"):
        shard_edges(tmp_path, tmp_path / "out", budget=1)
    with refused(InputError, "nowhere.csv", "does not exist"):
        shard_edges(tmp_path / "nowhere.csv", tmp_path / "out", budget=1)


def test_other_folders_are_never_overwritten(tmp_path):
    (tmp_path / "e.csv").write_text("item,element\n0,a\n")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "notes.txt").write_text("mine")
    for overwrite in (False, True):
        with refused(InputError, "other files"):
            shard_edges(
                tmp_path / "e.csv", tmp_path / "out", budget=1, overwrite=overwrite
            )
    (tmp_path / "out" / "problem.json").write_text("{}")
    with refused(InputError, "other files"):
        shard_edges(tmp_path / "e.csv", tmp_path / "out", budget=1, overwrite=True)
    assert (tmp_path / "out" / "notes.txt").read_text() == "mine"


def test_the_output_must_be_apart_from_the_input(tmp_path):
    (tmp_path / "e.csv").write_text("item,element\n0,a\n")
    for out in (tmp_path, tmp_path / "e.csv"):
        with refused(InputError, "overlap"):
            shard_edges(tmp_path / "e.csv", out, budget=1, overwrite=True)
    with refused(InputError, "overlap"):
        shard_edges(tmp_path, tmp_path / "out", budget=1)


def test_a_file_is_no_output_folder(tmp_path):
    (tmp_path / "e.csv").write_text("item,element\n0,a\n")
    (tmp_path / "out").write_text("mine")
    with refused(InputError, "out", "file"):
        shard_edges(tmp_path / "e.csv", tmp_path / "out", budget=1, overwrite=True)


def test_too_many_items_are_refused(sharded, monkeypatch):
    monkeypatch.setattr("thatch.scale.shards.shard_writer._MAX_ITEMS", 1)
    with refused(InputError, "2 items", "at most 1"):
        sharded()


def test_tables_need_pyarrow():
    script = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "import thatch.scale\n"
        "from thatch.errors import MissingExtraError\n"
        "try: thatch.scale.shard_edges\n"
        "except MissingExtraError as error: print(error.extra, error)\n"
    )
    command = [sys.executable, "-c", script]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed.startswith("corpus Reading tables needs pyarrow")
