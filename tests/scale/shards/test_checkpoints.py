"""Checkpoints of a run on a GPU, with arrays that need none."""

from types import SimpleNamespace

import numpy as np
import pytest
from refusals import refused
from shard_tools import graph_problem, sharded

from thatch.errors import InputError
from thatch.scale.running.checkpoints import Checkpoints
from thatch.scale.running.run_journal import Journal
from thatch.scale.running.shard_steps import RunFiles
from thatch.solvers.belief_propagation.loop import (
    DescentState,
    MessagesState,
    RunState,
)

NUM_ITEMS, NUM_SHARDS = 60, 3


class Kept:
    """A run whose arrays hold one number each."""

    def __init__(self, tmp_path):
        problem = sharded(graph_problem(num_items=NUM_ITEMS), tmp_path / "shards")
        self.folder = problem.files.child("run")
        self.published = self.folder.child("run-1")
        self.published.make_folder()
        self.files = RunFiles(problem, self.published)
        self.state = RunState(MessagesState(2.5, num_iterations=4), 7.0)
        self.state.num_reordered = 2
        self.checkpoints = Checkpoints(Journal.begun(self.folder, {}), self.files)

    def write(self, value, *, shards=None):
        flags = np.full(NUM_ITEMS, value % 2, dtype=np.int8)
        self.state.rounding.best = flags
        numbers = np.full(NUM_ITEMS, float(value))
        of_items = {"best": flags, "log_sums": numbers, "totals": -numbers}
        self.checkpoints.write(
            self.state, of_items, self.of_shards(value) if shards is None else shards
        )

    def of_shards(self, value):
        return [np.full((2, k), value, dtype=np.float32) for k in range(NUM_SHARDS)]

    def require(self, value):
        """Require that a resumed run finds these arrays."""
        found = Checkpoints(Journal.resumed(self.folder, {}), self.files)
        assert found.state.messages == self.state.messages
        assert found.state.num_reordered == 2
        assert found.of_items("best").dtype == np.int8
        assert found.of_items("log_sums").tolist() == [value] * NUM_ITEMS
        assert found.of_items("totals").tolist() == [-value] * NUM_ITEMS
        for one, other in zip(found.of_shards(), self.of_shards(value), strict=True):
            assert (one.dtype, one.shape) == (other.dtype, other.shape)
            assert np.array_equal(one, other)


@pytest.fixture
def kept(tmp_path):
    return Kept(tmp_path)


def test_a_run_starts_without_a_checkpoint(kept):
    assert kept.checkpoints.state is None
    again = Checkpoints(Journal.resumed(kept.folder, {}), kept.files)
    assert again.state is None


def test_the_last_checkpoint_is_read(kept, tmp_path):
    for value in range(1, 6):
        kept.write(value)
        kept.require(value)
    assert len(list(tmp_path.rglob("run-1-*.npy"))) == 2 * NUM_SHARDS
    assert len(kept.published.names()) == 3


def test_a_kill_while_one_is_written_leaves_the_one_before(kept):
    kept.write(1)
    kept.write(2)

    def killed():
        yield from kept.of_shards(3)[:2]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kept.write(3, shards=killed())
    kept.require(2)
    kept.write(4)
    kept.require(4)


def test_selections_of_a_descent_are_numbers_in_the_journal(kept):
    kept.state.descent = DescentState(np.ones(NUM_ITEMS), 3.0, num_steps=8, pace=1.5)
    kept.write(1)
    kept.write(2)
    state = Journal.resumed(kept.folder, {}).state
    assert state.descent == DescentState(1, 3.0, num_steps=8, pace=1.5)
    assert (state.rounding.best, state.rounding.pending) == (1, None)
    assert isinstance(kept.state.rounding.best, np.ndarray)


@pytest.mark.parametrize("pattern", ["run-1/best-*", "run-1/totals-*", "run-1-*"])
def test_a_missing_file_is_refused(kept, tmp_path, pattern):
    kept.write(1)
    next(tmp_path.rglob(pattern)).unlink()
    with refused(InputError, "cannot resume", "missing"):
        kept.require(1)


def test_one_is_due_a_minute_after_the_last(tmp_path, monkeypatch):
    now = [0.0]
    clock = SimpleNamespace(monotonic=lambda: now[-1])
    monkeypatch.setattr("thatch.scale.running.checkpoints.time", clock)
    kept = Kept(tmp_path)
    for seconds, is_due in [(0.0, False), (59.0, False), (60.0, True), (90.0, True)]:
        now.append(seconds)
        assert kept.checkpoints.is_due == is_due
    kept.write(1)
    assert not kept.checkpoints.is_due
