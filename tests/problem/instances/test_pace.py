"""Files of PACE 2025: dominating sets (.gr) and hitting sets (.hgr)."""

import networkx
import numpy as np
import pytest
from refusals import refused

from thatch import CoverageProblem, cover
from thatch.errors import FileFormatError, InputError
from thatch.problem.instances import read_instance, write_instance

GRAPH = """c a path, and a node alone
p ds 5 3
1 2
c in between
2 3
3 4
"""
SETS = "p hs 4 3\n1 2\n\n 2 3 \n4\n"


@pytest.fixture
def read(tmp_path):
    def from_text(text, name="tiny.gr"):
        (tmp_path / name).write_text(text)
        return read_instance(tmp_path / name, budget=1)

    return from_text


@pytest.mark.parametrize("name", ["tiny.gr", "tiny.txt"])
def test_a_graph_is_read(read, name):
    problem = read(GRAPH, name)
    graph = networkx.path_graph(4)
    graph.add_node(4)
    expected = CoverageProblem.dominating_set(graph)
    for which in ("item_start", "item_elements"):
        np.testing.assert_array_equal(
            getattr(problem.edges, which), getattr(expected.edges, which)
        )
    assert cover(problem).cost == 3.0


@pytest.mark.parametrize("name", ["tiny.hgr", "tiny"])
def test_sets_are_read(read, name):
    problem = read(SETS, name)
    members = [problem.edges.items_of(a).tolist() for a in range(3)]
    assert members == [[0, 1], [1, 2], [3]]
    assert cover(problem).selection.items.tolist() == [1, 3]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("1 2\n", ["p ds"]),
        ("p vc 3 1\n1 2\n", ["p ds"]),
        ("p ds 3 2\n1 2\n", ["edges"]),
        ("p ds 3 1\n1 4\n", ["line 2", 4, 3]),
        ("c\np ds 3 1\n1 2\n3 1\n", ["line 4", 3]),
        ("p ds 3 1\n1 x\n", ["line 2", "x"]),
        ("p hs 3 2\n1 2\n", [1, 2]),
        ("p hs 3 1\n0 2\n", ["line 2", 0]),
        ("p hs 3 1\n1 2\nend\n", ["line 3", "end"]),
        ("p ds 2147483647 0\n", [2147483647]),
        ("p hs\n", ["members"]),
    ],
)
def test_what_is_wrong_is_named_with_its_line(read, text, facts):
    with refused(FileFormatError, "tiny.gr", *facts):
        read(text)


def test_the_formats_are_not_written(tmp_path):
    problem = CoverageProblem.from_sets([{0}], budget=1)
    with refused(InputError, ".gr"):
        write_instance(problem, tmp_path / "tiny.gr")


def test_the_command_line_covers_a_graph(thatch, tmp_path):
    (tmp_path / "tiny.gr").write_text(GRAPH)
    code, out, _ = thatch("cover", "tiny.gr")
    assert code == 0
    assert "proved cheapest" in out
