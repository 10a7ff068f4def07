"""HiGHS in a process of its own: it is abandoned in time, and nothing is left over."""

import os
import signal
import subprocess
import sys
import threading
from contextlib import closing
from functools import partial

import pytest
from problems import random_problem
from processes import children_of, wait_until_session_ends
from systems import linux

from thatch import Exact, Selection, Status, solve
from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.solvers import Exhaustive
from thatch.solvers.highs import programs
from thatch.solvers.highs.coverage_program import LinearProgram
from thatch.solvers.highs.process import WORKER_MODULE, reports_of

# Longer than any start of a process, and never waited for.
LONG = 600.0
SEEDS = range(21, 26)
# Each is the body of ``main()`` of a module that takes the place of the real one.
ENDLESS = "parent = ParentConnection(); parent.notify(READY); Event().wait()"
NEVER_READY = "Event().wait()"
ENDED_AT_ONCE = "os._exit(1)"
ENDED_WHEN_READY = "ParentConnection().notify(READY); os._exit(1)"
NO_WORKER = "ParentConnection().notify(b'something else'); Event().wait()"
MODULE = """
import os
from threading import Event
from thatch.solvers.highs.worker import READY
from thatch.machine.worker_main import ParentConnection

def main():
    {body}
"""
# A program that is killed while HiGHS works on a problem that it cannot finish.
KILLED = """
import os, signal
from thatch import Selection
from thatch.solvers.highs.coverage_program import LinearProgram
from thatch.problem.instances.random_graphs import BiregularGraph

graph = BiregularGraph(
    num_items=400, num_elements=400, item_degree=20, element_degree=20
)
problem = graph.problem(budget=60, seed=0)

def kill(items, bound):
    if items is not None:
        os.kill(os.getpid(), signal.SIGKILL)
    return False

LinearProgram(problem).solve(
    start=Selection.of(problem, []), seed=0, max_seconds=600, watch=kill
)
"""


@pytest.fixture
def worker(tmp_path, monkeypatch):
    """The name of a module whose ``main()`` has a given body."""

    def module(body):
        (tmp_path / "a_highs_worker.py").write_text(MODULE.format(body=body))
        monkeypatch.syspath_prepend(tmp_path)
        return "a_highs_worker"

    return module


@pytest.fixture(autouse=True)
def no_process_is_left():
    before = children_of(os.getpid())
    yield
    assert children_of(os.getpid()) == before


@pytest.fixture(scope="module")
def hard():
    """A problem that HiGHS cannot prove in a moment."""
    graph = BiregularGraph(
        num_items=400, num_elements=400, item_degree=20, element_degree=20
    )
    return graph.problem(budget=60, seed=0)


def integer_task(problem):
    program = LinearProgram(problem)
    return program.integer_task(Selection.of(problem, []), seed=0)


def last_of(reports):
    *_, last = reports
    return last


def require_optimum(report, problem):
    optimum = solve(problem, Exhaustive()).selection.value
    assert report.is_last
    assert report.error is None
    chosen = Selection.of(problem, report.chosen)
    assert chosen.value == pytest.approx(optimum, rel=1e-6)


@pytest.mark.parametrize("max_seconds", [LONG, float("inf")])
def test_the_last_report_has_the_optimum(max_seconds):
    for seed in SEEDS:
        problem = random_problem(seed)
        reports = reports_of(integer_task(problem), max_seconds=max_seconds)
        require_optimum(last_of(reports), problem)


def test_bounds_and_selections_are_reported_on_the_way(hard):
    program = LinearProgram(hard)
    bounds, values = [], []

    def watch(items, bound):
        bounds.append(bound)
        values.append(0 if items is None else Selection.of(hard, items).value)
        return max(values) > 0 and min(bounds) < float("inf")

    start = Selection.of(hard, [])
    assert program.solve(start=start, seed=0, max_seconds=LONG, watch=watch) is None
    assert min(bounds) >= max(values) > 0


@pytest.mark.parametrize("body", [ENDLESS, NEVER_READY], ids=["endless", "not ready"])
def test_a_process_that_does_not_end_is_abandoned_at_the_limit(worker, body):
    reports = reports_of(
        integer_task(random_problem(21)), max_seconds=0.5, module=worker(body)
    )
    assert set(reports) <= {None}


def test_a_process_that_is_closed_is_killed(worker):
    task = integer_task(random_problem(21))
    # Processes that other tests have started may still be ending.
    before = children_of(os.getpid())
    with closing(reports_of(task, max_seconds=LONG, module=worker(ENDLESS))) as reports:
        assert next(reports) is None
        (started,) = children_of(os.getpid()) - before
    assert started not in children_of(os.getpid())


def test_a_process_that_ends_too_soon_reports_no_end(worker):
    task = integer_task(random_problem(21))
    reports = reports_of(task, max_seconds=LONG, module=worker(ENDED_WHEN_READY))
    assert set(reports) <= {None}


@pytest.mark.parametrize("body", [ENDED_AT_ONCE, NO_WORKER], ids=["ended", "other"])
def test_a_thread_takes_over_from_a_process_that_does_not_start(worker, body):
    problem = random_problem(21)
    module = worker(body)
    reports = reports_of(integer_task(problem), max_seconds=LONG, module=module)
    require_optimum(last_of(reports), problem)


@pytest.mark.parametrize(
    ("name", "value"),
    [("executable", None), ("executable", "/no/such/python"), ("frozen", True)],
)
def test_a_thread_takes_over_where_there_is_no_interpreter(monkeypatch, name, value):
    monkeypatch.setattr(sys, name, value, raising=False)
    problem = random_problem(21)
    reports = reports_of(integer_task(problem), max_seconds=LONG)
    require_optimum(last_of(reports), problem)


def test_a_thread_that_is_left_behind_ends(monkeypatch, hard):
    monkeypatch.setattr(sys, "executable", None)
    before = set(threading.enumerate())
    with closing(reports_of(integer_task(hard), max_seconds=LONG)) as reports:
        next(reports)
        (thread,) = set(threading.enumerate()) - before
    thread.join(timeout=300)
    assert not thread.is_alive()


def test_exact_answers_without_highs(worker, monkeypatch, hard):
    without = partial(reports_of, module=worker(ENDED_WHEN_READY))
    monkeypatch.setattr(programs, "reports_of", without)
    result = solve(hard, Exact())
    assert result.status is Status.FINISHED
    assert 0 < result.selection.value < result.upper_bound


def test_no_time_is_no_report():
    task = integer_task(random_problem(21))
    assert list(reports_of(task, max_seconds=0.0, module=WORKER_MODULE)) == []


def test_an_interrupt_while_highs_works_is_raised(hard):
    def interrupt(items, bound):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        LinearProgram(hard).solve(
            start=Selection.of(hard, []), seed=0, max_seconds=LONG, watch=interrupt
        )


@linux
def test_highs_ends_when_its_program_is_killed():
    program = subprocess.Popen([sys.executable, "-c", KILLED], start_new_session=True)
    assert program.wait(timeout=300) == -signal.SIGKILL
    wait_until_session_ends(program.pid)
