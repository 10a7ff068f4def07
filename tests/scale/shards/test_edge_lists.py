"""Shards from tables of edges: they are the problem that the tables describe."""

import gzip
import signal
import subprocess
import sys

import numpy as np
import pandas
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused
from systems import posix
from whole_problems import elements_of, whole

from thatch import CoverageProblem
from thatch.errors import InputError
from thatch.scale import ShardedProblem, shard_edges
from thatch.scale.importing import item_numbers
from thatch.tables import csv_tables, table_files

INTEGERS = st.integers(0, 30) | st.sampled_from([10**6, 2**62])
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n"), min_size=1)
TEXTS = TEXTS.filter(
    lambda text: text.strip() == text and text[0] not in "0123456789-."
)


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch):
    monkeypatch.setattr(table_files, "_ROWS_PER_BATCH", 7)
    monkeypatch.setattr(item_numbers, "_MIN_NEW_IDS", 3)


def written(folder, name, frame):
    """Write a table; its name decides the format."""
    path = folder / name
    if name.endswith(".parquet"):
        pq.write_table(pa.Table.from_pandas(frame), path, row_group_size=5)
    elif name.endswith(".csv"):
        frame.to_csv(path, index=False)
    else:
        frame.to_csv(path, index=False, sep="\t")
    return path


@st.composite
def edge_frames(draw):
    items, elements = (draw(st.sampled_from([INTEGERS, TEXTS])) for _ in range(2))
    pairs = st.lists(st.tuples(items, elements), min_size=1, max_size=40, unique=True)
    return pandas.DataFrame(draw(pairs), columns=["item", "element"])


@given(edge_frames(), st.sampled_from(["csv", "tsv", "parquet"]), st.integers(1, 5))
def test_shards_are_the_problem_of_the_frame(tmp_path_factory, frame, suffix, count):
    folder = tmp_path_factory.mktemp("edges")
    path = written(folder, f"edges.{suffix}", frame)
    sharded = shard_edges(path, folder / "out", budget=3, num_shards=count)
    expected = CoverageProblem.from_dataframe(
        frame, item="item", element="element", budget=3
    )
    found = whole(sharded)
    assert len(sharded.shards) == count
    assert found.budget == expected.budget
    assert found.num_items == expected.num_items
    labels = [sharded.item_label(i) for i in range(found.num_items)]
    assert [str(each) for each in labels] == [
        str(expected.item_label(i)) for i in range(found.num_items)
    ]
    assert elements_of(found) == elements_of(expected)
    assert {path.name for path in (folder / "out").iterdir()} >= {"problem.json"}
    assert not list((folder / "out").glob(".*"))


@settings(max_examples=25)
@given(edge_frames(), st.data())
def test_costs_and_weights_are_those_of_the_tables(tmp_path_factory, frame, data):
    folder = tmp_path_factory.mktemp("edges")
    formats = st.sampled_from(["csv", "parquet"])

    def table(owner, name):
        ids = data.draw(st.permutations(sorted(set(frame[owner]))))
        numbers = st.integers(0, 9) | st.floats(0, 1e6)
        values = [float(data.draw(numbers)) for _ in ids]
        given = pandas.DataFrame({owner: ids, name: values})
        path = written(folder, f"{name}.{data.draw(formats)}", given)
        return path, dict(zip(ids, values, strict=True))

    costs, cost_of = table("item", "cost")
    weights, weight_of = table("element", "weight")
    path = written(folder, f"edges.{data.draw(formats)}", frame)
    sharded = shard_edges(
        path, folder / "out", budget=3, costs=costs, weights=weights, num_shards=3
    )
    expected = CoverageProblem.from_dataframe(
        frame, item="item", element="element", budget=3, cost=cost_of, weight=weight_of
    )
    found = whole(sharded)
    expected_label = [str(expected.item_label(i)) for i in range(expected.num_items)]
    found_label = [str(sharded.item_label(i)) for i in range(found.num_items)]
    assert dict(zip(found_label, found.costs, strict=True)) == dict(
        zip(expected_label, expected.costs, strict=True)
    )
    assert elements_of(found, found_label.__getitem__) == elements_of(
        expected, expected_label.__getitem__
    )


