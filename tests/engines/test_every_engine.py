"""Promises that every engine keeps."""

from functools import partial

import engine_tasks as work
import pytest

from thatch import InputError
from thatch.errors import EngineError


def test_every_task_has_its_result_exactly_once(engine):
    assert sorted(engine.map(work.squared, range(30))) == [
        (number, number * number) for number in range(30)
    ]


def test_a_function_may_carry_arguments_with_it(engine):
    assert sorted(engine.map(partial(pow, 2), [3, 5])) == [(3, 8), (5, 32)]


def test_tasks_that_look_like_an_engines_own_are_only_tasks(engine):
    tasks = [(sum, [1, 2]), "thatch-0", {"a": [1]}, None]
    found = list(engine.map(repr, tasks))
    assert len(found) == 4
    assert all(result == repr(task) for task, result in found)


def test_nothing_to_do_is_done_at_once(engine):
    assert list(engine.map(work.squared, [])) == []


def test_the_work_is_done_by_other_processes(engine):
    processes = {process for _, process in engine.map(work.process_of, range(20))}
    assert work.process_of(0) not in processes


def test_a_task_whose_worker_is_killed_is_tried_again(engine, tmp_path):
    tasks = [(number, str(tmp_path / str(number))) for number in range(12)]
    for number, marker in tasks:
        if number not in (2, 5, 11):
            work.marked(marker)
    found = sorted(engine.map(work.squared_unless_new, tasks))
    assert found == [(task, task[0] ** 2) for task in tasks]


def test_a_task_that_kills_every_worker_is_named(engine, tmp_path):
    signs = tmp_path / "signs"
    with pytest.raises(EngineError, match=r"got 3 that were lost with '.*signs'"):
        list(engine.map(work.ended, [str(signs)]))
    assert signs.read_text() == "xxx"


def test_an_error_of_the_function_is_raised_as_it_is(engine):
    with pytest.raises(InputError) as caught:
        list(engine.map(work.refused, range(10)))
    assert caught.value.message == "number must not be 3, got 3."
    assert caught.value.hint == "Take 4."


def test_an_error_that_cannot_travel_is_told(engine):
    with pytest.raises(Exception, match="this and that"):
        list(engine.map(work.broken, [1]))


def test_a_result_that_cannot_travel_is_an_error(engine):
    with pytest.raises((AttributeError, TypeError), match="pickle"):
        list(engine.map(work.unsendable, [1]))


def test_few_tasks_are_begun_before_their_results_are_taken(engine, tmp_path):
    """However many there are: what is done and not taken is kept in memory."""
    tasks = [str(tmp_path / str(number)) for number in range(100)]
    results = engine.map(work.marked, tasks)
    for taken, _ in enumerate(results, start=1):
        assert len(list(tmp_path.iterdir())) <= taken + 10
