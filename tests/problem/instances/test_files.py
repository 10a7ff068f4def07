"""What is written is what is read, and what a file looks like."""

from __future__ import annotations

import errno
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from refusals import refused

from thatch.errors import InputError, InputTypeError
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.instances.files import FileFormat, read_instance, write_instance
from thatch.problem.instances.toy import cheap_crumb, greedy_trap, path

EVERY_FORMAT = [form for form in FileFormat if form.value not in {".gr", ".hgr"}]
READ = [form for form in EVERY_FORMAT if form.value not in {".mps", ".lp"}]
HOLDS_NAMES = {FileFormat.JSON, FileFormat.NPZ}
DEVICE_WITHOUT_ROOM = Path("/dev/full")

amounts = st.one_of(
    st.integers(0, 2**60).map(float),
    st.floats(0, 1e300, allow_nan=False, allow_subnormal=True),
)
every_write_replaces_the_last = settings(
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@st.composite
def names_of(draw, count):
    # A final NUL is what NumPy's strings cannot hold.
    name = st.text(max_size=5).filter(lambda text: not text.endswith("\0"))
    return draw(st.none() | st.lists(name, min_size=count, max_size=count, unique=True))


@st.composite
def problems(draw, weights=amounts):
    num_items, num_elements = draw(st.integers(0, 6)), draw(st.integers(0, 6))
    cells = [(i, a) for i in range(num_items) for a in range(num_elements)]
    return CoverageProblem.from_edges(
        draw(st.lists(st.sampled_from(cells), unique=True)) if cells else [],
        costs=draw(st.lists(amounts, min_size=num_items, max_size=num_items)),
        weights=draw(st.lists(weights, min_size=num_elements, max_size=num_elements)),
        budget=draw(amounts),
        item_names=draw(names_of(num_items)),
        element_names=draw(names_of(num_elements)),
    )


def assert_same(one, other):
    np.testing.assert_array_equal(one.costs, other.costs)
    np.testing.assert_array_equal(one.weights, other.weights)
    np.testing.assert_array_equal(one.edges.item_start, other.edges.item_start)
    np.testing.assert_array_equal(one.edges.item_elements, other.edges.item_elements)
    assert one.budget == other.budget


def written(problem, folder, form):
    target = folder / f"problem{form.value}"
    write_instance(problem, target)
    return target


@pytest.mark.parametrize("form", sorted(HOLDS_NAMES, key=str))
@every_write_replaces_the_last
@given(problem=problems())
def test_complete_formats_preserve_everything(tmp_path, form, problem):
    again = read_instance(written(problem, tmp_path, form))
    assert_same(again, problem)
    assert again.item_names == problem.item_names
    assert again.element_names == problem.element_names


@pytest.mark.parametrize("form", [FileFormat.SPARSE, FileFormat.DENSE])
@every_write_replaces_the_last
@given(problem=problems())
def test_sparse_and_dense_text_lose_names_alone(tmp_path, form, problem):
    again = read_instance(written(problem, tmp_path, form))
    assert_same(again, problem)
    assert again.item_names is None and again.element_names is None


@pytest.mark.parametrize("form", [FileFormat.SET_COVER, FileFormat.RAIL])
@every_write_replaces_the_last
@given(problem=problems(weights=st.just(1.0)))
def test_set_cover_loses_names_and_budget(tmp_path, form, problem):
    target = written(problem, tmp_path, form)
    assert_same(read_instance(target, budget=problem.budget), problem)


def test_names_are_written_as_they_are_read(tmp_path):
    problem = CoverageProblem.from_sets({"Köln\n": ["東京"]}, budget=1)
    target = written(problem, tmp_path, FileFormat.JSON)
    assert read_instance(target).item_names == ("Köln\n",)
    assert "東京" in target.read_text(encoding="utf-8")


JSON_TEXT = """\
{
  "format": "thatch-coverage",
  "version": 1,
  "budget": 2,
  "costs": [1, 1, 1],
  "weights": [3, 5, 5, 3],
  "sets": [
    [1, 2],
    [0, 1],
    [2, 3]
  ],
  "item_names": ["bait", "left", "right"],
  "element_names": ["a", "b", "c", "d"]
}
"""
SPARSE_TEXT = """\
3 4 6 2
1 2
1 3
2 1
2 2
3 3
3 4
1 1 1
3 5 5 3
"""
DENSE_TEXT = """\
m=3 n=4 knapsack size=2

The weight of 3 items_next
1 1 1

The profit of 4 elements_next
3 5 5 3

Relation matix
0 1 1 0
1 1 0 0
0 0 1 1
"""


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (FileFormat.JSON, JSON_TEXT),
        (FileFormat.SPARSE, SPARSE_TEXT),
        (FileFormat.DENSE, DENSE_TEXT),
    ],
)
def test_the_text_of_a_toy_is_exactly_this(tmp_path, form, text):
    target = written(greedy_trap().problem, tmp_path, form)
    assert target.read_bytes().decode() == text