def test_integer_ids_that_are_not_dense_stay_as_labels(tmp_path):
    (tmp_path / "e.csv").write_text("item,element\n70,1\n5,1\n70,2\n")
    sharded = shard_edges(tmp_path / "e.csv", tmp_path / "out", budget=1)
    assert list(sharded.item_names) == [5, 70]
    assert [sharded.item_label(i) for i in range(2)] == [5, 70]
    assert sharded.item_degrees.tolist() == [1, 2]


def test_dense_integer_ids_need_no_names(tmp_path):
    (tmp_path / "e.csv").write_text("item,element\n1,1\n0,1\n2,2\n")
    sharded = shard_edges(tmp_path / "e.csv", tmp_path / "out", budget=1)
    assert sharded.item_names is None
    assert sharded.item_label(2) == 2


def test_names_are_kept_in_the_order_of_their_first_rows(tmp_path):
    (tmp_path / "e.csv").write_text("item,element\nwest,a\nÖst,a\nwest,b\n")
    sharded = shard_edges(tmp_path / "e.csv", tmp_path / "out", budget=1)
    assert list(sharded.item_names) == ["west", "Öst"]
    assert sharded.item_names[-1] == "Öst"
    assert sharded.item_names[:1] == ["west"]


def test_ids_with_leading_zeros_are_text(tmp_path):
    (tmp_path / "e.csv").write_text("item,element\n01067,a\n10115,b\n")
    sharded = shard_edges(tmp_path / "e.csv", tmp_path / "out", budget=1)
    assert list(sharded.item_names) == ["01067", "10115"]


def test_names_of_a_problem_are_kept_in_its_shards(tmp_path):
    problem = CoverageProblem.from_sets({"a": [1, 2], "b": [2]}, budget=1)
    sharded = ShardedProblem.from_problem(problem, tmp_path, num_shards=2)
    assert list(sharded.item_names) == ["a", "b"]


def test_items_and_elements_without_edges_are_part_of_the_problem(tmp_path):
    (tmp_path / "e.csv").write_text("item,element\nb,x\n")
    (tmp_path / "c.csv").write_text("item,cost\na,3\nb,2.5\n")
    (tmp_path / "w.csv").write_text("element,weight\nx,4\ny,5\n")
    sharded = shard_edges(
        tmp_path / "e.csv",
        tmp_path / "out",
        budget=9,
        costs=tmp_path / "c.csv",
        weights=tmp_path / "w.csv",
        num_shards=2,
    )
    assert sharded.costs.tolist() == [3, 2.5]
    assert sharded.num_elements == 2
    assert (sharded.total_weight, sharded.largest_weight) == (4, 5)


def test_a_folder_is_one_table(tmp_path):
    folder = tmp_path / "edges"
    folder.mkdir()
    frame = pandas.DataFrame({"town": ["a", "b", "c"], "site": ["x", "x", "y"]})
    written(folder, "1.parquet", frame[:1])
    written(folder, "2.csv", frame[1:2])
    (folder / "3.tsv.gz").write_bytes(gzip.compress(b"site\ttown\ny\tc\n"))
    (folder / "_notes.csv").write_text("not,a,table\n")
    (folder / "readme.txt").write_text("Neither is this.")
    sharded = shard_edges(
        folder, tmp_path / "out", budget=1, item="site", element="town"
    )
    assert elements_of(whole(sharded)) == [(1, ["0"]), (1, ["0"]), (1, ["1"])]


def test_any_address_can_be_read_and_written(tmp_path):
    import fsspec

    files = fsspec.filesystem("memory")
    files.pipe("/shards-in/e.csv", b"item,element\n0,5\n1,5\n")
    sharded = shard_edges(
        "memory://shards-in/e.csv", "memory://shards-out", budget=1, num_shards=2
    )
    assert sharded.num_edges == 2
    files.rm("/shards-in", recursive=True)
    files.rm("/shards-out", recursive=True)


