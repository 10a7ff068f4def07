"""HiGHS in a process of its own: it is abandoned in time, and nothing is left over."""

import os
import signal
import subprocess
import sys
import threading
from contextlib import closing
from functools import partial

import numpy as np
import pytest
from problems import random_problem
from processes import children_of, wait_until_session_ends
from systems import linux

from thatch import CoverageProblem, Selection, Status, cover, solve
from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.solvers import Exhaustive
from thatch.solvers.bounds import dual_bound, lp_bound
from thatch.solvers.highs import programs
from thatch.solvers.highs.linear_relaxation import coverage_model
from thatch.solvers.highs.process import WORKER_MODULE, reports_of
from thatch.solvers.highs.worker import Task

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
from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.solvers.highs.linear_relaxation import coverage_model
from thatch.solvers.highs.process import reports_of
from thatch.solvers.highs.worker import Task

graph = BiregularGraph(
    num_items=400, num_elements=400, item_degree=20, element_degree=20
)
problem = graph.problem(budget=60, seed=0)
model = coverage_model(problem, problem.weights)
for report in reports_of(Task(model, num_integers=400), max_seconds=600):
    if report is not None:
        os.kill(os.getpid(), signal.SIGKILL)
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


def integer_task(problem, *, seed=0):
    """The problem as an integer program, to be solved to the end."""
    return Task(
        coverage_model(problem, problem.weights),
        num_integers=problem.num_items,
        options=programs.integer_options(seed, max_nodes=2**31 - 1),
    )


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


def test_the_same_seed_gives_the_same_answer():
    graph = BiregularGraph(
        num_items=60, num_elements=60, item_degree=6, element_degree=6
    )
    task = integer_task(graph.problem(budget=9, seed=1), seed=5)
    one, other = (last_of(reports_of(task, max_seconds=LONG)) for _ in range(2))
    np.testing.assert_array_equal(one.chosen, other.chosen)


def test_selections_are_reported_on_the_way(hard):
    found = []

    def take(report):
        if report is not None:
            found.append(Selection.of(hard, report.chosen))
        return len(found) > 1

    assert programs.followed(integer_task(hard), max_seconds=LONG, take=take) is None
    assert 0 <= found[0].value < found[1].value


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


@pytest.fixture
def without_highs(worker, monkeypatch):
    """Every process of HiGHS ends before it has an answer."""
    without = partial(reports_of, module=worker(ENDED_WHEN_READY))
    monkeypatch.setattr(programs, "reports_of", without)


def test_a_bound_without_highs_is_that_of_the_weights(without_highs):
    problem = random_problem(21)
    bound = lp_bound(problem, max_seconds=LONG)
    assert bound == dual_bound(problem, problem.weights)


def test_a_cover_with_constraints_is_proved_without_highs(without_highs):
    problem = CoverageProblem.from_sets([{0, 1}, {1, 2}, {0}, {2}], budget=1)
    result = cover(problem.with_constraints(conflicts=[(0, 1)]))
    assert result.status is Status.OPTIMAL
    assert result.cost == 2


def test_no_time_is_no_report():
    task = integer_task(random_problem(21))
    assert list(reports_of(task, max_seconds=0.0, module=WORKER_MODULE)) == []


def test_an_interrupt_while_highs_works_is_raised(hard):
    def interrupt(report):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        programs.followed(integer_task(hard), max_seconds=LONG, take=interrupt)


@linux
def test_highs_ends_when_its_program_is_killed():
    program = subprocess.Popen([sys.executable, "-c", KILLED], start_new_session=True)
    assert program.wait(timeout=300) == -signal.SIGKILL
    wait_until_session_ends(program.pid)
