"""Guarantees of every engine."""

from functools import partial
from pickle import PicklingError

import engine_tasks as work
import pytest
from refusals import refused

from thatch import InputError
from thatch.errors import EngineError, LostTaskError

pytestmark = pytest.mark.slow


def test_every_task_has_exactly_one_result(engine):
    assert sorted(engine.map(work.squared, range(30))) == [
        (number, number * number) for number in range(30)
    ]


def test_a_function_may_be_a_partial(engine):
    assert sorted(engine.map(partial(pow, 2), [3, 5])) == [(3, 8), (5, 32)]


def test_tasks_that_dask_would_interpret_are_passed_unchanged(engine):
    tasks = [(sum, [1, 2]), "thatch-0", {"a": [1]}, None]
    found = list(engine.map(repr, tasks))
    assert len(found) == 4
    assert all(result == repr(task) for task, result in found)


def test_no_tasks_have_no_results(engine):
    assert list(engine.map(work.squared, [])) == []


def test_tasks_run_in_other_processes(engine):
    processes = {process for _, process in engine.map(work.process_of, range(20))}
    assert work.process_of(0) not in processes


def test_a_task_whose_worker_is_killed_is_tried_again(engine, tmp_path):
    tasks = [(number, str(tmp_path / str(number))) for number in range(12)]
    for number, marker in tasks:
        if number not in (2, 5, 11):
            work.marked(marker)
    found = sorted(engine.map(work.squared_on_second_try, tasks))
    assert found == [(task, task[0] ** 2) for task in tasks]


def test_a_task_that_kills_every_worker_is_named(engine, tmp_path):
    log = str(tmp_path / "log")
    with refused(LostTaskError, 3, repr(log)) as caught:
        list(engine.map(work.logged_and_killed, [log]))
    assert caught.value.task == log
    assert (tmp_path / "log").read_text() == "xxx"


def test_an_error_of_the_function_is_raised_unchanged(engine):
    with pytest.raises(InputError) as caught:
        list(engine.map(work.fails_on_3, range(10)))
    assert caught.value.args == work.ERROR_ON_3.args
    assert caught.value.hint == work.ERROR_ON_3.hint


def test_an_error_that_cannot_be_unpickled_is_described(engine):
    with refused(EngineError, "UnreadableError", "this and that"):
        list(engine.map(work.raises_unreadable, [1]))


def test_a_result_that_cannot_be_pickled_is_an_error(engine):
    # Python 3.14 raises a PicklingError, earlier versions an AttributeError.
    with pytest.raises((AttributeError, PicklingError), match="pickle"):
        list(engine.map(work.unpicklable, [1]))


def test_only_a_few_tasks_are_started_before_results_are_taken(engine, tmp_path):
    """Results that are not taken yet are kept in memory."""
    tasks = [str(tmp_path / str(number)) for number in range(100)]
    results = engine.map(work.marked, tasks)
    for taken, _ in enumerate(results, start=1):
        assert len(list(tmp_path.iterdir())) <= taken + 10
