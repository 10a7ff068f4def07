"""Engines leave no process behind, however a program ends."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress

import engine_tasks as work
import pytest
from processes import children_of, wait_until_session_ends
from refusals import refused
from systems import require_linux

from thatch import InputError
from thatch.scale import LocalEngine

pytestmark = pytest.mark.slow

# In a separate session, by which all of its processes are identified.
PROGRAM = """
import signal
import sys

import engine_tasks as work
from thatch.scale import DaskEngine, LocalEngine

if __name__ == "__main__":
    # The tests may run in a process that ignores interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    engine = {engine}(num_workers=2)
    results = engine.map({function}, [sys.argv[1]] * 10)
    {use}
"""
ENGINES = ["LocalEngine", "DaskEngine"]


@contextmanager
def started(tmp_path, engine, function, use):
    """The program in a new session, all of which is killed after the block."""
    require_linux()
    script = tmp_path / "program.py"
    script.write_text(PROGRAM.format(engine=engine, function=function, use=use))
    os.mkfifo(tmp_path / "started")
    program = subprocess.Popen(
        [sys.executable, script, tmp_path / "started"],
        env=work.ENVIRONMENT,
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


def children():
    return children_of(os.getpid())


@pytest.mark.parametrize("engine", ENGINES)
def test_an_interrupted_program_leaves_no_process(tmp_path, engine):
    """As on a terminal, the whole process group is interrupted."""
    with started(
        tmp_path, engine, "work.signalled_and_endless", "list(results)"
    ) as program:
        (tmp_path / "started").read_text()
        os.killpg(program.pid, signal.SIGINT)
        _, errors = program.communicate(timeout=300)
        assert errors.rstrip().endswith("KeyboardInterrupt")
        assert errors.count("Traceback") == 1
        wait_until_session_ends(program.pid)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_killed_program_leaves_no_process(tmp_path, engine):
    with started(
        tmp_path, engine, "work.signalled_and_endless", "list(results)"
    ) as program:
        (tmp_path / "started").read_text()
        program.kill()
        program.communicate(timeout=300)
        wait_until_session_ends(program.pid)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_program_that_exits_before_the_last_result_leaves_no_process(
    tmp_path, engine
):
    with started(tmp_path, engine, "work.marked", "next(results)") as program:
        _, errors = program.communicate(timeout=300)
        assert (program.returncode, errors) == (0, "")
        wait_until_session_ends(program.pid)


def test_leaving_a_loop_ends_the_workers_at_once(tmp_path):
    before = children()
    for _ in LocalEngine(num_workers=2).map(work.squared, range(100)):
        assert len(children() - before) in (1, 2)
        break
    assert children() == before


def test_an_error_ends_the_workers_at_once():
    before = children()
    with refused(InputError, "number", 3):
        list(LocalEngine(num_workers=2).map(work.fails_on_3, range(100)))
    assert children() == before


def test_there_are_no_more_processes_than_tasks():
    engine = LocalEngine(num_workers=5)
    processes = {process for _, process in engine.map(work.process_of, range(2))}
    assert len(processes) <= 2


def test_tasks_may_print(capfd):
    assert list(LocalEngine(num_workers=1).map(work.printed, [7])) == [(7, 7)]
    assert capfd.readouterr() == ("", "snow\nsnow\n")


def test_a_worker_that_is_killed_while_idle_is_replaced(tmp_path):
    before = children()
    results = LocalEngine(num_workers=1).map(work.squared, range(10))
    found = []
    for task, result in results:
        found.append((task, result))
        for process in children() - before:
            # A worker without further tasks may have ended by itself.
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
    assert sorted(found) == [(number, number**2) for number in range(10)]


def test_a_function_of_the_main_script_is_refused(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(
        "from thatch.scale import LocalEngine\n"
        "def mine(x): return x\n"
        "list(LocalEngine(num_workers=1).map(mine, [1]))\n"
    )
    program = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert "EngineError" in program.stderr
    assert "'mine'" in program.stderr
