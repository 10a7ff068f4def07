"""The two set cover formats of OR-Library, which start alike."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from thatch.errors import FileFormatError, InputError
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.instances import FileFormat, read_instance, write_instance
from thatch.problem.instances.toy import greedy_trap

# Three rows; columns {1, 2} for 2, {3} for 1, none for 1, {1, 3} for 2.
BY_COLUMN = "3 4\n2 2 1 2\n1 1 3\n1 0\n2 2 1 3\n"
BY_ROW = "3 4\n2 1 1 2\n2\n1 4\n1\n1\n2\n2 4\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tiny.rail", BY_COLUMN),
        ("tiny.txt", BY_COLUMN),
        ("tiny", BY_COLUMN.replace("\n", " \r\n ")),
        ("tiny.txt", BY_COLUMN.replace("2 2 1 3", "2 2\n1\n3")),
        ("tiny.scp", BY_ROW),
        ("tiny.txt", BY_ROW),
    ],
)
def test_both_formats_give_the_same_problem(tmp_path, name, text):
    target = tmp_path / name
    target.write_text(text, newline="")
    problem = read_instance(target, budget=3)
    assert problem.costs.tolist() == [2, 1, 1, 2]
    assert problem.weights.tolist() == [1, 1, 1]
    covers = [problem.edges.elements_of(i).tolist() for i in range(4)]
    assert covers == [[0, 1], [2], [], [0, 2]]


def test_the_text_of_a_problem_is_exactly_this(tmp_path):
    (tmp_path / "tiny.scp").write_text(BY_ROW)
    problem = read_instance(tmp_path / "tiny.scp", budget=1)
    write_instance(problem, tmp_path / "tiny.rail")
    assert (tmp_path / "tiny.rail").read_text() == BY_COLUMN


@pytest.mark.parametrize("form", [FileFormat.SET_COVER, FileFormat.RAIL])
@pytest.mark.parametrize("cost", [1, 10])
def test_formats_are_told_apart_by_their_counts(tmp_path, form, cost):
    """Twelve costs of 10 on a line look like a column of ten rows."""
    rng = np.random.default_rng(3)
    problem = CoverageProblem.from_matrix(
        rng.random((36, 20)) < 0.3, costs=[cost] * 36, budget=5
    )
    write_instance(problem, tmp_path / "problem", format=form)
    again = read_instance(tmp_path / "problem", budget=5)
    np.testing.assert_array_equal(again.costs, problem.costs)
    edges = again.edges.item_elements, again.edges.item_start
    np.testing.assert_array_equal(edges[0], problem.edges.item_elements)
    np.testing.assert_array_equal(edges[1], problem.edges.item_start)


@pytest.mark.parametrize(
    ("text", "line", "facts"),
    [
        ("3 x\n", 1, ["number of columns", "'x'"]),
        ("3 2\n2 2 1 2\n-1 1 3\n", 3, ["costs", "-1"]),
        ("3 2\n2 2 1 2\n1 4 1 2 3 3\n", 3, ["size of column 2", "4", "0 to 3"]),
        ("3 2\n2 2 1 4\n1 1 3\n", 2, ["rows", "4", "1 to 3"]),
        ("3 2\n2 2 1 1\n1 1 3\n", 2, ["row 1", "column 1"]),
        ("3 2\n2 2 1 2\n1 1\n", 3, ["column 2", "end of the file"]),
        ("3 2\n2 2 1 2\n", 2, ["cost of column 2", "end of the file"]),
        ("3 1\n2 2 1 2\n7\n", 3, ["last column", "'7'"]),
    ],
)
@pytest.mark.parametrize("name", ["tiny.rail", "tiny.txt"])
def test_errors_name_the_place(tmp_path, name, text, line, facts):
    (tmp_path / name).write_text(text)
    with refused(FileFormatError, *facts) as caught:
        read_instance(tmp_path / name, budget=1)
    assert caught.value.line == line


def test_weights_cannot_be_stored(tmp_path):
    with refused(InputError, "weights['a']", 3):
        write_instance(greedy_trap().problem, tmp_path / "toy.rail")
