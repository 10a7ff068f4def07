"""Errors in instance files, with the place and the value."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from refusals import refused

from thatch.errors import FileFormatError, InputError
from thatch.problem.instances.files import FileFormat, read_instance, write_instance

SPARSE = "2 3 3 4\n1 1\n1 2\n2 3\n5 6\n7 8 9\n"
SET_COVER = "2 3\n4 5 6\n2\n1 3\n1\n2\n"
DENSE = """m=2 n=3 knapsack size=4

The weight of 2 items_next
5 6

The profit of 3 elements_next
7 8 9

Relation matix
1 1 0
0 0 1
"""
HUGE = 10**18


def sparse(old, new):
    assert old in SPARSE
    return SPARSE.replace(old, new, 1).encode()


def dense(old, new):
    assert old in DENSE
    return DENSE.replace(old, new, 1).encode()


def own_json(**changes):
    fields = {
        "format": "thatch-coverage",
        "version": 1,
        "budget": 4,
        "costs": [5, 6],
        "weights": [7, 8, 9],
        "sets": [[0, 1], [2]],
    }
    fields.update(changes)
    kept = {name: value for name, value in fields.items() if value is not ...}
    return json.dumps(kept).encode()


def npz(**changes):
    arrays = {
        "magic": "thatch-coverage 1",
        "budget": 4.0,
        "costs": [5.0, 6.0],
        "weights": [7.0, 8.0, 9.0],
        "item_start": [0, 2, 3],
        "item_elements": [0, 1, 2],
    }
    arrays.update(changes)
    file = io.BytesIO()
    np.savez(file, **{name: a for name, a in arrays.items() if a is not ...})
    return file.getvalue()


def compressed(**changes):
    """An archive of a few kilobytes."""
    with np.load(io.BytesIO(npz(**changes))) as arrays:
        file = io.BytesIO()
        np.savez_compressed(file, **arrays)
    return file.getvalue()


def with_shape(name, shape):
    """An archive in which the header of one array declares another shape."""
    file = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(npz())) as valid,
        zipfile.ZipFile(file, "w") as changed,
    ):
        for member in valid.namelist():
            content = valid.read(member)
            if member == f"{name}.npy":
                header = io.BytesIO()
                layout = {"descr": "<f8", "fortran_order": False, "shape": shape}
                np.lib.format.write_array_header_1_0(header, layout)
                content = header.getvalue() + bytes(16)
            changed.writestr(member, content)
    return file.getvalue()


def alone(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


# What is wrong, the line, and what the error must name: the field and the value.
ANY_FILE = [
    ("a.txt", b"", None, "empty"),
    ("a.json", b" \n ", None, "empty"),
    ("a.npz", b"", None, "empty"),
    ("a.txt", b"PK\3\4\0\0\1", None, "UTF-8"),
    ("a.json", "{}".encode("utf-16"), None, "UTF-8"),
    ("a.txt", b"1 1 0 1\n1\n\xff", 3, "UTF-8", "0xff"),
    ("a.txt", b"\nhello", 2, "'hello'"),
    ("a.txt", b"1 2 3\n", 1, "'1 2 3'"),
    ("a.txt", b"what is all this\n", 1, "'what is all this'"),
]
SPARSE_FILES = [
    (b"2 x 3 4\n", 1, "number of elements", "'x'"),
    (sparse("2", "-2"), 1, "number of items", "-2"),
    (sparse("3 3", "3 1.5"), 1, "number of edges", "1.5"),
    (sparse("2", str(HUGE)), 1, "number of items", f"{HUGE}", f"{2**31 - 1}"),
    (sparse("2", "2000000000"), 6, "costs", "2000000000", "5"),
    (sparse("3 3", "3 2000000000"), 6, "edges", "4000000000", "11"),
    (sparse("4", "nan"), 1, "budget", "nan"),
    (sparse("4", "-0.5"), 1, "budget", "-0.5"),
    (sparse("1 2", "0 2"), 3, "item numbers", "0", "1 to 2"),
    (sparse("1 2", "1 0"), 3, "element numbers", "0", "1 to 3"),
    (sparse("1 2", "1.5 2"), 3, "item numbers", "1.5"),
    (sparse("1 2", "1 -2"), 3, "element numbers", "-2"),
    (sparse("1 2", "1 4"), 3, "element numbers", "4"),
    (sparse("1 2", "1 1e99"), 3, "element numbers", "1e99"),
    (sparse("1 2", "1 1"), 3, "edge", "item 1", "element 1"),
    (sparse("2 3\n5", "1 1\n5"), 4, "edge", "item 1", "element 1"),
    (sparse("5 6", "5 abc"), 5, "costs", "'abc'"),
    (sparse("5 6", "5 6,5"), 5, "costs", "'6,5'"),
    (sparse("5 6", "5 1-6"), 5, "costs", "'1-6'"),
    (sparse("5 6", "5 1_0"), 5, "costs", "'1_0'"),
    (sparse("5 6", "5 0x6"), 5, "costs", "'0x6'"),
    (sparse("5 6", "5 six\u00a0"), 5, "costs", "'six"),
    (sparse("5 6", "5 " + "x" * 99), 5, "costs", f"'{'x' * 39}…'"),
    (sparse("5 6", "5 -6"), 5, "costs", "-6"),
    (sparse("5 6", "inf 6"), 5, "costs", "inf"),
    (sparse("7 8 9", "7 NaN 9"), 6, "weights", "NaN"),
    (sparse("7 8 9", "7 8 1e400"), 6, "weights", "1e400"),
    (sparse("7 8 9", "1e308 1e308 1e308"), None, "weights", "sum"),
    (sparse("7 8 9\n", "7 8"), 6, "weights", "3 numbers", "2"),
    (sparse("7 8 9", "7 8 9\n\n10"), 8, "after the weights", "'10'"),
    (sparse("7 8 9", "7 8 9 end"), 6, "after the weights", "'end'"),
]
SET_COVER_FILES = [
    (b"2 x", 1, "number of columns", "'x'"),
    (b"-2 3", 1, "number of rows", "-2"),
    (f"{2**31 - 1} 1\n1\n".encode(), 2, "size of row 1", "end of the file"),
    (f"{HUGE} 3\n".encode(), 1, "number of rows", f"{HUGE}"),
    (b"1 2\n4 -5\n0", 2, "costs", "-5"),
    (b"1 2\n4 5\n3\n1 2 2", 3, "size of row 1", "3", "0 to 2"),
    (b"2 2\n4 5\n1\n1\n2\n1 2.5", 6, "columns", "2.5", "1 to 2"),
    (b"2 2\n4 5\n1\n1\n2\n1 0", 6, "columns", "0", "1 to 2"),
    (b"2 2\n4 5\n1\n1\n2\n1", 6, "row 2", "2 numbers", "1"),
    (b"2 2\n4 5\n1\n1\n2\n1 x", 6, "row 2", "'x'"),
    (b"2 2\n4 5\n1\n1\n2\n2 2", 6, "column 2", "row 2"),
    (SET_COVER.encode() + b"7", 7, "after the last row", "'7'"),
]
DENSE_FILES = [
    (b"\nm=2 n=3 size=4\n1", 2, "'m=2 n=3 size=4'"),
    (dense("m=2", "m=2.5"), 1, "number of items", "2.5"),
    (dense("n=3", "n=three"), 1, "number of elements", "'three'"),
    (dense("size=4", "size=-4"), 1, "knapsack size", "-4"),
    (dense("m=2", f"m={HUGE}"), 1, "number of items", f"{HUGE}"),
    (dense("m=2", "m=1000000000"), 11, "costs", "1000000000", "11"),
    (dense("5 6", "5 -6"), 4, "costs", "-6"),
    (dense("7 8 9", "7 8 !"), 7, "weights", "'!'"),
    (dense("0 0 1", "0 2 1"), 11, "matrix", "2"),
    (dense("0 0 1", "0 1"), 11, "matrix", "6 numbers", "5"),
    (dense("0 0 1", "0 0 1 1"), 11, "after the matrix", "'1'"),
]
JSON_FILES = [
    (b'{"format": "thatch-coverage",\n "version": }', 2, "JSON", "column 13"),
    (b"[1, 2]", None, "a list"),
    (b"[" * 100_000, None, "nested"),
    (b"9" * 5000, None, "digits"),
    (b"{}", None, "format", "missing", "thatch-coverage"),
    (own_json(format="geojson"), None, "format", "'geojson'", "thatch-coverage"),
    (own_json(version=3), None, "version", "3"),
    (own_json(version=True), None, "version", "true"),
    (own_json(cost=[1]), None, "'cost'"),
    (b'{"budget": 1, "budget": 2}', None, "'budget'"),
    (own_json(budget=float("nan")), None, "NaN"),
    (own_json(costs=[1, float("-inf")]), None, "-Infinity"),
    (own_json(budget="4"), None, "budget", "'4'"),
    (own_json(budget=-4), None, "budget", "-4"),
    (own_json(budget=10**400), None, "budget", "1000"),
    (own_json(costs=5), None, "costs", "5"),
    (own_json(costs=[5, "x"]), None, "costs[1]", "'x'"),
    (own_json(costs=[5, None]), None, "costs[1]", "null"),
    (own_json(costs=[True, 6]), None, "costs[0]", "true"),
    (own_json(costs=[5, {}]), None, "costs[1]", "an object"),
    (own_json(costs=[5]), None, "cost", "1", "2"),
    (own_json(weights=[7, 8, -9]), None, "weights[2]", "-9"),
    (own_json(weights=[10**400, 8, 9]), None, "weights[0]", "1000"),
    (own_json(sets=...), None, "sets", "missing"),
    (own_json(sets=[[0], 1]), None, "sets[1]", "1"),
    (own_json(sets=[[0], ["a"]]), None, "sets[1]", "'a'"),
    (own_json(sets=[[0], [1.0]]), None, "sets[1]", "1.0"),
    (own_json(sets=[[0], [-1]]), None, "sets[1]", "-1"),
    (own_json(sets=[[0], [3]]), None, "sets[1]", "3", "0 to 2"),
    (own_json(sets=[[HUGE], []], weights=...), None, "sets[0]", f"{HUGE}"),
    (
        own_json(sets=[[0], [99_999_999]], weights=...),
        None,
        *("sets[1]", "99999999", "4000000"),
    ),
    (own_json(sets=[[0, 0], []]), None, "item 0", "element 0"),
    (own_json(item_names="ab"), None, "item_names", "'ab'"),
    (own_json(item_names=["a", 2]), None, "item_names[1]", "2"),
    (own_json(item_names=["a"]), None, "item", "names", "1", "2"),
    (own_json(item_names=["a", "a"]), None, "item", "names", "'a'"),
]
ZEROS = np.zeros(5_000_000)
NPZ_FILES = [
    (compressed(costs=ZEROS), "5000000", "costs", "4000000"),
    (compressed(item_elements=np.zeros(5_000_000, np.int8)), "item_elements"),
    (compressed(item_names=np.zeros(2, "<U10000000")), "10000000", "item_names"),
    (with_shape("costs", (10**12,)), "damaged"),
    (with_shape("costs", (2**62, 4)), "damaged"),
    (b"not an archive", ".npz"),
    (alone([1, 2]), ".npz"),
    (npz()[:-40], "damaged"),
    (npz(costs=np.array([{}, {}])), "damaged"),
    (npz(magic=...), "magic"),
    (npz(magic="thatch-coverage 2"), "magic", "'thatch-coverage 2'"),
    (npz(magic=1), "magic", "int64"),
    (npz(budget=[4.0]), "budget", "float64", "1 dim"),
    (npz(budget=np.inf), "budget", "inf"),
    (npz(costs=...), "costs"),
    (npz(costs=[5.0, np.nan]), "costs[1]", "nan"),
    (npz(costs=["5", "6"]), "costs", "<U1"),
    (npz(costs=[5.0]), "item_start has 3"),
    (npz(weights=[[7.0]]), "weights", "float64", "2 dim"),
    (npz(weights=[7.0]), "element", "1"),
    (npz(item_start=[0.0, 2.0, 3.0]), "item_start", "float64"),
    (npz(item_start=[1, 2, 3]), "item_start"),
    (npz(item_start=[0, 4, 3]), "item_start"),
    (npz(item_start=[0, 2, 2]), "item_start"),
    (npz(item_elements=[0, 1, -2]), "item_elements[2]", "-2"),
    (
        npz(item_elements=np.array([0, 1, 2**64 - 1], np.uint64)),
        "item_elements[2]",
        f"{2**64 - 1}",
    ),
    (npz(item_elements=[0, 0, 1]), "item 0", "element 0"),
    (npz(item_names=[1, 2]), "item_names", "int64"),
    (npz(item_names=["a"]), "item", "names", "1", "2"),
    (npz(item_names=np.frombuffer(b"\xff" * 8, dtype="<U1")), "item_names", "Unicode"),
]
BAD_FILES = [
    *((name, content, line, named) for name, content, line, *named in ANY_FILE),
    *(
        ("a.txt", content, line, named)
        for content, line, *named in SPARSE_FILES + SET_COVER_FILES + DENSE_FILES
    ),
    *(("a.json", content, line, named) for content, line, *named in JSON_FILES),
    *(("a.npz", content, None, named) for content, *named in NPZ_FILES),
]


@pytest.mark.parametrize(("name", "content", "line", "named"), BAD_FILES)
def test_an_error_names_the_file_the_line_the_field_and_the_value(
    tmp_path, name, content, line, named
):
    target = tmp_path / name
    target.write_bytes(content)
    with refused(FileFormatError) as caught:
        read_instance(target, budget=1)
    # The numbers in the name of the folder must not count.
    message = caught.value.message.removeprefix(str(target))
    assert message != caught.value.message
    for word in named:
        assert word in message
    assert line is None or f"line {line}" in message
    assert message.endswith(".") and "\n" not in message
    assert (caught.value.path, caught.value.line) == (target, line)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", SPARSE.encode()),
        ("a.txt", SET_COVER.encode()),
        ("a.txt", DENSE.encode()),
        ("a.json", own_json()),
        ("a.npz", npz()),
    ],
)
def test_the_valid_files_can_be_read(tmp_path, name, content):
    target = tmp_path / name
    target.write_bytes(content)
    assert read_instance(target, budget=1).num_edges == 3


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.scp", SET_COVER.encode()), ("a.json", own_json(budget=...))],
)
def test_a_budget_is_required(tmp_path, name, content):
    target = tmp_path / name
    target.write_bytes(content)
    with pytest.raises(InputError, match="budget") as caught:
        read_instance(target)
    assert str(target) in caught.value.message
    assert "budget" in caught.value.hint


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"missing\.txt"):
        read_instance(tmp_path / "missing.txt")


def test_a_folder_is_named(tmp_path):
    with refused(InputError, tmp_path.name, "folder"):
        read_instance(tmp_path)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="only Linux has /proc")
def test_a_file_that_fails_while_it_is_read_is_named():
    with pytest.raises(InputError, match="/proc/self/mem"):
        read_instance("/proc/self/mem")


STARTS = [SPARSE, SET_COVER, DENSE, own_json().decode()]
words = st.sampled_from(
    ["0", "-1", "2", "1.5", "nan", "1e18", "x", "m=", "[", "]", ","]
)


@st.composite
def damaged_texts(draw):
    """A valid text with some words removed, repeated or replaced."""
    parts = draw(st.sampled_from(STARTS)).replace(" ", " \0").split("\0")
    for _ in range(draw(st.integers(1, 3))):
        first = draw(st.integers(0, len(parts)))
        parts[first : first + draw(st.integers(0, 2))] = draw(
            st.lists(words.map(lambda word: f"{word} "), max_size=2)
        )
    return "".join(parts).encode()


@st.composite
def damaged_archives(draw):
    content = bytearray(npz(item_names=["a", "b"]))
    for _ in range(draw(st.integers(1, 4))):
        content[draw(st.integers(0, len(content) - 1))] = draw(st.integers(0, 255))
    return bytes(content)


@settings(
    max_examples=300,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    content=st.binary(max_size=60) | damaged_texts() | damaged_archives(),
    form=st.sampled_from(FileFormat),
)
def test_any_bytes_give_a_problem_or_an_input_error(tmp_path, content, form):
    target = tmp_path / f"any{form.value}"
    target.write_bytes(content)
    try:
        problem = read_instance(target, budget=1)
    except InputError as error:
        assert error.hint
    else:
        write_instance(problem, tmp_path / "again.npz")
