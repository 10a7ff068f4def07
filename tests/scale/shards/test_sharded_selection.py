"""What a selection on shards covers, against the same one in memory."""

import numpy as np
import pytest
from refusals import refused
from shard_tools import SHORT, ThisProcess, graph_problem, sharded

from thatch import CoverageProblem, solve
from thatch.errors import InputError
from thatch.problem.selection import Selection
from thatch.scale import shard_edges


@pytest.mark.parametrize("num_shards", [1, 3])
def test_elements_are_in_the_order_of_the_shards(tmp_path, num_shards):
    problem = graph_problem(num_items=100, budget=80.0)
    shards = sharded(problem, tmp_path, num_shards)
    found = solve(shards, SHORT, engine=ThisProcess()).selection
    same = Selection(problem, found.items)
    assert np.array_equal(found.cover_counts, same.cover_counts)
    assert found.cover_counts.dtype == np.int32
    assert not found.cover_counts.flags.writeable
    assert np.array_equal(found.covered, same.covered)


def test_shards_from_tables_have_an_order_of_their_own(tmp_path):
    table = tmp_path / "edges.csv"
    table.write_text("item,element\n0,a\n0,b\n1,b\n1,c\n1,d\n")
    shards = shard_edges(table, tmp_path / "shards", budget=2, num_shards=2)
    found = solve(shards, SHORT, engine=ThisProcess()).selection
    assert sorted(found.cover_counts.tolist()) == [1, 1, 1, 2]
    assert found.covered.all()


def test_shards_without_elements_have_no_counts(tmp_path):
    problem = CoverageProblem.from_edges([], costs=[1.0], weights=[], budget=1)
    found = solve(sharded(problem, tmp_path, 1), SHORT, engine=ThisProcess())
    assert found.selection.cover_counts.size == found.selection.covered.size == 0


def test_what_needs_the_edges_of_all_shards_is_refused(tmp_path):
    shards = sharded(graph_problem(num_items=20, budget=9.0), tmp_path)
    result = solve(shards, SHORT, engine=ThisProcess())
    with refused(InputError, "redundant", "shards"):
        result.selection.without_redundant_items()
    with refused(InputError, "elements", "shards"):
        result.elements_frame()
    with refused(InputError, "locations"):
        result.to_geojson(include_elements=True)
