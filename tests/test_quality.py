"""How `benchmarks/quality.py` compares covers: without thatch, and fairly."""

import importlib
import sys
import tarfile
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(scope="module")
def imported():
    """Import modules of the benchmarks, which find each other in their folder."""
    sys.path.insert(0, str(FOLDER))
    yield importlib.import_module
    sys.path.remove(str(FOLDER))


@pytest.fixture
def model(imported):
    """Items 1 and 2 cover elements 1 and 2; nothing covers the last one."""
    return imported("method_process").Model(
        costs=np.array([1.0, 1.0, 1.0]),
        weights=np.ones(4),
        budget=0.0,
        element_start=np.array([0, 1, 3, 4, 4]),
        element_items=np.array([0, 0, 1, 1]),
        is_cover=True,
    )


def answer(items, **changed):
    empty = {"values": [], "bounds": [], "value": np.nan, "is_verified": None}
    return {**empty, "items": items, "bound": np.nan, "seconds": 1.0, **changed}


def outcome(imported, method, value, **changed):
    """What a method reached on the only instance."""
    fields = {"instance": "a", "family": "f", "seed": 1, "max_seconds": 1.0}
    fields |= {"threads": 1, "bound": np.nan, "seconds": 1.0, "values": []}
    fields |= {"is_cover": True, "method": method, "value": value, **changed}
    return imported("quality_results").Outcome(**fields)


def test_cost_of_a_cover_is_its_value(imported, model):
    found = imported("quality_methods").checked(None, model, answer([0, 1]))
    assert (found.value, found.values) == (2.0, [(1.0, 2.0)])


@pytest.mark.parametrize("items", [[], [0], [2], [0, 1, 1]])
def test_what_is_no_cover_is_left_out(imported, model, items):
    methods = imported("quality_methods")
    with pytest.raises(methods.LeftOutError):
        methods.checked(None, model, answer(items))


def test_bounds_on_whole_costs_are_rounded_up(imported, model):
    found = imported("quality_methods").checked(
        None, model, answer([0, 1], bound=1.2, bounds=[(0.5, 1.0)])
    )
    assert (found.bound, found.bounds) == (2.0, [(0.5, 1.0), (1.0, 2.0)])


def test_no_bound_counts_that_is_not_claimed_in_the_end(imported, model):
    found = imported("quality_methods").checked(
        None, model, answer([0, 1], bound=1.0, bounds=[(0.5, 2.0)])
    )
    assert (found.bound, found.bounds) == (1.0, [(0.5, 1.0)])


def test_costs_over_time_only_fall_and_bounds_only_rise(imported, model):
    task = imported("method_process").Task(model, 1.0, 1, 1)
    for number in (5.0, 6.0, np.nan, np.inf, 4.0):
        task.record(number)
        task.record_bound(number)
    assert [value for _, value in task.values] == [5.0, 4.0]
    assert [bound for _, bound in task.bounds] == [5.0, 6.0]


@pytest.mark.parametrize(
    ("mine", "theirs", "is_cover", "expected"),
    [
        (3, 4, True, (1, 0, 0)),
        (3, 4, False, (0, 0, 1)),
        (3, 3, True, (0, 1, 0)),
        (3, None, True, (1, 0, 0)),
    ],
)
def test_lower_costs_and_higher_values_are_better(
    imported, mine, theirs, is_cover, expected
):
    ours = outcome(imported, "auto", mine, is_cover=is_cover)
    others = [] if theirs is None else [outcome(imported, "root", theirs)]
    results = imported("quality_results")
    assert results.better_equal_worse([ours], others) == expected


def test_the_cheapest_cover_is_the_best_value(imported):
    both = [outcome(imported, "auto", 4, bound=3), outcome(imported, "root", 5)]
    results = imported("quality_results")
    assert results.best_values(both) == {"a": 4}
    assert (results.shortfall(5, 4), both[0].gap) == (0.25, 0.25)


def test_runs_without_a_value_are_far_away(imported):
    reached = outcome(imported, "auto", 5, values=[(0.5, 5)])
    means = imported("quality_plots").mean_distances(
        [reached], "values", {"a": 4}, np.array([0.1, 1.0]), count=2
    )
    assert np.isnan(means[0])
    assert means[1] == (0.25 + 1.0) / 2


def test_root_reads_a_hitting_set(imported, model, tmp_path):
    path = tmp_path / "sets.hgr"
    imported("root_method").write_sets(model, path)
    assert path.read_text() == "p hs 3 3\n1\n1 2\n2\n"


def test_packed_instances_are_read(imported, tmp_path):
    (tmp_path / "ds/heuristic").mkdir(parents=True)
    (tmp_path / "heuristic_005.gr").write_text("p ds 3 1\n1 2\n")
    packed = tmp_path / "ds/heuristic/heuristic_005.gr.tar.xz"
    with tarfile.open(packed, "w:xz") as archive:
        archive.add(tmp_path / "heuristic_005.gr", "heuristic_005.gr")
    (case,) = imported("quality_downloads").downloaded_cases(
        {"ds-heuristic-005"}, pace=tmp_path, sites=None
    )
    assert case.is_cover
    assert case.build().num_edges == 5


def test_families_without_their_folder_say_where_it_is(imported):
    downloads = imported("quality_downloads")
    cases = downloads.downloaded_cases(set(downloads.DOWNLOADS), pace=None, sites=None)
    left_out = imported("quality_methods").LeftOutError
    for case in cases:
        with pytest.raises(left_out, match=r"https://github\.com"):
            case.build()


def test_sites_cover_the_demand_within_the_radius(imported, tmp_path):
    (tmp_path / "data/BDS").mkdir(parents=True)
    file = tmp_path / "data/BDS/BDS10000A.txt"
    file.write_text("1 2\nF\t0\t0.0\t0.0\t1\nC\t0\t0.0\t3.25\t7\nC\t1\t3.0\t3.0\t9\n")
    (case,) = imported("quality_downloads").downloaded_cases(
        {"bds-10000A"}, pace=None, sites=tmp_path
    )
    problem = case.build()
    assert (problem.num_edges, problem.weights.tolist()) == (1, [7.0, 9.0])
