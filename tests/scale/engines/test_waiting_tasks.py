import hypothesis.strategies as st
from hypothesis import given

from thatch.scale.engines.waiting_tasks import WaitingTasks


def taken_by(waiting, workers):
    return [waiting.next_for(worker) for worker in workers]


def test_a_worker_runs_its_own_tasks_first_and_then_those_of_nobody():
    waiting = WaitingTasks(4, {1: "a", 3: "a", 0: "lost"}, ["a"])
    assert taken_by(waiting, "aaaaa") == [1, 3, 0, 2, None]


def test_an_idle_worker_takes_the_last_task_of_the_one_with_the_most():
    waiting = WaitingTasks(5, {0: "a", 1: "b", 2: "b", 3: "b", 4: "a"}, ["a", "b"])
    assert taken_by(waiting, ["new"]) == [3]


def test_a_small_backlog_is_left_to_its_worker():
    last = {0: "a", 1: "a", 2: "a"}
    waiting = WaitingTasks(3, last, ["a", "b"], min_backlog=2)
    assert taken_by(waiting, "bbba") == [2, 1, None, 0]


def test_tasks_of_a_worker_that_is_lost_may_run_anywhere():
    waiting = WaitingTasks(2, {0: "a", 1: "b"}, ["a", "b"], min_backlog=2)
    waiting.free_all_but(["b"])
    assert taken_by(waiting, "bbb") == [1, 0, None]


def test_a_task_that_is_added_again_may_run_anywhere():
    waiting = WaitingTasks(1, {0: "a"}, ["a", "b"], min_backlog=2)
    assert waiting.next_for("a") == 0
    waiting.add(0)
    assert taken_by(waiting, "bb") == [0, None]


@given(
    st.lists(st.sampled_from("abc")),
    st.sets(st.sampled_from("abc"), min_size=1),
    st.integers(1, 3),
)
def test_every_task_is_taken_once(last, alive, min_backlog):
    waiting = WaitingTasks(
        len(last), dict(enumerate(last)), alive, min_backlog=min_backlog
    )
    taken = taken_by(waiting, sorted(alive) * (len(last) + 1))
    assert sorted(n for n in taken if n is not None) == list(range(len(last)))