def test_categories_and_small_integers_of_parquet_are_ids(tmp_path):
    frame = pandas.DataFrame({"item": pandas.Categorical(["b", "a", "b"])})
    frame["element"] = np.array([3, 200, 7], dtype=np.uint8)
    path = written(tmp_path, "e.parquet", frame)
    sharded = shard_edges(path, tmp_path / "out", budget=1)
    assert list(sharded.item_names) == ["b", "a"]
    assert sharded.item_degrees.tolist() == [2, 1]


def test_the_number_of_shards_follows_from_the_number_of_rows(tmp_path, monkeypatch):
    monkeypatch.setattr("thatch.scale.importing.edge_lists._EDGES_PER_SHARD", 100)
    frame = pandas.DataFrame({"item": np.arange(1000), "element": np.arange(1000)})
    for name, expected in (("e.parquet", [11]), ("e.csv", [10, 11, 12])):
        path = written(tmp_path, name, frame)
        sharded = shard_edges(path, tmp_path / f"out-{name}", budget=1)
        assert len(sharded.shards) in expected


def test_more_weights_than_edges_are_divided_as_well(tmp_path, monkeypatch):
    monkeypatch.setattr("thatch.scale.importing.edge_lists._EDGES_PER_SHARD", 100)
    edges = pandas.DataFrame({"item": [0], "element": [5]})
    weights = pandas.DataFrame({"element": np.arange(450), "weight": 1.0})
    sharded = shard_edges(
        written(tmp_path, "e.parquet", edges),
        tmp_path / "out",
        budget=1,
        weights=written(tmp_path, "w.parquet", weights),
    )
    assert (len(sharded.shards), sharded.num_elements) == (5, 450)


def test_files_are_longer_than_a_block(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_tables, "_BYTES_PER_BLOCK", 256)
    rng = np.random.default_rng(1)
    cells = rng.permutation(50 * 200)[:2000]
    frame = pandas.DataFrame({"item": cells // 200, "element": cells % 200})
    frame["element"] = "e" + frame["element"].astype(str)
    path = written(tmp_path, "e.csv", frame)
    sharded = shard_edges(path, tmp_path / "out", budget=1, num_shards=4)
    expected = CoverageProblem.from_dataframe(
        frame, item="item", element="element", budget=1
    )
    assert elements_of(whole(sharded)) == elements_of(expected)


def test_the_same_tables_give_the_same_bytes(tmp_path):
    rng = np.random.default_rng(0)
    cells = rng.permutation(100 * 300)[:900]
    frame = pandas.DataFrame({"item": cells // 300, "element": cells % 300})
    path = written(tmp_path, "e.parquet", frame)
    content = []
    for name in ("a", "b"):
        shard_edges(path, tmp_path / name, budget=1, num_shards=3)
        files = sorted((tmp_path / name).rglob("*.npy"))
        content.append([file.read_bytes() for file in files])
    assert content[0] == content[1]


KILLED = """
import os, sys
from thatch.scale import shard_edges
from thatch.scale.importing import bucket_sorting
def killed(self, bucket):
    os.kill(os.getpid(), 9)
bucket_sorting.Buckets.read = killed
shard_edges(sys.argv[1], sys.argv[2], budget=1)
"""


@posix
def test_a_killed_run_leaves_a_folder_that_can_be_overwritten(tmp_path):
    (tmp_path / "e.csv").write_text("item,element\n0,5\n1,5\n")
    edges, out = tmp_path / "e.csv", tmp_path / "out"
    died = subprocess.run([sys.executable, "-c", KILLED, str(edges), str(out)])
    assert died.returncode == -signal.SIGKILL
    with refused(InputError, out, "incomplete"):
        ShardedProblem.open(out)
    with refused(InputError, out, "incomplete"):
        shard_edges(edges, out, budget=1)
    assert shard_edges(edges, out, budget=1, overwrite=True).num_edges == 2
    assert not list(out.glob(".*"))
    assert not (out / "incomplete").exists()
