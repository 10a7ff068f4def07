"""However a job ends, it leaves no process behind."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import engine_tasks as work
import pytest

from thatch.engines import LocalEngine

TESTS = Path(__file__).parents[1]
# A program of its own, so that all it started can be told by its group.
PROGRAM = """
import signal
import sys

import engine_tasks as work
from thatch.engines import DaskEngine, LocalEngine

if __name__ == "__main__":
    # Also where whoever started the tests ignores interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    engine = {engine}(num_workers=2)
    results = engine.map({function}, [sys.argv[1]] * 10)
    {use}
"""
ENGINES = ["LocalEngine", "DaskEngine"]


@contextmanager
def started(tmp_path, engine, function, use):
    """The program in a session of its own; what is left of it ends with the block."""
    script = tmp_path / "program.py"
    script.write_text(PROGRAM.format(engine=engine, function=function, use=use))
    program = subprocess.Popen(
        [sys.executable, script, tmp_path / "marker"],
        env=os.environ | {"PYTHONPATH": str(TESTS)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with program:
        try:
            yield program
        finally:
            with suppress(ProcessLookupError):
                os.killpg(program.pid, signal.SIGKILL)


def members(session):
    """Processes of a session that are still at work."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, its_session = status.read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(its_session) == session and state != "Z":
            found.append(status.parent.name)
    return found


def until(condition, seconds=60):
    last = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < last
        os.sched_yield()


def children():
    tasks = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return {int(number) for task in tasks for number in task.read_text().split()}


@pytest.mark.parametrize("engine", ENGINES)
def test_an_interrupted_program_leaves_nothing(tmp_path, engine):
    """As on a terminal, the interrupt goes to the whole group."""
    with started(tmp_path, engine, "work.begun_for_ever", "list(results)") as program:
        until((tmp_path / "marker").exists)
        os.killpg(program.pid, signal.SIGINT)
        _, errors = program.communicate(timeout=60)
        assert errors.rstrip().endswith("KeyboardInterrupt")
        assert errors.count("Traceback") == 1
        until(lambda: not members(program.pid))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_killed_program_leaves_nothing(tmp_path, engine):
    with started(tmp_path, engine, "work.begun_for_ever", "list(results)") as program:
        until((tmp_path / "marker").exists)
        program.kill()
        program.communicate(timeout=60)
        until(lambda: not members(program.pid))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_program_that_ends_in_the_midst_leaves_nothing(tmp_path, engine):
    with started(tmp_path, engine, "work.marked", "next(results)") as program:
        _, errors = program.communicate(timeout=60)
        assert (program.returncode, errors) == (0, "")
        until(lambda: not members(program.pid))


def test_leaving_a_loop_ends_the_workers_at_once(tmp_path):
    before = children()
    for _ in LocalEngine(num_workers=2).map(work.squared, range(100)):
        assert len(children() - before) in (1, 2)
        break
    assert children() == before


def test_an_error_ends_the_workers_at_once():
    before = children()
    with pytest.raises(ValueError, match="must not be 3"):
        list(LocalEngine(num_workers=2).map(work.refused, range(100)))
    assert children() == before


def test_no_more_processes_are_started_than_there_are_tasks():
    engine = LocalEngine(num_workers=5)
    processes = {process for _, process in engine.map(work.process_of, range(2))}
    assert len(processes) <= 2


def test_what_a_task_prints_does_not_disturb_the_answers(capfd):
    assert list(LocalEngine(num_workers=1).map(work.printed, [7])) == [(7, 7)]
    assert capfd.readouterr() == ("", "snow\nsnow\n")


def test_a_worker_killed_while_idle_costs_no_try(tmp_path):
    before = children()
    results = LocalEngine(num_workers=1).map(work.squared, range(50))
    found = []
    for task, result in results:
        found.append((task, result))
        for process in children() - before:
            os.kill(process, signal.SIGKILL)
    assert sorted(found) == [(number, number**2) for number in range(50)]


def test_functions_of_the_script_itself_are_refused_with_a_reason(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(
        "from thatch.engines import LocalEngine\n"
        "def mine(x): return x\n"
        "list(LocalEngine(num_workers=1).map(mine, [1]))\n"
    )
    program = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert "must be importable where the work is done" in program.stderr