def test_set_cover_wraps_at_twelve_numbers(tmp_path):
    target = written(path(13).problem, tmp_path, FileFormat.SET_COVER)
    text = target.read_bytes().decode()
    assert text.startswith("14 13\n1 1 1 1 1 1 1 1 1 1 1 1\n1\n1\n1\n2\n1 2\n2\n2 3\n")
    assert text.endswith("\n2\n12 13\n1\n13\n")


def test_npz_contains_the_documented_arrays_and_is_reproducible(tmp_path):
    target = written(cheap_crumb().problem, tmp_path, FileFormat.NPZ)
    first = target.read_bytes()
    with np.load(target, allow_pickle=False) as arrays:
        assert arrays["magic"] == "thatch-coverage 1"
        assert arrays["item_start"].tolist() == [0, 1, 2]
        assert arrays["item_elements"].tolist() == [0, 1]
        assert arrays["item_names"].tolist() == ["crumb", "loaf"]
    assert (
        written(cheap_crumb().problem, tmp_path, FileFormat.NPZ).read_bytes() == first
    )
    with zipfile.ZipFile(target) as archive:
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}


def test_fractions_are_written_to_the_last_digit_and_whole_numbers_bare(tmp_path):
    problem = CoverageProblem.from_edges(
        [(0, 0)], costs=[0.1 + 0.2], weights=[1e300], budget=2**53
    )
    target = written(problem, tmp_path, FileFormat.SPARSE)
    text = "1 1 1 9007199254740992\n1 1\n0.30000000000000004\n1e+300\n"
    assert target.read_text() == text


def test_json_needs_neither_costs_nor_weights_nor_names(tmp_path):
    target = tmp_path / "tiny.JSON"
    fields = '{"format": "thatch-coverage", "version": 1, "sets": [[3], [], [0, 1]]}'
    target.write_bytes(b"\xef\xbb\xbf" + fields.encode())
    problem = read_instance(target, budget=2)
    assert problem.costs.tolist() == [1, 1, 1]
    assert problem.weights.tolist() == [1, 1, 1, 1]
    assert problem.edges.elements_of(2).tolist() == [0, 1]


@pytest.mark.parametrize(
    "text",
    [
        "\r\n\r\n 2 2 2 1.5 \r\n1 1\r\n2 2\r\n3 4\r\n5 6\r\n",
        "\ufeff2 2 2 1.5\n2 2 1 1\n3\n4 5\n6",
        "m = 2 n= 2 knapsack size =1.5\nKosten\n3\n4\n\n重み\n5\n6\nMatrix\n1 0 0\n1\n",
        "\n\n M=2, N=2, Knapsack size=1.5\n  The weight of 2\n3 4\n5 6\n1 0\n0 1",
        (
            '{"format": "thatch-coverage", "version": 1, "budget": 1.5,'
            '"costs": [3, 4], "weights": [5, 6], "sets": [[0], [1]]}'
        ),
    ],
)
@pytest.mark.parametrize("name", ["tiny.txt", "tiny", "tiny.dat"])
def test_formats_of_text_are_recognized_by_their_first_line(tmp_path, name, text):
    target = tmp_path / name
    target.write_bytes(text.encode())
    problem = read_instance(target)
    assert problem.costs.tolist() == [3, 4] and problem.weights.tolist() == [5, 6]
    assert problem.edges.element_items.tolist() == [0, 1]
    assert problem.budget == 1.5


