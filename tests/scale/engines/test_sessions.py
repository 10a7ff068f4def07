"""Sessions: several calls on the same workers."""

import os

import engine_tasks as work
import pytest
from refusals import refused
from systems import posix

from thatch import InputError
from thatch.errors import LostTaskError
from thatch.scale import DaskEngine, LocalEngine

pytestmark = pytest.mark.slow

#: Engines that choose the worker of a task.
CHOOSING = [LocalEngine(num_workers=2), DaskEngine(num_workers=2)]
choosing = pytest.mark.parametrize("engine", CHOOSING, ids=["local", "dask"])


def squares(numbers):
    return [(number, number**2) for number in numbers]


def processes_of(session, folder):
    """The processes that run two tasks at the same time, in the order of the tasks."""
    folder.mkdir()
    tasks = [(str(folder), number, 2) for number in range(2)]
    return [process for _, process in sorted(session.map(tasks))]


def test_a_session_takes_one_call_after_another(engine):
    with engine.session(work.squared, num_tasks=4) as session:
        for num_tasks in (4, 0, 9, 1, 4):
            found = sorted(session.map(range(num_tasks)))
            assert found == squares(range(num_tasks))


def test_a_session_may_have_no_call(engine):
    with engine.session(work.squared, num_tasks=0):
        pass


def test_a_session_lasts_after_an_error_and_a_call_that_is_left(engine):
    with engine.session(work.fails_on_3, num_tasks=10) as session:
        for _ in range(2):
            with pytest.raises(InputError) as caught:
                list(session.map(range(10)))
            assert caught.value.args == work.ERROR_ON_3.args
        for _ in session.map([1] * 100):
            break
        assert sorted(session.map([5, 6, 7])) == [(5, 5), (6, 6), (7, 7)]


def test_workers_that_are_killed_in_a_call_are_replaced(engine, tmp_path):
    with engine.session(work.squared_on_second_try, num_tasks=6) as session:
        for to_kill in ((), (1, 4)):
            tasks = [(n, str(tmp_path / f"{to_kill}-{n}")) for n in range(6)]
            for number, marker in tasks:
                if number not in to_kill:
                    work.marked(marker)
            found = sorted(session.map(tasks))
            assert found == [(task, task[0] ** 2) for task in tasks]


def test_a_worker_that_is_killed_between_calls_is_replaced(engine):
    with engine.session(work.process_of, num_tasks=4) as session:
        process = dict(session.map(range(4)))[0]
        os.kill(process, work.KILL)
        found = dict(session.map(range(4)))
        assert sorted(found) == [0, 1, 2, 3]
        assert process not in found.values()


def test_a_session_lasts_after_a_task_that_kills_every_worker(engine):
    with engine.session(work.squared_or_killed, num_tasks=2) as session:
        assert sorted(session.map([2, 3])) == squares([2, 3])
        with refused(LostTaskError, 3, -7):
            list(session.map([-7]))
        assert sorted(session.map([2, 3])) == squares([2, 3])


@choosing
def test_each_task_returns_to_the_worker_that_ran_it(engine, tmp_path):
    with engine.session(work.process_when_all_run, num_tasks=2) as session:
        first = processes_of(session, tmp_path / "0")
        assert len(set(first)) == 2
        for call in "123":
            assert processes_of(session, tmp_path / call) == first


@posix
@choosing
def test_another_worker_takes_the_tasks_of_a_lost_one(engine, tmp_path):
    with engine.session(work.process_when_all_run, num_tasks=2) as session:
        lost, kept = processes_of(session, tmp_path / "0")
        os.kill(lost, work.KILL)
        after = processes_of(session, tmp_path / "1")
        assert lost not in after
        assert kept in after
        assert processes_of(session, tmp_path / "2") == after
