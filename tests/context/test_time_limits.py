"""The time limit of `select`, with clocks that do as the test says."""

import pytest

import thatch
from thatch.context.selection.fitting import Deadline
from thatch.context.selection.selection_task import SelectionTask

CHUNKS = [f"Ferry {k} leaves the {k}th pier at noon for island {k}." for k in range(80)]


class Clock:
    """A clock that goes on by some seconds with every look at it."""

    def __init__(self, seconds_per_look):
        self.seconds_per_look = seconds_per_look
        self.seconds = 0.0

    def __call__(self):
        self.seconds += self.seconds_per_look
        return self.seconds


@pytest.fixture
def searched(monkeypatch):
    """How many candidates there were, time after time, by a clock."""
    counts = []
    made = SelectionTask.of

    def counted(*arguments, **settings):
        task = made(*arguments, **settings)
        counts.append(task.problem.num_items)
        return task

    def run(clock, max_seconds):
        monkeypatch.setattr(SelectionTask, "of", counted)
        deadline = Deadline.within(max_seconds, clock)
        monkeypatch.setattr(Deadline, "within", lambda _: deadline)
        context = thatch.select(
            CHUNKS,
            30,
            query="ferry",
            group=["one"] * len(CHUNKS),
            per_group=1,
            max_seconds=max_seconds,
        )
        return counts, context

    return run


def test_with_time_all_chunks_are_compared_where_a_group_keeps_others_out(searched):
    counts, context = searched(Clock(0.0), 1.0)
    assert counts == [32, 32, 80]
    assert len(context.chunks) == 1


def test_once_the_time_is_over_no_more_chunks_are_compared(searched):
    counts, context = searched(Clock(100.0), 1.0)
    assert counts == [32]
    assert len(context.chunks) == 1
    assert context.upper_bound >= context.value


def test_a_deadline_ends_and_can_be_put_off():
    clock = Clock(1.0)
    deadline = Deadline.within(2.5, clock)
    assert deadline.second == 3.5
    assert not deadline.is_over()
    assert deadline.leaving(4.0).second == 7.0
    assert deadline.leaving(0.0).is_over()
