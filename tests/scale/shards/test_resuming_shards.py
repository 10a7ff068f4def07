"""Resuming runs on shards: what is refused, and how it is said."""

import math
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest
from refusals import refused
from shard_tools import SHORT, ThisProcess, graph_problem, sharded

from thatch import Auto, BeliefPropagation, solve
from thatch.errors import FileFormatError, InputError
from thatch.run.result import Status
from thatch.run.run import Run
from thatch.scale.running.sharded_descent import CERTIFICATE
from thatch.scale.running.sharded_solver import solver_like
from thatch.solvers.effort import Effort

pytestmark = pytest.mark.slow


@pytest.fixture
def killed(tmp_path):
    """Shards on which a run was killed during its messages."""
    return _killed(tmp_path, 20)


def _killed(folder, fails_at):
    problem = sharded(graph_problem(), folder)
    with pytest.raises(KeyboardInterrupt):
        solve(problem, SHORT, engine=ThisProcess(fails_at))
    return problem


def resumed(problem, solver=SHORT):
    return solve(problem, solver, engine=ThisProcess(), resume=True)


def test_other_settings_are_refused_with_both_values(killed):
    with refused(InputError, "the budget differs", "(300, now 9)"):
        resumed(killed.with_budget(9))
    other = BeliefPropagation(max_iterations=12, damping=0.25, price=2.0)
    with refused(InputError, "damping", "(0.5, now 0.25)", "(the default, now 2)"):
        resumed(killed, other)


def test_another_device_is_refused(killed, tmp_path):
    (journal,) = tmp_path.rglob("run/journal.json")
    journal.write_text(journal.read_text().replace('"cpu"', '"gpu"'))
    with refused(InputError, "the device differs", "(gpu, now cpu)"):
        resumed(killed)


def test_another_effort_is_refused_in_the_words_of_users(killed):
    effort = Effort(sharded_message_iterations=12, sharded_descent_iterations=9)
    with refused(InputError, "effort", "8 descent steps", "9 descent steps") as error:
        resumed(killed, Auto(effort))
    assert "max_iterations" not in error.value.message


def test_shards_that_replace_others_have_no_run_to_resume(killed, tmp_path):
    again = sharded(graph_problem(seed=6), tmp_path, overwrite=True)
    with refused(InputError, "no run of these shards"):
        resumed(again)


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"settings": {}}'])
def test_a_damaged_journal_is_refused(killed, tmp_path, content):
    (journal,) = tmp_path.rglob("run/journal.json")
    journal.write_bytes(content)
    with refused(FileFormatError, journal.as_posix()):
        resumed(killed)


@pytest.mark.parametrize(
    ("fails_at", "pattern"),
    [
        (20, "shard-00001/run-*-messages-*.npy"),
        (20, "run/run-*/totals-*.npy"),
        (20, "run/run-*/selection-*.npy"),
        (50, "shard-00001/run-*-multipliers-*.npy"),
        (50, "shard-00002/run-*-sums-*.npy"),
    ],
)
def test_a_missing_file_of_the_run_is_refused(tmp_path, fails_at, pattern):
    problem = _killed(tmp_path, fails_at)
    files = list(tmp_path.rglob(pattern))
    for file in files:
        file.unlink()
    with refused(InputError, "cannot resume", "missing") as error:
        resumed(problem)
    assert any(file.as_posix() in error.value.message for file in files)


def test_a_run_that_is_refused_removes_no_other(killed, tmp_path):
    before = sorted(tmp_path.rglob("*"))
    with refused(InputError, "inverse_temperature"):
        solve(killed, BeliefPropagation(beta=math.inf), engine=ThisProcess())
    with refused(InputError, "budget"):
        resumed(killed.with_budget(9))
    assert sorted(tmp_path.rglob("*")) == before
    assert resumed(killed).status is Status.FINISHED


class Clock:
    """A clock for runs, which observers set."""

    def __init__(self, monkeypatch):
        self.seconds = 0.0
        clock = SimpleNamespace(perf_counter=lambda: self.seconds)
        monkeypatch.setattr("thatch.run.run.time", clock)

    def at(self, times):
        """Set the clock after some iterations."""

        def observer(progress):
            self.seconds = times.get(progress.iteration, self.seconds)

        return observer


@pytest.mark.parametrize(
    ("times", "num_tasks"),
    [
        # The messages end after iteration 5 of 12, and the descent is finished.
        ({4: 50.0}, None),
        # The time ends in step 3 of the descent.
        ({4: 50.0, 7: 100.0}, None),
        # The driver is killed during the descent.
        ({4: 50.0}, 30),
        # The messages are complete, and the time ends during the descent.
        ({15: 100.0}, None),
    ],
)
def test_after_a_time_limit_the_result_is_as_without(
    tmp_path, monkeypatch, times, num_tasks
):
    problem = sharded(graph_problem(), tmp_path)
    undisturbed = solve(problem, SHORT, engine=ThisProcess())
    clock = Clock(monkeypatch)
    engine = ThisProcess(num_tasks)
    with nullcontext() if num_tasks is None else pytest.raises(KeyboardInterrupt):
        limited = solve(
            problem,
            SHORT,
            engine=engine,
            max_seconds=100,
            observers=[clock.at(times)],
        )
        assert limited.status is Status.TIME_LIMIT
        assert limited.trace[-1].step == "dual descent"
        assert limited.upper_bound > undisturbed.upper_bound
    monkeypatch.undo()
    found = resumed(problem)
    assert found.status is undisturbed.status
    assert np.array_equal(found.selection.items, undisturbed.selection.items)
    assert found.selection.value == undisturbed.selection.value
    assert found.upper_bound == undisturbed.upper_bound


def test_the_files_of_messages_are_removed_once_they_are_done(tmp_path):
    _killed(tmp_path, 50)
    names = {path.name.split("-")[2] for path in tmp_path.rglob("shard-*/run-*")}
    assert names == {"descent12"}


@pytest.mark.parametrize("fails_at", [0, 20, 50])
def test_the_time_left_is_that_of_the_steps_left(tmp_path, monkeypatch, fails_at):
    """Each iteration takes a second; after the last one comes the bound."""
    problem = _killed(tmp_path, fails_at)
    clock, shown = Clock(monkeypatch), []
    solver = solver_like(SHORT, device="cpu", engine=ThisProcess(), resume=True)

    def observer(progress):
        clock.seconds = progress.iteration
        shown.append(solver.progress_fields(progress).get("left"))

    found = solver.solve(problem, Run(observers=[observer]))
    steps = len(found.trace) - 1
    assert steps == {0: 20, 20: 15, 50: 7}[fails_at]
    assert shown == [None, *(f"{steps - k} s" for k in range(2, steps + 1)), "0 s"]


def test_without_a_run_there_is_nothing_to_resume(tmp_path):
    problem = sharded(graph_problem(), tmp_path)
    before = sorted(tmp_path.rglob("*"))
    with refused(InputError, "no run of these shards"):
        resumed(problem)
    solve(problem, SHORT, engine=ThisProcess())
    with refused(InputError, "no run of these shards"):
        resumed(problem)
    # What verifies the bound stays.
    after = {path for path in tmp_path.rglob("*") if path.name != CERTIFICATE}
    assert sorted(after) == before
