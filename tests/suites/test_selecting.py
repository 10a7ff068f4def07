from itertools import combinations
from math import ceil, inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from thatch import InputError
from thatch.suites import cheapest
from thatch.suites.cheapest import SearchLimits
from thatch.suites.recording import LineGroup, Recording
from thatch.suites.selecting import select_tests
from thatch.suites.suite import Suite

NODE_IDS = [f"tests/test_{k}.py::test" for k in range(8)]


def suite_of(covers, durations, *, node_ids=None, file="src/a.py"):
    """Suite of tests that each run a set of lines."""
    tests = tuple(NODE_IDS[: len(covers)])
    lines = sorted(set().union(*covers)) if covers else []
    groups = tuple(
        LineGroup(np.array([t for t, c in enumerate(covers) if n in c]), ((0, n),))
        for n in lines
    )
    known = dict(zip(tests, durations, strict=False))
    recording = Recording(tests, (file,), groups)
    return Suite.of(recording, node_ids=node_ids, durations=known)


covers = st.lists(st.sets(st.integers(1, 12)), min_size=1, max_size=7)
durations = st.lists(
    st.integers(0, 5000).map(lambda n: n / 1000), min_size=7, max_size=7
)
decided = st.lists(st.sampled_from(["", "", "", "required", "excluded"]), min_size=8)


def selections(covers, kinds):
    """All selections that keep the markers."""
    free = [t for t in range(len(covers)) if kinds[t] == ""]
    always = [t for t in range(len(covers)) if kinds[t] == "required"]
    for size in range(len(free) + 1):
        for chosen in combinations(free, size):
            yield [*always, *chosen]


def lines_of(covers, tests):
    return set().union(*(covers[t] for t in tests))


def cost_of(durations, tests):
    return sum(max(durations[t], 1e-6) for t in tests)


@given(covers, durations, decided, st.sampled_from([0.0, 0.5, 0.9, 0.95, 1.0]))
def test_no_selection_that_keeps_the_share_is_cheaper(covers, durations, kinds, share):
    report = select_tests(
        suite_of(covers, durations),
        share=share,
        required=[NODE_IDS[t] for t in range(len(covers)) if kinds[t] == "required"],
        excluded=[NODE_IDS[t] for t in range(len(covers)) if kinds[t] == "excluded"],
    )
    possible = list(selections(covers, kinds))
    coverable = len(lines_of(covers, possible[-1]))
    target = ceil(share * coverable - 1e-9)
    least = min(
        cost_of(durations, tests)
        for tests in possible
        if len(lines_of(covers, tests)) >= target
    )
    assert report.covered_lines == coverable
    assert report.lines >= target
    assert report.bound <= least + 1e-9
    assert report.seconds >= least - 1e-9
    assert report.seconds <= 1.0011 * least + 1e-9
    chosen = [NODE_IDS.index(test) for test in report.selected]
    assert len(lines_of(covers, chosen)) == report.lines
    assert cost_of(durations, chosen) == pytest.approx(report.seconds)
    assert sum(each.lost for each in report.lost) == coverable - report.lines


@given(covers, durations, decided, st.sampled_from([0.0, 0.3, 2.0, 9.0, 1e6]))
def test_no_selection_within_the_time_covers_more(covers, durations, kinds, seconds):
    suite = suite_of(covers, durations)
    required = [t for t in range(len(covers)) if kinds[t] == "required"]
    arguments = dict(
        seconds=seconds,
        required=[NODE_IDS[t] for t in required],
        excluded=[NODE_IDS[t] for t in range(len(covers)) if kinds[t] == "excluded"],
    )
    if cost_of(durations, required) > seconds:
        with refused(InputError, len(required)):
            select_tests(suite, **arguments)
        return
    report = select_tests(suite, **arguments)
    most = max(
        len(lines_of(covers, tests))
        for tests in selections(covers, kinds)
        if cost_of(durations, tests) <= seconds + 1e-9
    )
    assert report.seconds <= seconds + 1e-9
    assert report.lines <= most <= report.bound
    assert set(arguments["required"]) <= set(report.selected)
    assert not set(arguments["excluded"]) & set(report.selected)
    assert report.lines >= 0.998 * most