def test_or_library_set_cover_has_rows_as_elements(tmp_path):
    target = tmp_path / "scp.txt"
    target.write_text(" 3 2 \n 7 8 \n 1 \n 2 \n 0 \n 2 \n 1 \n 2 \n \n")
    problem = read_instance(target, budget=9)
    assert problem.costs.tolist() == [7, 8]
    assert problem.weights.tolist() == [1, 1, 1]
    assert problem.edges.elements_of(1).tolist() == [0, 2]


def test_a_given_budget_replaces_that_of_the_file(tmp_path):
    target = written(greedy_trap().problem, tmp_path, FileFormat.SPARSE)
    assert read_instance(target).budget == 2
    assert read_instance(str(target), budget=0.5).budget == 0.5


def test_unit_costs_replace_those_of_the_file(tmp_path):
    target = written(cheap_crumb().problem, tmp_path, FileFormat.JSON)
    assert read_instance(target, unit_costs=True).costs.tolist() == [1, 1]


def test_a_bad_budget_is_not_blamed_on_the_file(tmp_path):
    target = written(greedy_trap().problem, tmp_path, FileFormat.JSON)
    with pytest.raises(InputError, match=r"^budget.* -1"):
        read_instance(target, budget=-1)


def test_the_format_given_overrides_the_suffix(tmp_path):
    target = tmp_path / "toy.out"
    write_instance(greedy_trap().problem, target, format=FileFormat.SPARSE)
    assert target.read_text() == SPARSE_TEXT


@pytest.mark.parametrize("form", READ)
def test_upper_case_suffixes_are_known(tmp_path, form):
    target = tmp_path / f"toy{form.value.upper()}"
    write_instance(path(4).problem, target)
    assert_same(read_instance(target, budget=2), path(4).problem)


def test_an_unknown_suffix_cannot_be_written(tmp_path):
    with refused(InputError, "toy.xml") as caught:
        write_instance(greedy_trap().problem, tmp_path / "toy.xml")
    assert ".json" in caught.value.hint


def test_a_format_named_by_a_string_is_refused(tmp_path):
    with refused(InputTypeError, "format", "'json'"):
        write_instance(greedy_trap().problem, tmp_path / "toy.json", format="json")


@pytest.mark.parametrize(
    ("problem", "name", "facts"),
    [
        (
            greedy_trap().problem,
            "toy.scp",
            ["weights['a']", 3],
        ),
        (
            CoverageProblem.from_sets([[0]], weights=[0.5], budget=1),
            "toy.scp",
            ["weights[0]", 0.5],
        ),
        (
            CoverageProblem.from_sets({"nul\0": ["a"]}, budget=1),
            "toy.npz",
            ["item_names", repr("nul\0")],
        ),
    ],
)
def test_a_failed_write_leaves_the_old_file_and_no_other(
    tmp_path, problem, name, facts
):
    target = tmp_path / name
    target.write_text("old")
    with refused(InputError, *facts):
        write_instance(problem, target)
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.skipif(not DEVICE_WITHOUT_ROOM.exists(), reason="only Linux has /dev/full")
@pytest.mark.parametrize("form", EVERY_FORMAT)
def test_a_full_disk_is_reported(form):
    with refused(InputError, "/dev/full", os.strerror(errno.ENOSPC)):
        write_instance(path(3).problem, DEVICE_WITHOUT_ROOM, format=form)


def test_a_missing_folder_cannot_be_written_to(tmp_path):
    with refused(InputError, "missing"):
        write_instance(path(3).problem, tmp_path / "missing" / "toy.json")
