import csv
import signal
from contextlib import contextmanager
from dataclasses import replace
from math import inf, isnan

import pytest
from problems import random_problem
from refusals import refused
from systems import posix

from thatch import (
    InputError,
    Interruption,
    MaxIterations,
    MaxSeconds,
    NoImprovement,
    Progress,
    Run,
    Selection,
    Status,
    TargetGap,
    TargetValue,
)
from thatch.run.result import write_trace
from thatch.run.stopping import Converged

READING = Progress(
    iteration=5,
    seconds=2.0,
    value=10.0,
    upper_bound=12.0,
    largest_change=1e-4,
    stalled=3,
)


@pytest.mark.parametrize(
    ("rule", "status"),
    [
        (MaxIterations(5), Status.ITERATION_LIMIT),
        (MaxIterations(6), None),
        (MaxSeconds(2.0), Status.TIME_LIMIT),
        (MaxSeconds(2.1), None),
        (Converged(1e-3), Status.CONVERGED),
        (Converged(1e-5), None),
        (NoImprovement(3), Status.NO_IMPROVEMENT),
        (NoImprovement(4), None),
        (TargetValue(10.0), Status.TARGET_REACHED),
        (TargetValue(10.1), None),
        (TargetGap(0.2), Status.TARGET_REACHED),
        (TargetGap(0.1), None),
    ],
    ids=repr,
)
def test_stopping_rules_answer_from_one_reading(rule, status):
    assert rule(READING) is status


def test_unknown_readings_stop_nothing():
    unknown = Progress(iteration=1, seconds=0.0)
    assert isnan(unknown.value)
    assert Converged()(unknown) is None
    assert TargetValue(0.0)(unknown) is None


def test_a_rule_serves_two_runs():
    rule = MaxIterations(1)
    assert Run(stop=[rule]).report() is Status.ITERATION_LIMIT
    assert Run(stop=[rule]).report() is Status.ITERATION_LIMIT


def test_stalled_iterations_are_counted_from_the_last_rise():
    problem = random_problem(0)
    worse = Selection.of(problem, [])
    better = Selection.of(problem, range(problem.num_items))
    run = Run()
    for best in (worse, worse, worse, better, better):
        run.report(best)
    assert [reading.stalled for reading in run.trace] == [0, 1, 2, 0, 1]


def test_seconds_left_count_down_from_the_strictest_limit():
    assert Run().seconds_left == inf
    assert Run(stop=[MaxSeconds(100), MaxSeconds(50)]).seconds_left <= 50
    assert Run(stop=[MaxSeconds(0)]).seconds_left == 0.0


@pytest.mark.parametrize(
    ("make", "field", "value"),
    [
        (lambda: MaxSeconds(-1), "max_seconds", -1),
        (lambda: MaxSeconds(float("nan")), "max_seconds", "nan"),
        (lambda: NoImprovement(-1), "max_iterations", -1),
        (lambda: Converged(float("nan")), "tolerance", "nan"),
        (lambda: TargetValue(float("nan")), "value", "nan"),
        (lambda: TargetGap(-0.1), "gap", -0.1),
        (lambda: MaxIterations(-1), "max_iterations", -1),
        (lambda: Run(seed=-1), "seed", -1),
        (lambda: Run(num_threads=0), "threads", 0),
    ],
)
def test_impossible_limits_are_refused(make, field, value):
    with refused(InputError, field, value):
        make()


def test_a_trace_is_saved_with_one_row_per_iteration(tmp_path):
    write_trace([READING, replace(READING, iteration=6)], tmp_path / "trace.csv")
    with (tmp_path / "trace.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["iteration"] for row in rows] == ["5", "6"]
    assert float(rows[0]["largest_change"]) == 1e-4


def test_rules_can_be_checked_between_two_reports():
    run = Run(stop=[MaxSeconds(0.0)])
    assert run.check_stop() is Status.TIME_LIMIT
    assert run.trace == []


def test_an_iteration_without_a_selection_keeps_the_value():
    best = Selection.of(random_problem(0), [0])
    run = Run()
    run.report(best)
    run.report(largest_change=0.5)
    assert run.trace[1].value == best.value


def test_the_value_of_a_chain_never_falls():
    problem = random_problem(0)
    run = Run()
    for items in ([0], [], range(problem.num_items)):
        run.report(Selection.of(problem, items))
    values = [reading.value for reading in run.trace]
    assert values == sorted(values)


def test_a_bound_that_was_not_reported_can_end_the_run():
    run = Run(stop=[TargetGap(0.1)])
    best = Selection.of(random_problem(0), [0])
    assert run.report(best, upper_bound=2 * best.value) is None
    assert run.check_stop(upper_bound=best.value) is Status.TARGET_REACHED


def test_a_reserve_ends_the_run_before_its_limit():
    run = Run(stop=[MaxSeconds(100.0)])
    assert 89.0 < run.with_reserve(10.0).seconds_left <= 90.0
    assert run.with_reserve(1e9).seconds_left == pytest.approx(50.0, abs=1.0)
    assert run.with_reserve(10.0).trace is run.trace


@posix
def test_an_interrupt_stops_the_run_and_those_derived_from_it():
    with interruptible(), Interruption() as interruption:
        run = Run(stop=[interruption, MaxIterations(9)])
        runs = [run, run.unreported(), run.with_time_share(0.5), run.with_reserve(1.0)]
        assert not any(each.must_stop for each in runs)
        signal.raise_signal(signal.SIGINT)
        assert interruption.has_occurred
        assert all(each.check_stop() is Status.INTERRUPTED for each in runs)
        assert all(each.seconds_left == 0.0 for each in runs)


@posix
def test_a_second_interrupt_is_raised_and_the_handler_restored():
    with interruptible():
        before = signal.getsignal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt), Interruption():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is before


@posix
def test_a_job_that_ignores_interrupts_continues_to():
    with interruptible():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with Interruption() as interruption:
            signal.raise_signal(signal.SIGINT)
        assert not interruption.has_occurred
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


@contextmanager
def interruptible():
    """Raise on interrupts, also where the tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_rule_that_stopped_the_run_is_not_called_again():
    def stop(progress):
        return Status.TARGET_REACHED if progress.step == "one" else None

    run = Run(stop=[stop])
    assert run.report(step="zero") is None
    assert run.report(step="one") is Status.TARGET_REACHED
    assert run.report(step="two") is Status.TARGET_REACHED
    assert run.check_stop() is Status.TARGET_REACHED


def test_an_unreported_run_keeps_the_clock_and_reports_nothing():
    run = Run(stop=[MaxSeconds(0.0), MaxIterations(3)])
    part = run.unreported()
    assert part.check_stop() is Status.TIME_LIMIT
    part.report()
    assert run.trace == []


def test_a_run_with_a_share_of_the_time_reports_to_the_whole():
    run = Run(stop=[MaxSeconds(1000.0), MaxIterations(3)])
    part = run.with_time_share(0.5)
    assert part.report(step="part") is None
    assert [progress.step for progress in run.trace] == ["part"]
    assert 400.0 < part.seconds_left <= 500.0
    assert run.with_time_share(0.0).check_stop() is Status.TIME_LIMIT
    assert run.check_stop() is None
    assert Run().with_time_share(0.5).seconds_left == inf
