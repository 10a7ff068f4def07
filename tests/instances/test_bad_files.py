"""Whatever is wrong with a file, one sentence says what and where."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from thatch.errors import FileFormatError, InputError
from thatch.instances.files import FileFormat, read_instance, write_instance

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


def alone(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


ANY_FILE = [
    ("a.txt", b"", None, "must hold a problem, got an empty file"),
    ("a.json", b" \n ", None, "must hold a problem, got an empty file"),
    ("a.npz", b"", None, "must hold a problem, got an empty file"),
    ("a.txt", b"PK\3\4\0\0\1", None, "must be UTF-8 text, got binary content"),
    ("a.json", "{}".encode("utf-16"), None, "must be UTF-8 text, got binary content"),
    ("a.txt", b"1 1 0 1\n1\n\xff", 3, "must be UTF-8 text, got the byte 0xff"),
    ("a.txt", b"\nhello", 2, "the first line must be 'items elements edges budget'"),
    ("a.txt", b"1 2 3\n", 1, "the first line must be"),
    ("a.txt", b"what is all this\n", 1, "the first line must be"),
]
SPARSE_FILES = [
    (b"2 x 3 4\n", 1, "the number of elements must be a number, got 'x'"),
    (sparse("2", "-2"), 1, "the number of items must be a whole number from 0 to"),
    (sparse("3 3", "3 1.5"), 1, "the number of edges must be a whole number"),
    (sparse("2", str(HUGE)), 1, f"items must be a whole number from 0 to {2**31 - 1}"),
    (sparse("2", "2000000000"), 6, "costs must be 2000000000 numbers, got 5 before"),
    (sparse("3 3", "3 2000000000"), 6, "edges must be 4000000000 numbers, got 11"),
    (sparse("4", "nan"), 1, "budget must be finite and >= 0, got nan"),
    (sparse("4", "-0.5"), 1, "budget must be finite and >= 0, got -0.5"),
    (sparse("1 2", "0 2"), 3, "item numbers must be whole numbers from 1 to 2, got 0"),
    (
        sparse("1 2", "1 0"),
        3,
        "element numbers must be whole numbers from 1 to 3, got 0",
    ),
    (
        sparse("1 2", "1.5 2"),
        3,
        "item numbers must be whole numbers from 1 to 2, got 1.5",
    ),
    (sparse("1 2", "1 -2"), 3, "element numbers must be whole numbers .* got -2"),
    (sparse("1 2", "1 4"), 3, "element numbers must be whole numbers .* got 4"),
    (sparse("1 2", "1 1e99"), 3, "element numbers must be whole numbers .* got 1e99"),
    (sparse("1 2", "1 1"), 3, "edges must not repeat, got item 1 with element 1 again"),
    (sparse("2 3\n5", "1 1\n5"), 4, "edges must not repeat, got item 1 with element 1"),
    (sparse("5 6", "5 abc"), 5, "costs must be numbers, got 'abc'"),
    (sparse("5 6", "5 6,5"), 5, "costs must be numbers, got '6,5'"),
    (sparse("5 6", "5 1-6"), 5, "costs must be numbers, got '1-6'"),
    (sparse("5 6", "5 1_0"), 5, "costs must be numbers, got '1_0'"),
    (sparse("5 6", "5 0x6"), 5, "costs must be numbers, got '0x6'"),
    (sparse("5 6", "5 six\u00a0"), 5, "costs must be numbers, got 'six"),
    (sparse("5 6", "5 " + "x" * 99), 5, f"got '{'x' * 40}\\.\\.\\.'"),
    (sparse("5 6", "5 -6"), 5, "costs must be finite and >= 0, got -6"),
    (sparse("5 6", "inf 6"), 5, "costs must be finite and >= 0, got inf"),
    (sparse("7 8 9", "7 NaN 9"), 6, "weights must be finite and >= 0, got NaN"),
    (sparse("7 8 9", "7 8 1e400"), 6, "weights must be finite and >= 0, got 1e400"),
    (sparse("7 8 9", "1e308 1e308 1e308"), None, "weights must have a finite sum"),
    (
        sparse("7 8 9\n", "7 8"),
        6,
        "weights must be 3 numbers, got 2 before the file ends",
    ),
    (sparse("7 8 9", "7 8 9\n\n10"), 8, "must end after the weights, got '10'"),
    (sparse("7 8 9", "7 8 9 end"), 6, "must end after the weights, got 'end'"),
]
SET_COVER_FILES = [
    (b"2 x", 1, "the number of columns must be a number, got 'x'"),
    (b"-2 3", 1, "the number of rows must be a whole number"),
    (f"{2**31 - 1} 1\n1\n".encode(), 2, "size of row 1 must be a number, got the end"),
    (f"{HUGE} 3\n".encode(), 1, "the number of rows must be a whole number"),
    (b"1 2\n4 -5\n0", 2, "costs must be finite and >= 0, got -5"),
    (b"1 2\n4 5\n3\n1 2 2", 3, "size of row 1 must be a whole number from 0 to 2"),
    (
        b"2 2\n4 5\n1\n1\n2\n1 2.5",
        6,
        "columns must be whole numbers from 1 to 2, got 2.5",
    ),
    (b"2 2\n4 5\n1\n1\n2\n1 0", 6, "columns must be whole numbers from 1 to 2, got 0"),
    (b"2 2\n4 5\n1\n1\n2\n1", 6, "row 2 must be 2 numbers, got 1 before the file ends"),
    (b"2 2\n4 5\n1\n1\n2\n1 x", 6, "row 2 must be numbers, got 'x'"),
    (b"2 2\n4 5\n1\n1\n2\n2 2", 6, "the columns of row 2 must differ, got 2 twice"),
    (SET_COVER.encode() + b"7", 7, "must end after the last row, got '7'"),
]
DENSE_FILES = [
    (
        b"\nm=2 n=3 size=4\n1",
        2,
        "the first line must read 'm=<items> .* got 'm=2 n=3 s",
    ),
    (dense("m=2", "m=2.5"), 1, "the number of items must be a whole number"),
    (
        dense("n=3", "n=three"),
        1,
        "the number of elements must be a number, got 'three'",
    ),
    (dense("size=4", "size=-4"), 1, "knapsack size must be finite and >= 0, got -4"),
    (dense("m=2", f"m={HUGE}"), 1, "the number of items must be a whole number"),
    (dense("m=2", "m=1000000000"), 11, "costs must be 1000000000 numbers, got 11"),
    (dense("5 6", "5 -6"), 4, "costs must be finite and >= 0, got -6"),
    (dense("7 8 9", "7 8 !"), 7, "weights must be numbers, got '!'"),
    (dense("0 0 1", "0 2 1"), 11, "the matrix must hold 0 and 1, got 2"),
    (dense("0 0 1", "0 1"), 11, "the matrix must be 6 numbers, got 5"),
    (dense("0 0 1", "0 0 1 1"), 11, "must end after the matrix, got '1'"),
]
JSON_FILES = [
    (b'{"format": "thatch-coverage",\n "version": }', 2, "must be JSON, got a slip at"),
    (b"[1, 2]", None, "must hold one object, got a list"),
    (b"[" * 100_000, None, "lists must be nested at most twice"),
    (b"9" * 5000, None, "numbers must be finite, got one with thousands of digits"),
    (b"{}", None, "format must be 'thatch-coverage', got no such field"),
    (
        own_json(format="geojson"),
        None,
        "format must be 'thatch-coverage', got 'geojson'",
    ),
    (own_json(version=2), None, "version must be 1, got 2"),
    (own_json(version=True), None, "version must be 1, got true"),
    (own_json(cost=[1]), None, "fields must be among format, .* got 'cost'"),
    (b'{"budget": 1, "budget": 2}', None, "fields must differ, got 'budget' twice"),
    (own_json(budget=float("nan")), None, "numbers must be finite, got NaN"),
    (own_json(costs=[1, float("-inf")]), None, "numbers must be finite, got -Infinity"),
    (own_json(budget="4"), None, "budget must be a number, got '4'"),
    (own_json(budget=-4), None, "budget must be finite and >= 0, got -4"),
    (own_json(budget=10**400), None, "budget must be finite and >= 0, got 1000"),
    (own_json(costs=5), None, "costs must be a list of numbers, got 5"),
    (own_json(costs=[5, "x"]), None, "costs must be numbers, got 'x' at item 1"),
    (own_json(costs=[5, None]), None, "costs must be numbers, got null at item 1"),
    (own_json(costs=[True, 6]), None, "costs must be numbers, got true at item 0"),
    (own_json(costs=[5, {}]), None, "costs must be numbers, got an object at item 1"),
    (own_json(costs=[5]), None, "costs must be one an item, got 1 for 2 sets"),
    (own_json(weights=[7, 8, -9]), None, "weights must be finite .* -9 at element 2"),
    (own_json(weights=[10**400, 8, 9]), None, "weights must be finite and >= 0"),
    (own_json(sets=...), None, "sets must be a list of .* got no such field"),
    (own_json(sets=[[0], 1]), None, "sets must be lists .* got 1 at item 1"),
    (
        own_json(sets=[[0], ["a"]]),
        None,
        "sets must hold element numbers, .* 'a' at item 1",
    ),
    (
        own_json(sets=[[0], [1.0]]),
        None,
        "sets must hold element numbers, .* 1.0 at item",
    ),
    (own_json(sets=[[0], [-1]]), None, "sets must hold element numbers, .* got -1 at"),
    (own_json(sets=[[0], [3]]), None, "sets must hold .* < 3, got 3 at item 1"),
    (
        own_json(sets=[[HUGE], []], weights=...),
        None,
        "sets must hold .* < 100000000, got",
    ),
    (
        own_json(sets=[[0, 0], []]),
        None,
        "edges must not repeat, .* item 0 to element 0",
    ),
    (own_json(item_names="ab"), None, "item_names must be a list of strings, got 'ab'"),
    (own_json(item_names=["a", 2]), None, "item_names must be strings, got 2 at 1"),
    (own_json(item_names=["a"]), None, "item names must be one an item, got 1 for 2"),
    (own_json(item_names=["a", "a"]), None, "item names must differ, got 'a' twice"),
]
NPZ_FILES = [
    (b"not an archive", "must be an .npz archive of plain arrays, got another kind"),
    (alone([1, 2]), "must be an .npz archive of plain arrays, got another kind"),
    (npz()[:-40], "must be an .npz archive of plain arrays, got a damaged one"),
    (npz(costs=np.array([{}, {}])), "archive of plain arrays, got a damaged one"),
    (npz(magic=...), "magic must be there, got no such array"),
    (npz(magic="thatch-coverage 2"), "magic must be 'thatch-coverage 1', got 'thatch"),
    (npz(magic=1), "magic must be strings in 0 dimensions, got int64 in 0"),
    (npz(budget=[4.0]), "budget must be numbers in 0 dimensions, got float64 in 1"),
    (npz(budget=np.inf), "budget must be finite and >= 0, got inf"),
    (npz(costs=...), "costs must be there, got no such array"),
    (npz(costs=[5.0, np.nan]), "costs must be finite and >= 0, got nan at item 1"),
    (npz(costs=["5", "6"]), "costs must be numbers in 1 dimensions, got <U1 in 1"),
    (npz(costs=[5.0]), "item_start must be one number more than the 1 costs, got 3"),
    (npz(weights=[[7.0]]), "weights must be numbers in 1 dimensions, got float64 in 2"),
    (npz(weights=[7.0]), "edges must name one of the 1 elements, .* got element 1"),
    (npz(item_start=[0.0, 2.0, 3.0]), "item_start must be whole numbers in 1 dim"),
    (npz(item_start=[1, 2, 3]), "item_start must ascend from 0 to the number"),
    (npz(item_start=[0, 4, 3]), "item_start must ascend from 0 to the number"),
    (npz(item_start=[0, 2, 2]), "item_start must ascend from 0 to the number"),
    (
        npz(item_elements=[0, 1, -2]),
        "item_elements must be from 0 to .* got -2 at edge 2",
    ),
    (
        npz(item_elements=np.array([0, 1, 2**64 - 1], np.uint64)),
        "item_elements must be",
    ),
    (npz(item_elements=[0, 0, 1]), "edges must not repeat, got the edge from item 0"),
    (npz(item_names=[1, 2]), "item_names must be strings in 1 dimensions, got int64"),
    (npz(item_names=["a"]), "item names must be one an item, got 1 for 2 items"),
    (
        npz(item_names=np.frombuffer(b"\xff" * 8, dtype="<U1")),
        "item_names must be strings, got one that is not Unicode",
    ),
]
BAD_FILES = [
    *ANY_FILE,
    *(("a.txt", *rest) for rest in SPARSE_FILES + SET_COVER_FILES + DENSE_FILES),
    *(("a.json", *rest) for rest in JSON_FILES),
    *(("a.npz", content, None, message) for content, message in NPZ_FILES),
]


@pytest.mark.parametrize(("name", "content", "line", "message"), BAD_FILES)
def test_a_bad_file_is_told_in_one_sentence_with_its_place(
    tmp_path, name, content, line, message
):
    target = tmp_path / name
    target.write_bytes(content)
    with pytest.raises(FileFormatError, match=message) as caught:
        read_instance(target, budget=1)
    place = str(target) if line is None else f"{target}, line {line}"
    assert caught.value.message.startswith(f"{place}: ")
    assert caught.value.message.endswith(".") and "\n" not in caught.value.message
    assert caught.value.hint
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
def test_without_what_is_bad_they_can_be_read(tmp_path, name, content):
    target = tmp_path / name
    target.write_bytes(content)
    assert read_instance(target, budget=1).num_edges == 3


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.scp", SET_COVER.encode()), ("a.json", own_json(budget=...))],
)
def test_a_budget_must_come_from_somewhere(tmp_path, name, content):
    target = tmp_path / name
    target.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_instance(target)
    assert caught.value.message == f"budget must be given: {target} holds none."
    assert caught.value.hint == "Pass --budget, or budget=... in Python."


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(InputError, match=r"missing\.txt cannot be read: No such file"):
        read_instance(tmp_path / "missing.txt")


def test_a_folder_is_told(tmp_path):
    with pytest.raises(InputError, match="must be a file, got the folder") as caught:
        read_instance(tmp_path)
    assert caught.value.hint == "Name a file inside it."


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="only Linux has /proc")
def test_a_file_that_fails_while_it_is_read_is_told():
    with pytest.raises(InputError, match="/proc/self/mem cannot be read: "):
        read_instance("/proc/self/mem")


STARTS = [SPARSE, SET_COVER, DENSE, own_json().decode()]
words = st.sampled_from(
    ["0", "-1", "2", "1.5", "nan", "1e18", "x", "m=", "[", "]", ","]
)


@st.composite
def spoilt_texts(draw):
    """A good text with some of its words removed, repeated or replaced."""
    parts = draw(st.sampled_from(STARTS)).replace(" ", " \0").split("\0")
    for _ in range(draw(st.integers(1, 3))):
        first = draw(st.integers(0, len(parts)))
        parts[first : first + draw(st.integers(0, 2))] = draw(
            st.lists(words.map(lambda word: f"{word} "), max_size=2)
        )
    return "".join(parts).encode()


@st.composite
def spoilt_archives(draw):
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
    content=st.binary(max_size=60) | spoilt_texts() | spoilt_archives(),
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