def test_tests_without_data_always_run_and_count():
    node_ids = [*NODE_IDS[:2], "tests/new.py::test"]
    suite = suite_of([{1, 2}, {2}], [1.0, 3.0], node_ids=node_ids)
    report = select_tests(suite, share=1.0)
    assert report.selected == [NODE_IDS[0], "tests/new.py::test"]
    # The duration of the new test is the median of the others.
    assert (report.seconds, report.bound, report.total_seconds) == (3.0, 3.0, 6.0)
    assert any(note.startswith("1 test without coverage data") for note in report.notes)
    assert any("median" in note for note in report.notes)
    with refused(InputError, "2 s", "1.5 s"):
        select_tests(suite, seconds=1.5)


def test_only_collected_tests_are_selected_and_counted():
    suite = suite_of([{1, 2}, {3}, {4}], [1, 1, 1], node_ids=NODE_IDS[:1])
    report = select_tests(suite, share=1.0)
    assert (report.num_tests, report.covered_lines) == (1, 2)
    assert any(note.startswith("2 tests in the coverage") for note in report.notes)


def test_without_durations_the_fewest_tests_are_selected():
    report = select_tests(suite_of([{1}, {2}, {1, 2}], []), share=1.0)
    assert report.selected == [NODE_IDS[2]]
    assert (report.seconds, report.total_seconds, report.bound) == (None, None, 1.0)
    assert any("fewer than 1 test" in line for line in report.as_lines())
    with refused(InputError, "duration"):
        select_tests(suite_of([{1}], []), seconds=1.0)


@pytest.mark.parametrize("seconds", [0.0, 1e-9, 1e12, 1e300])
def test_durations_of_any_size_are_possible(seconds):
    report = select_tests(suite_of([{1}, {1, 2}], [seconds, seconds]), share=1.0)
    assert report.selected == [NODE_IDS[1]]
    assert report.gap < 1e-6


def test_tests_that_cover_nothing_are_not_selected():
    report = select_tests(suite_of([{1}, set()], [1, 1]), share=1.0)
    assert report.selected == NODE_IDS[:1]
    report = select_tests(suite_of([set(), set()], [1, 1]), share=1.0)
    assert (report.selected, report.kept_share, report.lost) == ([], 1.0, [])


def test_the_same_tests_are_selected_in_every_run():
    rng = np.random.default_rng(3)
    covers = [set(rng.integers(0, 40, 9).tolist()) for _ in range(8)]
    seconds = rng.random(8).round(4).tolist()
    reports = [select_tests(suite_of(covers, seconds), share=0.8) for _ in range(2)]
    assert reports[0] == reports[1]


def test_a_time_limit_of_the_search_still_keeps_the_share(monkeypatch):
    """Once it is over, no budget is tried any more."""
    monkeypatch.setattr(cheapest, "solve", None)
    rng = np.random.default_rng(3)
    covers = [set(rng.integers(0, 40, 9).tolist()) for _ in range(8)]
    limits = SearchLimits.within(0.0)
    report = select_tests(suite_of(covers, [1] * 8), share=0.8, limits=limits)
    assert report.kept_share >= 0.8
    assert report.bound <= report.seconds


@pytest.mark.parametrize(
    ("arguments", "facts"),
    [
        ({}, ["share", "seconds"]),
        ({"share": 0.5, "seconds": 1.0}, ["0.5", "1.0"]),
        ({"share": 1.5}, ["1.5"]),
        ({"share": float("nan")}, ["nan"]),
        ({"seconds": -1.0}, ["-1"]),
        ({"seconds": inf}, ["inf"]),
        ({"share": 1, "required": NODE_IDS, "excluded": NODE_IDS}, [NODE_IDS[0]]),
    ],
)
def test_goals_that_make_no_sense_are_refused(arguments, facts):
    with refused(InputError, *facts):
        select_tests(suite_of([{1}, {2}], [1, 1]), **arguments)


def test_a_recording_by_functions_is_reported_as_such():
    group = LineGroup(np.array([0]), ((0, 1),))
    recording = Recording(("test_a.test_b",), ("src/a.py",), (group,))
    report = select_tests(Suite.of(recording, durations={}), share=1.0)
    assert report.selected == ["test_a.test_b"]
    assert any("functions" in note for note in report.notes)
